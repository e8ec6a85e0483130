"""The reference benchmarks' own data, read by ``--tau-data`` and run."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.agents.loading import load_agent
from pytest_taubench.environment.domain import DomainLibrary
from pytest_taubench.schema import RunSettings, Task, TrialRecord
from pytest_taubench.task_files.upstream import DataSuite, read_data
from pytest_taubench.trial.tau_trial import GoldStates, TrialSpec, run_trial
from pytest_taubench.users.loading import load_user


@pytest.fixture(scope="module")
def suites(upstream: Path) -> dict[str, DataSuite]:
    names = ["retail", "retail-dev", "airline"]
    found = read_data(upstream / "tau-bench", DomainLibrary().get, names)
    return {suite.name: suite for suite in found}


def _published(upstream: Path, name: str, split: str = "test") -> list[dict[str, Any]]:
    path = upstream / "tau-bench" / name / f"tasks_{split}.json"
    content: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize(
    ("suite", "domain", "split", "size"),
    [
        ("retail", "retail", "test", 115),
        ("retail-dev", "retail", "dev", 20),
        ("airline", "airline", "test", 50),
    ],
)
def test_every_task_is_read_as_it_was_published(
    suites: dict[str, DataSuite], upstream: Path, suite: str, domain: str, split: str, size: int
) -> None:
    tasks = suites[suite].tasks
    published = _published(upstream, domain, split)
    assert len(published) == size
    assert suites[suite].problems == []
    assert [_as_published(task) for task in tasks] == published
    assert [task.id for task in tasks] == [str(i) for i in range(size)]


def _as_published(task: Task) -> dict[str, Any]:
    return {
        "user_id": task.user_id,
        "instruction": task.instruction,
        "actions": [{"name": a.name, "kwargs": a.arguments} for a in task.actions],
        "outputs": task.outputs,
    }


def test_the_default_is_the_test_split_of_each_domain(upstream: Path) -> None:
    found = read_data(upstream / "tau-bench")
    assert {suite.name: len(suite.tasks) for suite in found} == {"retail": 115, "airline": 50}


def test_each_domain_has_the_upstream_records(suites: dict[str, DataSuite], upstream: Path) -> None:
    for name, tables in [
        ("retail", ("orders", "products", "users")),
        ("airline", ("flights", "reservations", "users")),
    ]:
        domain = suites[name].domain
        assert domain is not None
        assert set(domain.database.tables) == set(tables)
        for table in tables:
            raw = json.loads((upstream / "tau-bench" / name / f"{table}.json").read_text())
            assert len(domain.database.table(table)) == len(raw)


def _oracle(suite: DataSuite) -> list[TrialRecord]:
    assert suite.domain is not None
    agent, user = load_agent("oracle", Path()), load_user("scripted", Path())
    gold_states, records = GoldStates(), []
    for task in suite.tasks:
        nodeid = f"{suite.name}::{task.id}[trial-1]"
        spec = TrialSpec(task, suite.domain, nodeid, suite.name, 1, RunSettings())
        records.append(asyncio.run(run_trial(spec, agent, user, gold_states)))
    return records


@pytest.mark.parametrize(("name", "failing"), [("retail", 19), ("airline", 0)])
def test_the_oracle_has_reward_1_on_every_task_and_failing_gold_is_said(
    suites: dict[str, DataSuite], upstream: Path, name: str, failing: int
) -> None:
    records = _oracle(suites[name])
    assert Counter(record.reward for record in records) == {1.0: len(records)}
    expected = json.loads(
        (upstream / "tau-bench" / name / "expected_test.json").read_text(encoding="utf-8")
    )
    fail_in_reference = [str(e["task"]) for e in expected if "error" in e["actions"]]
    assert len(fail_in_reference) == failing
    said = [r.task_id for r in records if any(n.startswith("gold action ") for n in r.notes)]
    assert said == fail_in_reference


@pytest.mark.parametrize(
    ("case", "graph", "size"),
    [
        ("dl_gold13", "dailylife", 13),
        ("hf_gold10", "huggingface", 10),
        ("mm_gold21", "multimedia", 21),
        ("mm_pseudo", "multimedia", 465),
    ],
)
def test_taskbench_gold_is_read_as_it_was_published(
    upstream: Path, case: str, graph: str, size: int
) -> None:
    folder = upstream / "taskbench" / "cases" / case
    (suite,) = read_data(folder)
    lines = (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    published = [json.loads(line) for line in lines]
    assert (suite.problems, len(published)) == ([], size)
    assert {sample.domain for sample in suite.samples} == {graph}
    kept = ("id", "user_request", "task_steps", "task_nodes", "task_links", "n_tools", "type")
    assert [{name: getattr(sample, name) for name in kept} for sample in suite.samples] == [
        {name: entry[name] for name in kept} for entry in published
    ]
