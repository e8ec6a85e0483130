"""A sample's trial: from the request to the planner to the record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from pytest_taubench.errors import (
    ContextLengthError,
    FatalError,
    InfrastructureError,
    TauBenchError,
)
from pytest_taubench.llm.scripted import ScriptedModel
from pytest_taubench.schema import Ending, PassBar, RunSettings, Sample, TrialRecord
from pytest_taubench.taskbench.execution_order import in_execution_order
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.plan import SampleSpec, run_sample, sample_hash
from pytest_taubench.taskbench.planners import (
    ModelPlanner,
    PlanContext,
    PlannerSource,
    pick_demonstrations,
    planner_source,
)
from pytest_taubench.taskbench.prompt import gold_plan
from pytest_taubench.taskbench.records import taskeval_of_records

SAMPLE = Sample(
    id="talk",
    domain="multimedia",
    type="chain",
    n_tools=2,
    user_request="Write down talk.mp3 and summarise it.",
    task_steps=["Write the talk down", "Summarise it"],
    task_nodes=[
        {"task": "Audio-to-Text", "arguments": ["talk.mp3"]},
        {"task": "Text Summarizer", "arguments": ["<node-0>"]},
    ],
    task_links=[{"source": "Audio-to-Text", "target": "Text Summarizer"}],
)
GOLD = gold_plan(SAMPLE)
SWAPPED = {
    **GOLD,
    "task_nodes": [
        {"task": "Text Summarizer", "arguments": ["<node-1>"]},
        {"task": "Audio-to-Text", "arguments": ["talk.mp3"]},
    ],
}
OTHER_FILE = {**GOLD, "task_nodes": [{**GOLD["task_nodes"][0], "arguments": ["x.mp3"]}, GOLD["task_nodes"][1]]}  # fmt: skip


def run(
    source: PlannerSource | Callable[..., Any] | str,
    sample: Sample = SAMPLE,
    **settings: Any,
) -> TrialRecord:
    if isinstance(source, str):
        source = planner_source(source)
    elif not isinstance(source, PlannerSource):
        source = planner_source("mine", source)
    spec = SampleSpec(
        sample=sample,
        graph=load_tool_graph(sample.domain),
        nodeid=f"t::{sample.id}[trial-1]",
        suite="taskbench",
        trial=1,
        settings=RunSettings(**settings),
    )
    return asyncio.run(run_sample(spec, source))


def answering(answer: Any) -> Callable[..., Any]:
    return lambda request, tools: answer


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


def test_the_planner_gets_request_tools_and_format_but_no_gold() -> None:
    seen: list[Any] = []

    def plan(request: str, tools: list[dict[str, Any]], answer_format: str) -> dict[str, Any]:
        seen.extend([request, tools, answer_format])
        return GOLD

    assert run(plan).reward == 1.0
    request, tools, answer_format = seen
    assert request == SAMPLE.user_request
    assert tools[0].keys() == {"name", "description", "inputs", "outputs"}
    assert len(tools) == 40
    assert "task_nodes" in answer_format
    assert "talk.mp3" not in json.dumps(tools) + answer_format


def test_an_async_planner_is_awaited() -> None:
    async def plan(request: str, tools: list[Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return GOLD

    assert run(plan).reward == 1.0


def test_a_conversational_agent_gets_the_conversation() -> None:
    def agent(messages: list[dict[str, Any]], tools: list[Any]) -> dict[str, Any]:
        assert [message["role"] for message in messages] == ["system", "user"]
        assert messages[1]["content"] == SAMPLE.user_request
        return {"role": "assistant", "content": json.dumps(GOLD)}

    assert run(agent).reward == 1.0


def raising(error: Exception) -> Callable[..., Any]:
    def plan(request: str, tools: list[Any]) -> Any:
        raise error

    return plan


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


@pytest.mark.parametrize("target", [lambda request: None, 3, dict])
def test_what_cannot_plan_is_refused(target: Any) -> None:
    with pytest.raises(TauBenchError, match=r"expected plan\(request, tools\)"):
        planner_source("mine", target)


def model_source(model: ScriptedModel, demonstrations: list[Sample]) -> PlannerSource:
    def make(context: PlanContext) -> ModelPlanner:
        from dataclasses import replace

        return ModelPlanner(replace(context, demonstrations=demonstrations), model)

    return PlannerSource("model", make)


def test_a_model_plans_zero_shot() -> None:
    model = ScriptedModel([f"```json\n{json.dumps(GOLD)}\n```"])
    record = run(model_source(model, []))
    assert record.reward == 1.0
    assert record.usage["agent"].calls == 1
    assert model.closed
    system, user = model.requests[0]["messages"]
    assert all(name in system["content"] for name in load_tool_graph("multimedia").tools)
    assert user == {"role": "user", "content": SAMPLE.user_request}


def test_demonstrations_are_earlier_turns_of_the_conversation() -> None:
    shot = SAMPLE.model_copy(update={"id": "shot", "user_request": "Summarise a.mp3."})
    model = ScriptedModel([json.dumps(GOLD)])
    run(model_source(model, [shot]))
    messages = model.requests[0]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert json.loads(messages[2]["content"]) == gold_plan(shot)


def test_demonstrations_are_never_scored_samples_and_types_take_turns() -> None:
    pool = [
        SAMPLE.model_copy(
            update={"id": f"{type_}{n}", "type": type_, "user_request": f"{type_} {n}"}
        )
        for type_ in ("single", "chain", "dag")
        for n in range(3)
    ]
    scored = [pool[0], pool[3].model_copy(update={"id": "renamed"})]  # by id, and by request
    picked = pick_demonstrations(pool, scored, 4)
    assert [sample.id for sample in picked] == ["single1", "chain1", "dag0", "single2"]
    with pytest.raises(TauBenchError, match=r"8 demonstrations asked for, and only 7 of 9"):
        pick_demonstrations(pool, scored, 8)


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
    results = taskeval_of_records(records, load_tool_graph)
    assert results.keys() == {"multimedia"}
    result = results["multimedia"]
    assert (result.counts["gold"], result.counts["missing"]) == (3, 1)
    # Two tools found of three times two, none invented.
    assert result.groups["overall"].node_f1 == pytest.approx(2 * 2 / (2 * 2 + 4))
    assert result.groups["chain"] == result.groups["overall"] == result.groups["2"]
    assert taskeval_of_records([], load_tool_graph) == {}


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
