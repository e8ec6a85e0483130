"""Malformed predictions: each is named and counted, none breaks the run or touches another sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.errors import TaskFileError
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.taskeval import TaskEval, evaluate, evaluate_files

STEPS = ["Step 1: do the thing", "Step 2: do more"]
MISSING = object()


def resource_plan() -> dict[str, Any]:
    return {
        "task_steps": list(STEPS),
        "task_nodes": [
            {"task": "Text Simplifier", "arguments": ["hello"]},
            {"task": "Text Translator", "arguments": ["<node-0>"]},
        ],
        "task_links": [{"source": "Text Simplifier", "target": "Text Translator"}],
    }


def temporal_plan() -> dict[str, Any]:
    return {
        "task_steps": list(STEPS),
        "task_nodes": [
            {"task": "take_note", "arguments": [{"name": "content", "value": "milk"}]},
            {"task": "set_alarm", "arguments": [{"name": "time", "value": "7:00"}]},
        ],
        "task_links": [{"source": "take_note", "target": "set_alarm"}],
    }


def with_(plan: dict[str, Any], **fields: Any) -> dict[str, Any]:
    changed = {**plan, **fields}
    return {key: value for key, value in changed.items() if value is not MISSING}


def first_node(plan: dict[str, Any], node: Any) -> dict[str, Any]:
    return with_(plan, task_nodes=[node, plan["task_nodes"][1]])


def first_arguments(plan: dict[str, Any], arguments: Any) -> dict[str, Any]:
    return first_node(plan, {"task": plan["task_nodes"][0]["task"], "arguments": arguments})


R, T = resource_plan, temporal_plan
MALFORMED = {
    # name of the fault: (graph, the predicted plan)
    "result-not-object": ("multimedia", "Text Simplifier"),
    "steps-missing": ("multimedia", with_(R(), task_steps=MISSING)),
    "steps-empty": ("multimedia", with_(R(), task_steps=[])),
    "steps-not-list": ("multimedia", with_(R(), task_steps=7)),
    "step-not-text": ("multimedia", with_(R(), task_steps=["first", 2])),
    "nodes-missing": ("multimedia", with_(R(), task_nodes=MISSING)),
    "nodes-not-list": ("multimedia", with_(R(), task_nodes={"task": "Text Simplifier"})),
    "node-not-object": ("multimedia", first_node(R(), "Text Simplifier")),
    "task-missing": ("multimedia", first_node(R(), {"arguments": ["hello"]})),
    "task-not-text": ("multimedia", first_node(R(), {"task": 3, "arguments": ["hello"]})),
    "unknown-tool": ("multimedia", first_node(R(), {"task": "Poem Writer", "arguments": []})),
    "arguments-missing": ("multimedia", first_node(R(), {"task": "Text Simplifier"})),
    "arguments-not-list": ("multimedia", first_arguments(R(), 5)),
    "arguments-text": ("multimedia", first_arguments(R(), "hello")),
    "arguments-object": ("multimedia", first_arguments(R(), {"text": "hello"})),
    "argument-not-text": ("multimedia", first_arguments(R(), [None])),
    "argument-empty": ("multimedia", first_arguments(R(), [{}])),
    "reference-broken": ("multimedia", first_arguments(R(), ["<node-one>"])),
    "reference-out-of-range": ("multimedia", first_arguments(R(), ["<node-7>"])),
    "reference-to-itself": ("multimedia", first_arguments(R(), ["<node-0>"])),
    "argument-not-object": ("dailylife", first_arguments(T(), ["milk"])),
    "argument-name-missing": ("dailylife", first_arguments(T(), [{"value": "milk"}])),
    "argument-value-missing": ("dailylife", first_arguments(T(), [{"name": "content"}])),
    "value-not-text": ("dailylife", first_arguments(T(), [{"name": "content", "value": {}}])),
    "links-missing": ("dailylife", with_(T(), task_links=MISSING)),
    "links-not-list": ("dailylife", with_(T(), task_links="take_note, set_alarm")),
    "link-not-object": ("dailylife", with_(T(), task_links=["take_note"])),
    "link-end-missing": ("dailylife", with_(T(), task_links=[{"source": "take_note"}])),
    "link-end-not-text": (
        "dailylife",
        with_(T(), task_links=[{"source": [], "target": "set_alarm"}]),
    ),
    "link-to-no-node": (
        "dailylife",
        with_(T(), task_links=[{"source": "take_note", "target": "send_sms"}]),
    ),
}
FILE_FAULTS = {
    "line-not-json": '{"id": "bad", "result": ',
    "line-not-object": '["bad"]',
    "no-id": '{"result": {}}',
    "duplicate-id": '{"id": "good", "result": {}}',
    "no-gold": '{"id": "stranger", "result": {}}',
}

modes = pytest.mark.parametrize("mode", ["reference", "strict"])


def evaluated(kind: str, mode: str) -> TaskEval:
    """A malformed prediction between two perfect ones."""
    graph, result = MALFORMED[kind]
    plan = R() if graph == "multimedia" else T()
    gold = [{"id": id_, "type": "chain", **plan} for id_ in ("before", "bad", "after")]
    predictions = [
        {"id": "before", "result": plan},
        {"id": "bad", "result": result},
        {"id": "after", "result": plan},
    ]
    return evaluate(gold, predictions, load_tool_graph(graph), mode)


def test_there_are_thirty_kinds_and_more() -> None:
    assert len(MALFORMED) + len(FILE_FAULTS) + len(["no-prediction", "result-missing"]) >= 37


@modes
@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_prediction_is_named_once_and_for_its_sample_only(kind: str, mode: str) -> None:
    result = evaluated(kind, mode)
    assert result.faults.get(kind) == 1
    assert {id_ for id_, _ in result.fault_list} == {"bad"}
    assert result.counts["faulty"] == 1
    assert result.gold_faults == {}


@modes
@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_prediction_never_scores_better_than_nothing_wrong(
    kind: str, mode: str
) -> None:
    """Two perfect samples beside it: no group falls below what they alone are worth."""
    overall = evaluated(kind, mode).groups["overall"]
    assert overall.samples == 3
    for metric in ("node_f1", "edge_f1", "t_f1", "v_f1"):
        # Two of three right, nothing found in the third and as much invented there as gold has.
        assert 2 / 3 - 1e-9 <= getattr(overall, metric) <= 1
    assert 0 <= overall.ned <= 1 / 3 + 1e-9


# What the published code leaves out, it leaves out as a whole.
DROPPED = (
    *("result-not-object", "steps-missing", "nodes-missing", "nodes-not-list", "node-not-object"),
    *("task-missing", "task-not-text", "arguments-not-list", "argument-not-object"),
    *("argument-name-missing", "argument-value-missing", "links-missing"),
)


@pytest.mark.parametrize("kind", MALFORMED)
def test_reference_mode_leaves_out_what_the_published_code_leaves_out(kind: str) -> None:
    assert evaluated(kind, "reference").counts["scored"] == (2 if kind in DROPPED else 3)


@pytest.mark.parametrize("kind", MALFORMED)
def test_strict_mode_leaves_nothing_out(kind: str) -> None:
    result = evaluated(kind, "strict")
    assert result.counts["scored"] == 3
    overall = result.groups["overall"]
    assert (overall.steps, overall.graphs) == (3, 3)


@pytest.mark.parametrize("kind", ["result-not-object", "nodes-missing", "nodes-not-list"])
def test_in_strict_mode_an_unreadable_plan_scores_nothing_anywhere(kind: str) -> None:
    result = evaluated(kind, "strict")
    assert result.counts["unreadable"] == 1
    overall = result.groups["overall"]
    # Two perfect samples of three: recall 2/3, precision 1.
    assert overall.node_f1 == overall.edge_f1 == overall.v_f1 == pytest.approx(0.8)
    assert overall.ned == pytest.approx(1 / 3)
    assert overall.rouge1 == overall.graph_accuracy == pytest.approx(2 / 3)


def test_a_broken_argument_stands_for_no_argument_never_for_the_one_before() -> None:
    """The published code scored the last good argument again, here gold's own."""
    gold = {"id": "1", "type": "chain", **R()}
    broken = first_arguments(R(), ["<node-9>"])
    overall = evaluate(
        [gold], [{"id": "1", "result": broken}], load_tool_graph("multimedia")
    ).groups["overall"]
    assert overall.v_f1 == pytest.approx(2 / 3)  # one of two found, nothing invented


