"""A record that is damaged, or contradicts itself, is refused with file and line: no figure rests on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planned_sample import GOLD, answering, run
from record_factory import record

from pytest_taubench.runs.store import RunStore, StoreError, read_run
from pytest_taubench.schema import Component, Ending, RunInfo, RunSettings

INFO = RunInfo(run_id="run", started="2025-01-02T03:04:05Z", settings=RunSettings())


def with_line(folder: Path, line: str) -> None:
    """Store a run of one whole record and that line."""
    store = RunStore.create(folder, INFO.model_copy(deep=True))
    store.append(record("first", 1, 1.0))
    store.close()
    with (folder / "trials.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(line)


def refusal(folder: Path, line: str) -> str:
    with_line(folder, line)
    with pytest.raises(StoreError) as refused:
        read_run(folder)
    return str(refused.value)


def scored() -> dict[str, Any]:
    values = [Component(name="database", value=1, detail={"counted": True})]
    return record("a", 1, 1.0, components=values).model_dump(mode="json")


def planned() -> dict[str, Any]:
    return run(answering(GOLD)).model_dump(mode="json")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"version": 99}, "version: Input should be 1"),
        ({"reward": 2}, "reward: Value error, 2.0 is neither 0 nor 1"),
        ({"reward": 0.5}, "reward: Value error, 0.5 is neither 0 nor 1"),
        ({"reward": float("nan")}, "NaN is no JSON value"),
        ({"duration": float("inf")}, "Infinity is no JSON value"),
        ({"metrics": {"ned": float("-inf")}}, "-Infinity is no JSON value"),
        ({"reward": None}, "reward: missing, but the trial is scored; expected 0 or 1"),
        ({"outcome": "unscored"}, "reward: 1, but the trial is unscored"),
        ({"ending": "model_error"}, "a trial that ended by model_error is unscored"),
        ({"steps": 10**400}, "steps: Input should be less than or equal to 9007199254740992"),
        ({"usage": {"agent": {"calls": -1}}}, "usage.agent.calls: Input should be greater than"),
        ({"ending": "max_steps"}, "reward: 1, but ending and components make it 0"),
        ({"reward": 0.0}, "reward: 0, but ending and components make it 1"),
        (
            {"components": [{"name": "outputs", "value": 0}]},
            "reward: 1, but ending and components make it 0",
        ),
        ({"components": [{"name": "outputs", "value": 3}]}, "3.0 is neither 0 nor 1"),
    ],
)
def test_a_forged_record_is_refused_with_file_line_and_field(tmp_path, changed, said):
    message = refusal(tmp_path / "run", json.dumps(scored() | changed) + "\n")
    assert message.startswith(f"{tmp_path / 'run' / 'trials.jsonl'}:2: this line is no record: ")
    assert said in message


def test_a_number_too_large_for_any_figure_is_refused(tmp_path):
    line = json.dumps(scored()).replace('"duration": 0.0', '"duration": 1e999') + "\n"
    assert "1e999 is no JSON value" in refusal(tmp_path / "run", line)


def counts(**changed: Any) -> Callable[[dict[str, Any]], None]:
    return lambda graph: graph["counts"].update(changed)


def without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda graph: graph["counts"].pop(name)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (counts(nodes=[1, 0, 0, 0]), "graph.counts.nodes: List should have at most 3 items"),
        (counts(edges=[1]), "graph.counts.edges: List should have at least 3 items"),
        (counts(values=[1, 0, -1]), "graph.counts.values.2: "),
        (counts(names=[1, 0, "1"]), "graph.counts.names.2: "),
        (counts(similarity=7), "graph.counts.similarity: "),
        (counts(rouge=[1.0]), "graph.counts.rouge: "),
        (counts(n_tools="two"), "graph.counts.n_tools: "),
        (counts(other=1), "graph.counts.other: "),
        (without("zero"), "graph.counts.zero: missing beside nodes"),
        (without("answered"), "graph.counts.answered: Field required"),
        (lambda graph: graph.pop("counts"), "graph.counts: Field required"),
        (lambda graph: graph.update(faults=None), "graph.faults: "),
        (lambda graph: graph.update(prediction=[1]), "graph.prediction: "),
        (lambda graph: graph.update(type=1), "graph.type: "),
    ],
)
def test_a_plan_whose_counts_are_of_another_shape_is_refused(tmp_path, damage, said):
    data = planned()
    damage(data["graph"])
    message = refusal(tmp_path / "run", json.dumps(data) + "\n")
    assert message.startswith(f"{tmp_path / 'run' / 'trials.jsonl'}:2: this line is no record: ")
    assert said in message


def test_a_forged_last_line_without_a_line_end_is_not_taken_for_a_torn_one(tmp_path):
    assert ":2: " in refusal(tmp_path / "run", json.dumps(scored() | {"reward": 0.0}))


def test_components_that_did_not_count_contradict_no_reward(tmp_path):
    uncounted = {"name": "outputs", "value": 0, "detail": {"counted": False}}
    data = scored()
    data["components"].append(uncounted)
    with_line(tmp_path / "run", json.dumps(data) + "\n")
    assert [each.reward for each in read_run(tmp_path / "run")[1]] == [1.0, 1.0]


def test_what_trials_leave_is_read_as_it_was(tmp_path):
    records = [
        record(
            "a", 1, 0.0, ending=Ending.MAX_STEPS, components=[Component(name="database", value=1)]
        ),
        record("a", 2, None),
        run(answering(GOLD)),
        run("silent"),
        run(answering("no plan")),
    ]
    store = RunStore.create(tmp_path / "run", INFO.model_copy(deep=True))
    for trial, each in enumerate(records, 1):
        each.trial = trial
        store.append(each)
    store.close()
    assert read_run(tmp_path / "run")[1] == records


@pytest.mark.parametrize("trials", [-1, 100_001, 10**400])
def test_a_plan_that_no_run_can_have_is_refused_before_gates_look_at_each_of_its_trials(
    tmp_path, trials
):
    RunStore.create(tmp_path / "run", INFO.model_copy(deep=True)).close()
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"planned": {"a": trials}}))
    with pytest.raises(StoreError, match=r"run\.json: planned\.a: Input should be"):
        read_run(tmp_path / "run")
