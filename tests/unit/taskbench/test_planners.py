"""What a planner is told, what may be one, and what a model is shown."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from planned_sample import GOLD, SAMPLE, run

from pytest_taubench.errors import (
    TauBenchError,
)
from pytest_taubench.llm.chat import ScriptedModel
from pytest_taubench.schema import Sample
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.planners import (
    ModelPlanner,
    PlanContext,
    PlannerSource,
    pick_demonstrations,
    planner_source,
)
from pytest_taubench.taskbench.prompt import gold_plan


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
