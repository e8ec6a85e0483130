"""TaskEval of a τ-bench trial: how far its writes were from the annotated ones."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_taubench.schema import Action, ActionRecord
from pytest_taubench.taskbench.records import tau_taskeval


def gold(name: str, **arguments: Any) -> Action:
    return Action(name=name, arguments=arguments)


def done(name: str, kind: Any = "write", ok: bool = True, **arguments: Any) -> ActionRecord:
    return ActionRecord(name=name, arguments=arguments, kind=kind, ok=ok)


CANCEL = {"order_id": "#W1", "reason": "no longer needed"}
RETURN = {"order_id": "#W2", "item_ids": ["1", "2"]}
WANTED = [gold("cancel", **CANCEL), gold("return", **RETURN)]


def test_the_annotated_writes_in_order_are_perfect() -> None:
    executed = [done("cancel", **CANCEL), done("look_up", kind="read"), done("return", **RETURN)]
    assert tau_taskeval(WANTED, executed) == {
        "node_f1": 1.0,
        "edge_f1": 1.0,
        "ned": 0.0,
        "t_f1": 1.0,
        "v_f1": 1.0,
    }


def test_the_same_writes_in_another_order_keep_their_nodes_and_lose_their_edges() -> None:
    got = tau_taskeval(WANTED, [done("return", **RETURN), done("cancel", **CANCEL)])
    assert (got["node_f1"], got["v_f1"]) == (1.0, 1.0)
    assert got["edge_f1"] == 0.0
    assert got["ned"] == 0.5  # one of two can stay in place: 1 - 2·1/4


def test_one_wrong_value_of_four_is_seen_in_v_f1_alone() -> None:
    got = tau_taskeval(WANTED, [done("cancel", **CANCEL), done("return", **{**RETURN, "item_ids": ["1"]})])  # fmt: skip
    assert (got["node_f1"], got["edge_f1"], got["t_f1"]) == (1.0, 1.0, 1.0)
    assert got["v_f1"] == pytest.approx(2 * 3 / 8)


def test_nothing_done_is_all_missing() -> None:
    got = tau_taskeval(WANTED, [])
    assert got == {"node_f1": 0.0, "edge_f1": 0.0, "ned": 1.0, "t_f1": 0.0, "v_f1": 0.0}


def test_nothing_done_where_nothing_was_to_do_is_perfect() -> None:
    got = tau_taskeval([], [done("look_up", kind="read")])
    assert (got["node_f1"], got["edge_f1"], got["ned"]) == (1.0, 1.0, 0.0)


def test_a_refused_call_is_no_action() -> None:
    refused = done("cancel", ok=False, **CANCEL)
    executed = [refused, done("cancel", **CANCEL), done("return", **RETURN)]
    assert tau_taskeval(WANTED, executed)["node_f1"] == 1.0


def test_annotated_reads_are_left_out_by_the_write_tools() -> None:
    annotated = [gold("look_up", order_id="#W1"), *WANTED]
    executed = [done("cancel", **CANCEL), done("return", **RETURN)]
    assert tau_taskeval(annotated, executed)["node_f1"] == pytest.approx(2 * 2 / 5)
    assert tau_taskeval(annotated, executed, {"cancel", "return"})["node_f1"] == 1.0


def test_a_write_made_twice_counts_twice() -> None:
    executed = [done("cancel", **CANCEL), done("cancel", **CANCEL)]
    assert tau_taskeval(WANTED[:1], executed)["node_f1"] == pytest.approx(2 * 1 / 3)


def test_values_compare_by_meaning() -> None:
    wanted = [gold("pay", amount=25, split={"a": 1, "b": [2.0]}, gift=True)]
    assert tau_taskeval(wanted, [done("pay", amount=25.0, split={"b": [2], "a": 1.0}, gift=True)])["v_f1"] == 1.0  # fmt: skip
    assert tau_taskeval([gold("pay", amount=1)], [done("pay", amount="1")])["v_f1"] == 0.0
    assert tau_taskeval([gold("pay", gift=1)], [done("pay", gift=True)])["v_f1"] == 0.0
