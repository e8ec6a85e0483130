"""The rule agent of the examples holds real conversations about the bundled retail tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_taubench.agents.loading import load_agent
from pytest_taubench.environment.domain import Domain, load_domain
from pytest_taubench.environment.tool import Tool
from pytest_taubench.schema import Ending, RunSettings, Task, TrialRecord
from pytest_taubench.task_files import read_task_file
from pytest_taubench.trial.tau_trial import GoldStates, TrialSpec, run_trial
from pytest_taubench.users.loading import load_user

ROOT = Path(__file__).parent.parent.parent
AGENT = "examples/rule_agent.py:RuleAgent"


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load_domain("retail")


def tasks(domain: Domain) -> list[Task]:
    def tools_of(name: str, base: Path) -> Mapping[str, Tool]:
        return domain.tools

    files = sorted((ROOT / "tasks" / "retail").glob("*.tau.*"))
    return [task for file in files for task in read_task_file(file, tools_of).tasks]


async def play(domain: Domain, chosen: list[Task], trial: int) -> list[TrialRecord]:
    agent, user, states = load_agent(AGENT, ROOT), load_user("scripted", ROOT), GoldStates()
    return [
        await run_trial(
            TrialSpec(task, domain, task.id, "retail", trial, RunSettings(agent=AGENT)),
            agent,
            user,
            states,
        )
        for task in chosen
    ]


def test_it_passes_a_quarter_of_the_retail_tasks_and_not_all(retail: Domain) -> None:
    records = asyncio.run(play(retail, tasks(retail), 1))
    passed = sum(record.reward == 1 for record in records)
    assert len(records) / 4 <= passed < len(records)


def test_every_trial_ends_by_itself_and_without_an_error(retail: Domain) -> None:
    records = asyncio.run(play(retail, tasks(retail), 2))
    assert {record.ending for record in records} <= {Ending.USER_STOP, Ending.TRANSFER}
    assert [record.error for record in records if record.error] == []


def test_it_never_writes_before_a_yes(retail: Domain) -> None:
    for record in asyncio.run(play(retail, tasks(retail), 3)):
        for action in record.actions:
            if action.kind == "write":
                assert action.message_index is not None
                before = record.trajectory[: action.message_index]
                said = [m.content or "" for m in before if m.role == "user"][-1]
                assert said.lower().startswith(("yes", "confirmed")), (record.task_id, said)


def test_trials_of_a_task_differ(retail: Domain) -> None:
    some = tasks(retail)[:10]
    first, second = (asyncio.run(play(retail, some, trial)) for trial in (1, 2))
    openings = [
        (a.trajectory[0].content, b.trajectory[0].content)
        for a, b in zip(first, second, strict=True)
    ]
    assert sum(a != b for a, b in openings) >= 5