@modes
def test_a_prediction_that_is_not_there_is_counted(mode: str) -> None:
    gold = [{"id": id_, "type": "chain", **R()} for id_ in ("1", "2")]
    result = evaluate(gold, [{"id": "1", "result": R()}], load_tool_graph("multimedia"), mode)
    assert result.counts["missing"] == 1
    assert result.counts["scored"] == (2 if mode == "strict" else 1)
    assert result.groups["overall"].node_f1 == pytest.approx(2 / 3 if mode == "strict" else 1)


@modes
def test_a_row_without_a_result_is_unreadable(mode: str) -> None:
    result = evaluate(
        [{"id": "1", "type": "chain", **R()}], [{"id": "1"}], load_tool_graph("multimedia"), mode
    )
    assert result.faults == {"result-missing": 1}
    assert result.counts["unreadable"] == 1
    assert result.groups["overall"].graphs == (1 if mode == "strict" else 0)


@modes
@pytest.mark.parametrize("kind", FILE_FAULTS)
def test_a_wrong_line_of_a_file_is_named_and_passed_over(
    kind: str, mode: str, tmp_path: Path
) -> None:
    gold, predictions = tmp_path / "gold.jsonl", tmp_path / "predictions.jsonl"
    gold.write_text(json.dumps({"id": "good", "type": "chain", **R()}))
    good = json.dumps({"id": "good", "result": R()})
    predictions.write_text("\n".join([FILE_FAULTS[kind], good]))
    result = evaluate_files(gold, predictions, load_tool_graph("multimedia"), mode)
    assert result.faults == {kind: 1}
    assert result.counts["predictions"] == 2
    assert result.groups["overall"].v_f1 == 1.0


def test_a_gold_file_without_samples_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text("nothing here\n")
    (tmp_path / "predictions.jsonl").write_text("")
    with pytest.raises(TaskFileError, match="holds no sample with an id"):
        evaluate_files(
            tmp_path / "gold.jsonl", tmp_path / "predictions.jsonl", load_tool_graph("multimedia")
        )


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match=r"nowhere\.jsonl: cannot be read"):
        evaluate_files(
            tmp_path / "nowhere.jsonl", tmp_path / "nowhere.jsonl", load_tool_graph("multimedia")
        )
