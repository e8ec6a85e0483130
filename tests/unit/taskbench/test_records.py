"""TaskEval of a run, from what its records counted and anew from their plans."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest
from taskeval_anew import taskeval_anew

from pytest_taubench.bundled import suites_root
from pytest_taubench.schema import RunSettings, Sample, TrialRecord
from pytest_taubench.task_files import read_task_file
from pytest_taubench.taskbench.graph_file import GraphLibrary, load_tool_graph
from pytest_taubench.taskbench.plan_trial import SampleSpec, run_sample
from pytest_taubench.taskbench.planners import planner_source
from pytest_taubench.taskbench.prompt import gold_plan
from pytest_taubench.taskbench.records import (
    overall_of_records,
    run_taskeval,
)


def spoiled(sample: Sample, generator: random.Random) -> Any:
    """Return gold's plan with some of it changed, or no plan at all."""
    plan = json.loads(json.dumps(gold_plan(sample)))
    match generator.randrange(6):
        case 0:
            return "no plan"
        case 1:
            plan["task_nodes"] = plan["task_nodes"][1:]
        case 2:
            plan["task_nodes"].append({"task": "No Such Tool", "arguments": []})
        case 3:
            plan["task_steps"] = [step.upper()[:20] for step in plan["task_steps"]]
        case 4:
            plan["task_links"] = plan["task_links"][1:]
    return plan


@pytest.fixture(scope="module")
def records() -> list[TrialRecord]:
    generator = random.Random(5)
    found = []
    for file in sorted(suites_root().glob("*/*.tau.jsonl")):
        for sample in read_task_file(file).samples:
            answer = spoiled(sample, generator)
            graph = load_tool_graph(sample.domain)
            spec = SampleSpec(
                sample, graph, f"{file.name}::{sample.id}[trial-1]", "s", 1, RunSettings()
            )
            source = planner_source("mine", lambda request, tools, answer=answer: answer)
            found.append(asyncio.run(run_sample(spec, source)))
    return found


def test_the_counts_in_records_add_up_to_the_same_as_scoring_anew(
    records: list[TrialRecord],
) -> None:
    counted = run_taskeval(records)
    anew = taskeval_anew(records, load_tool_graph)
    assert sorted(counted) == sorted(anew)
    assert {len(each.groups) for each in counted.values()} == {14}
    for domain, result in counted.items():
        assert result.groups == anew[domain].groups
        assert result.counts["gold"] == anew[domain].counts["gold"] == 50


def test_counts_survive_the_store(records: list[TrialRecord]) -> None:
    stored = [TrialRecord.model_validate_json(record.model_dump_json()) for record in records]
    assert run_taskeval(stored) == run_taskeval(records)
    assert overall_of_records(stored) == overall_of_records(records)


def test_the_overall_figures_pool_all_graphs(records: list[TrialRecord]) -> None:
    figures = overall_of_records(records)
    by_graph = run_taskeval(records)
    # Means over samples pool by the number of samples, which is 50 of each graph.
    for name in ("rouge1", "ned", "graph_accuracy"):
        mean = sum(getattr(each.groups["overall"], name) for each in by_graph.values()) / 3
        assert figures[name] == pytest.approx(mean)
    assert overall_of_records([]) == {}


def test_answers_without_a_plan_are_unreadable_and_silence_is_missing() -> None:
    graph = load_tool_graph("huggingface")
    file = next(suites_root().glob("*/huggingface.tau.jsonl"))
    found = []
    for sample, answer in zip(read_task_file(file).samples, ("words", "", None), strict=False):
        spec = SampleSpec(sample, graph, f"x::{sample.id}[trial-1]", "s", 1, RunSettings())
        source = planner_source("mine", lambda request, tools, answer=answer: answer)
        found.append(asyncio.run(run_sample(spec, source)))
    result = run_taskeval(found)["huggingface"]
    assert result.faults == {"answer-empty": 2, "answer-not-json": 1}
    assert (result.counts["unreadable"], result.counts["missing"]) == (1, 2)
    assert result.groups["overall"].node_f1 == 0


def test_a_library_loads_each_graph_once(tmp_path: Any) -> None:
    library = GraphLibrary()
    name = "multimedia"
    assert library.get(name, tmp_path) is library.get(name, tmp_path / "elsewhere")
