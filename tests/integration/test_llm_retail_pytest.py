"""The bundled retail suite through pytest and its workers: in bad weather, recorded, replayed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from chat_server import ChatServer
from test_llm_recording import told
from test_llm_retail_run import GoldPlayer, bad_weather

from pytest_taubench.bundled import suites_root
from pytest_taubench.schema import Task
from pytest_taubench.task_files import read_task_file

if TYPE_CHECKING:
    from conftest import Shop

TELLING_USER = '''
class User:
    """Says its whole instruction at once, so that the server knows which task is played."""

    def __init__(self, context):
        self.instruction = context.instruction

    def respond(self, text):
        if text is None:
            return self.instruction
        return "Yes, go on." if "anything else" not in text else "No, thanks. ###STOP###"
'''


class GoldByInstruction(GoldPlayer):
    """Plays the annotation of the task whose instruction it is told."""

    def __init__(self, tasks: list[Task]) -> None:
        super().__init__(tasks)
        self._by_instruction = {task.instruction: task for task in tasks}

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        task = self._by_instruction[messages[1]["content"]]
        return super().__call__(
            [{"role": "system", "content": f"task: {task.id}"}, *messages[1:]], tools
        )


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    files = sorted((suites_root() / "retail").glob("*.tau.yaml"))
    return [task for file in files for task in read_task_file(file, None).tasks]


@pytest.fixture
def gold_server(tasks: list[Task]) -> Iterator[ChatServer]:
    server = ChatServer(GoldByInstruction(tasks))
    yield server
    server.close()


@pytest.fixture
def args(shop: Shop, gold_server: ChatServer) -> tuple[str, ...]:
    shop.write("telling_user.py", TELLING_USER)
    return (
        "--tau-suite=retail",
        "--tau-agent=tool-calling",
        "--tau-agent-model=gold",
        "--tau-user=telling_user.py:User",
        f"--tau-base-url={gold_server.url}",
        "-q",
    )


def test_in_bad_weather_every_trial_is_scored_none_lost_and_none_run_twice(
    shop: Shop, args: tuple[str, ...], gold_server: ChatServer, tasks: list[Task]
) -> None:
    gold_server.weather = bad_weather(3)
    result = shop.run(*args, "-n2", "--tau-concurrency=8")
    result.assert_outcomes(passed=len(tasks))
    records = shop.records()
    assert Counter(record.task_id for record in records) == Counter(task.id for task in tasks)
    assert {(record.outcome, record.reward) for record in records} == {("scored", 1.0)}
    # A trial's calls grow its conversation, so a request that comes again was one that failed.
    answered = sum(record.usage["agent"].calls for record in records)
    asked = Counter(json.dumps(request["messages"]) for request in gold_server.requests)
    assert len(asked) == answered, "no answered request is asked again"
    assert len(gold_server.requests) > answered, "there was bad weather"


def test_a_recorded_suite_replays_to_the_same_records(
    shop: Shop, args: tuple[str, ...], gold_server: ChatServer, tasks: list[Task]
) -> None:
    few = (*args, "-k", "cancellations or returns", "--tau-trials=2", "-n2")
    shop.run(*few, "--tau-record=tapes")
    recorded = told(shop.records())
    assert {record["reward"] for record in recorded.values()} == {1.0}
    gold_server.close()
    shop.run(*few, "--tau-replay=tapes")
    assert told(shop.records()) == recorded
