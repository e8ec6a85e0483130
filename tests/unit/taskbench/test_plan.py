"""A sample's trial: from the request to the planner to the record."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from planned_sample import GOLD, OTHER_FILE, SAMPLE, SWAPPED, answering, raising, run
from taskeval_anew import taskeval_anew

from pytest_taubench.errors import (
    ContextLengthError,
    FatalError,
    InfrastructureError,
)
from pytest_taubench.schema import Ending, PassBar, TrialRecord
from pytest_taubench.taskbench.execution_order import in_execution_order
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.plan_trial import sample_hash


def test_the_oracle_passes() -> None:
    record = run("oracle")
    assert (record.reward, record.outcome, record.ending) == (1.0, "scored", Ending.ANSWERED)
    assert record.metrics["graph_accuracy"] == record.metrics["v_f1"] == 1.0
    assert record.metrics["ned"] == 0.0
    assert record.component("graph") is not None


def test_silence_fails() -> None:
    record = run("silent")
    assert (record.reward, record.outcome, record.ending) == (0.0, "scored", Ending.ANSWERED)
    assert record.metrics["node_f1"] == 0.0


def test_the_record_says_request_gold_prediction_and_faults() -> None:
    record = run(answering({"task_steps": [], "task_nodes": [{"task": "Poem"}], "task_links": []}))
    assert record.kind == "graph"
    assert record.graph is not None
    assert record.graph["request"] == SAMPLE.user_request
    assert record.graph["gold"]["task_nodes"] == SAMPLE.task_nodes
    assert record.graph["prediction"]["task_nodes"] == [{"task": "Poem"}]
    assert [fault.partition(":")[0] for fault in record.graph["faults"]] == [
        "steps-empty",
        "unknown-tool",
        "arguments-missing",
    ]
    assert [message.role for message in record.trajectory] == ["user", "assistant"]
    assert TrialRecord.model_validate_json(record.model_dump_json()) == record


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        (GOLD, 1.0),
        (json.dumps(GOLD), 1.0),
        (f"The plan:\n```json\n{json.dumps(GOLD)}\n```", 1.0),
        ({**GOLD, "task_steps": ["in other words"]}, 1.0),
        (SWAPPED, 1.0),  # listed otherwise, but the same graph
        (OTHER_FILE, 0.0),  # the right graph with a wrong parameter
        ({**GOLD, "task_nodes": GOLD["task_nodes"][:1]}, 0.0),
        ({}, 0.0),
        ("I would transcribe it first.", 0.0),
        ("", 0.0),
        (None, 0.0),
    ],
)
def test_an_item_passes_when_the_graph_is_golds_with_its_parameters(
    answer: Any, reward: float
) -> None:
    record = run(answering(answer))
    assert (record.reward, record.outcome, record.ending) == (reward, "scored", Ending.ANSWERED)


@pytest.mark.parametrize(
    ("metric", "at_least", "reward"),
    [("node_f1", 1.0, 1.0), ("v_f1", 0.5, 1.0), ("v_f1", 0.51, 0.0), ("ned", 1.0, 1.0)],
)
def test_a_file_may_ask_for_another_bar(metric: str, at_least: float, reward: float) -> None:
    bar = PassBar(metric=metric, at_least=at_least)
    record = run(answering(OTHER_FILE), SAMPLE.model_copy(update={"pass_bar": bar}))
    assert record.reward == reward


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (ValueError("bad luck"), Ending.AGENT_ERROR),
        (ContextLengthError("too long"), Ending.CONTEXT_LENGTH),
    ],
)
def test_a_planners_own_fault_is_scored_zero(error: Exception, ending: Ending) -> None:
    record = run(raising(error))
    assert (record.reward, record.outcome, record.ending) == (0.0, "scored", ending)
    assert record.error is not None
    assert str(error) in record.error.message
    assert record.metrics["ned"] == 1.0


def test_an_answer_of_another_type_is_the_planners_fault() -> None:
    record = run(answering(7))
    assert (record.reward, record.ending) == (0.0, Ending.AGENT_ERROR)
    assert record.error is not None
    assert "gave a int; expected a dict with task_nodes, or text" in record.error.message


@pytest.mark.parametrize(
    "error", [ConnectionError("down"), InfrastructureError("down", source="model")]
)
def test_a_fault_of_the_endpoint_is_unscored(error: Exception) -> None:
    record = run(raising(error))
    assert (record.reward, record.outcome, record.ending) == (None, "unscored", Ending.MODEL_ERROR)
    assert record.metrics == {}


def test_a_fatal_error_ends_the_run() -> None:
    with pytest.raises(FatalError):
        run(raising(FatalError("the key is refused")))


def test_a_planner_that_takes_too_long_is_scored_zero() -> None:
    async def plan(request: str, tools: list[Any]) -> dict[str, Any]:
        await asyncio.sleep(30)
        return GOLD

    record = run(plan, timeout=0.05)
    assert (record.reward, record.ending) == (0.0, Ending.AGENT_TIMEOUT)


def test_the_oracle_lists_published_gold_in_order_of_execution() -> None:
    graph = load_tool_graph("multimedia")
    ordered = in_execution_order(SWAPPED, graph)
    assert ordered["task_nodes"] == GOLD["task_nodes"]
    assert in_execution_order(GOLD, graph) == GOLD
    record = run("oracle", SAMPLE.model_copy(update={"task_nodes": SWAPPED["task_nodes"]}))
    assert (record.reward, record.metrics["ned"]) == (1.0, 0.0)


def test_the_hash_tells_another_annotation_but_not_another_note() -> None:
    assert sample_hash(SAMPLE) == sample_hash(SAMPLE.model_copy(update={"notes": "checked"}))
    assert sample_hash(SAMPLE) != sample_hash(SAMPLE.model_copy(update={"user_request": "x"}))


def test_records_give_taskeval_by_domain_without_what_is_unscored() -> None:
    records = [run("oracle"), run("silent"), run(raising(ConnectionError())), run(answering("?"))]
    results = taskeval_anew(records, load_tool_graph)
    assert results.keys() == {"multimedia"}
    result = results["multimedia"]
    assert (result.counts["gold"], result.counts["missing"]) == (3, 1)
    # Two tools found of three times two, none invented.
    assert result.groups["overall"].node_f1 == pytest.approx(2 * 2 / (2 * 2 + 4))
    assert result.groups["chain"] == result.groups["overall"] == result.groups["2"]
    assert taskeval_anew([], load_tool_graph) == {}
