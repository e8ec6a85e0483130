"""The bundled retail suite by models over HTTP, in bad weather, recorded and replayed."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from small_shop import models

from pytest_taubench import (
    Domain,
    GoldStates,
    RunSettings,
    Task,
    TrialRecord,
    TrialSpec,
    load_agent,
    load_domain,
    load_user,
    run_trial,
)
from pytest_taubench.bundled import suites_root
from pytest_taubench.llm.provider import ModelProvider
from pytest_taubench.llm.recording import RecordingModels, ReplayModels
from pytest_taubench.schema import ModelSettings
from pytest_taubench.task_files import read_task_file

AT_A_TIME = 8


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load_domain("retail")


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    files = sorted((suites_root() / "retail").glob("*.tau.yaml"))
    return [task for file in files for task in read_task_file(file, None).tasks]


class GoldPlayer:
    """Plays the annotation over HTTP: the gold calls in one message, the outputs, then a transfer."""

    def __init__(self, tasks: list[Task]) -> None:
        self._tasks = {task.id: task for task in tasks}

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        task = self._tasks[messages[0]["content"].rpartition("task: ")[2]]
        said = sum(message["role"] == "assistant" for message in messages)
        acts = [*self._acts(task), "Is there anything else?"]
        return acts[min(said, len(acts) - 1)]

    def _acts(self, task: Task) -> list[Any]:
        calls = [(action.name, action.arguments) for action in task.actions]
        transfers = [call for call in calls if call[0].startswith("transfer")]
        others = [call for call in calls if call not in transfers]
        spoken = [f"Done. {' and '.join(task.outputs)}"] if task.outputs or not transfers else []
        messages = [wire.tool_calls(*part) for part in (others, transfers) if part]
        return [*messages[: bool(others)], *spoken, *messages[bool(others) :]]


@pytest.fixture
def gold_server(tasks: list[Task]) -> Iterator[ChatServer]:
    server = ChatServer(GoldPlayer(tasks))
    yield server
    server.close()


def bad_weather(seed: int) -> Any:
    """5% of answers are 429, 2% are 500, 1% are cut connections."""
    dice = random.Random(seed)

    def weather() -> wire.Response | None:
        roll = dice.random()
        if roll < 0.05:
            return wire.rate_limited("1")
        if roll < 0.07:
            return wire.server_error()
        return wire.cut_connection() if roll < 0.08 else None

    return weather


def run_all(
    retail: Domain, tasks: list[Task], provider: ModelProvider, trials: int = 1
) -> list[TrialRecord]:
    """Run every task with the tool-calling agent and the scripted user."""
    settings = RunSettings(agent="tool-calling", agent_model=ModelSettings(name="gold"), seed=7)
    agent, user = load_agent("tool-calling", Path()), load_user("scripted", Path())
    gold_states = GoldStates()

    async def one(task: Task, trial: int, gate: asyncio.Semaphore) -> TrialRecord:
        # The policy tells the server which task is played; the agent under test cannot know it.
        spec = TrialSpec(
            task=task,
            domain=retail.with_data(policy=f"task: {task.id}"),
            nodeid=f"retail::{task.id}[trial-{trial}]",
            suite="retail",
            trial=trial,
            settings=settings,
            options={"models": provider.for_trial(f"retail/{task.id}", trial)},
        )
        async with gate:
            return await run_trial(
                spec, agent, user, gold_states, clock=lambda: 0.0, stopwatch=lambda: 0.0
            )

    async def all_of_them() -> list[TrialRecord]:
        gate = asyncio.Semaphore(AT_A_TIME)
        jobs = [one(task, trial, gate) for trial in range(1, trials + 1) for task in tasks]
        return await asyncio.gather(*jobs)

    return asyncio.run(all_of_them())


def test_in_bad_weather_every_trial_is_scored_and_none_is_run_twice(
    retail: Domain, tasks: list[Task], gold_server: ChatServer
) -> None:
    gold_server.weather = bad_weather(1)
    records = run_all(retail, tasks, models(gold_server.url, attempts=8))
    assert [record.error for record in records] == [None] * len(tasks)
    assert {record.outcome for record in records} == {"scored"}
    assert {record.reward for record in records} == {1.0}
    # A trial's calls grow its conversation, so a request that comes again was one that failed.
    answered = sum(record.usage["agent"].calls for record in records)
    asked = Counter(json.dumps(request["messages"]) for request in gold_server.requests)
    assert len(asked) == answered, "no answered request is asked again"
    assert len(gold_server.requests) > answered, "there was bad weather"


def test_replayed_records_are_the_recorded_ones_and_fast(
    retail: Domain, tasks: list[Task], gold_server: ChatServer, tmp_path: Path
) -> None:
    some = tasks[:10]
    recorder = RecordingModels(models(gold_server.url), tmp_path)
    recorded = run_all(retail, some, recorder, trials=10)
    gold_server.close()
    started = time.process_time()  # the machine may have other things to do
    replayed = run_all(retail, some, ReplayModels(tmp_path), trials=10)
    took = time.process_time() - started
    assert replayed == recorded
    assert len(replayed) == 100
    assert took < 5.0, "100 trials replay in under five seconds"
