"""Whatever a planner answers, the record holds it or says that it cannot be held."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from planned_sample import GOLD, answering, run

from pytest_taubench.schema import Ending, TrialRecord


def holding(value: Any) -> dict[str, Any]:
    return {**GOLD, "task_nodes": [{"task": "Audio-to-Text", "arguments": [value]}]}


def nested(levels: int) -> Any:
    value: Any = "talk.mp3"
    for _ in range(levels):
        value = [value]
    return value


def holding_itself() -> dict[str, Any]:
    plan = dict(GOLD)
    plan["plan"] = plan
    return plan


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    "answer",
    [
        holding({"talk.mp3"}),
        holding(object()),
        holding(Unspeakable()),
        holding_itself(),
        {**GOLD, ("a", "b"): 1},
        holding(nested(5000)),
        holding(nested(300)),
        holding(10**5000),
        holding("\ud800"),
        json.dumps(holding(nested(300))),
        "{'task_nodes': [{'task': {'a', 'b'}}]}",
        "x" * 500_000,
        "\ud800",
    ],
    ids=["set", "object", "repr-raises", "itself", "tuple-key", "5000-deep", "300-deep", "10**5000",
         "surrogate", "300-deep-text", "literal-set", "long-text", "surrogate-text"],
)  # fmt: skip
def test_an_answer_that_json_cannot_hold_is_the_planners_fault_and_scores_0(answer: Any) -> None:
    record = run(answering(answer))
    assert (record.outcome, record.reward, record.ending) == ("scored", 0.0, Ending.ANSWERED)
    assert record.graph is not None
    assert record.graph["prediction"] is None
    assert record.graph["faults"][0].partition(":")[0] in ("answer-not-json", "answer-too-long")
    if not isinstance(answer, str):
        assert len(record.trajectory[-1].content or "") <= 2_000
    assert TrialRecord.model_validate_json(record.model_dump_json()) == record


def test_a_planners_mapping_that_is_no_dict_is_read_like_one() -> None:
    nodes = [MappingProxyType(node) for node in GOLD["task_nodes"]]
    assert run(answering(MappingProxyType({**GOLD, "task_nodes": nodes}))).reward == 1.0


def test_a_record_keeps_the_plan_as_it_was_answered() -> None:
    answer = json.loads(json.dumps(GOLD))
    record = run(answering(answer))
    answer["task_nodes"].clear()
    assert record.graph is not None
    assert record.graph["prediction"] == GOLD
