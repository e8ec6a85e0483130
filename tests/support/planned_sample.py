"""A sample of two tools, and its trial with a planner given by the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pytest_taubench.schema import RunSettings, Sample, TrialRecord
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.plan_trial import SampleSpec, run_sample
from pytest_taubench.taskbench.planners import (
    PlannerSource,
    planner_source,
)
from pytest_taubench.taskbench.prompt import gold_plan

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
OTHER_FILE = {
    **GOLD,
    "task_nodes": [{**GOLD["task_nodes"][0], "arguments": ["x.mp3"]}, GOLD["task_nodes"][1]],
}


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


def raising(error: Exception) -> Callable[..., Any]:
    def plan(request: str, tools: list[Any]) -> Any:
        raise error

    return plan
