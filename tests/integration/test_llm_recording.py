"""--tau-record, --tau-replay and --tau-proxy, through pytest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

from pytest_taubench.schema import TrialRecord

if TYPE_CHECKING:
    from conftest import Shop

SDK_AGENT = '''
from openai import OpenAI

class Agent:
    """An agent as a project has it, that takes its base URL from the context."""

    def __init__(self, context):
        self.tools = list(context.tool_schemas)
        self.client = OpenAI(base_url=context.model.base_url, api_key="the-agents-own-key")

    def step(self, messages):
        return self.client.chat.completions.create(
            model="their-model", messages=messages, tools=self.tools
        )

    def close(self):
        self.client.close()
'''


def told(records: list[TrialRecord]) -> dict[str, dict[str, Any]]:
    """All of each record but when, how fast and in which process it came about."""
    varies = {"started", "duration", "worker"}
    return {record.nodeid: record.model_dump(exclude=varies) for record in records}


@pytest.fixture
def endpoint(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> ChatServer:
    chat_server.behave = by_role
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-write-me")
    return chat_server


def args_of(endpoint: ChatServer) -> tuple[str, ...]:
    return (
        "--tau-agent=tool-calling",
        "--tau-user=llm",
        "--tau-agent-model=m",
        "--tau-user-model=u",
        "--tau-trials=3",
        f"--tau-base-url={endpoint.url}",
    )


def test_a_recorded_run_is_replayed_to_the_same_records_without_key_or_endpoint(
    shop: Shop,
    endpoint: ChatServer,
    plugin_args: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shop.tasks()
    shop.run(*args_of(endpoint), "--tau-record=tapes", "-n2").assert_outcomes(passed=6)
    recorded = told(shop.records())
    assert len(recorded) == 6
    endpoint.close()
    monkeypatch.delenv("OPENAI_API_KEY")
    # The recording holds no address, so that it serves wherever it was made.
    elsewhere = [a for a in args_of(endpoint) if "base-url" not in a]
    result = shop.run(*elsewhere, "--tau-replay=tapes", *plugin_args)
    result.assert_outcomes(passed=6)
    assert told(shop.records()) == recorded


def test_recordings_are_named_by_task_and_trial_and_hold_no_key(
    shop: Shop, endpoint: ChatServer
) -> None:
    shop.tasks()
    shop.run(*args_of(endpoint), "--tau-record=tapes")
    folder = shop.path / "tapes"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("trial-*.json")}
    assert names == {
        f"tasks/orders.tau.yaml/{task}/trial-{n}.json"
        for task in ("cancel-a1", "total-of-a2")
        for n in (1, 2, 3)
    }
    texts = [path.read_text(encoding="utf-8") for path in shop.path.rglob("*") if path.is_file()]
    assert not any("sk-do-not-write-me" in text for text in texts)


def test_tasks_of_one_id_in_two_files_of_a_suite_keep_recordings_of_their_own(
    shop: Shop, endpoint: ChatServer
) -> None:
    shop.many_tasks(1, "tasks/one.tau.json")
    shop.many_tasks(1, "tasks/two.tau.json")
    shop.run(*args_of(endpoint), "--tau-record=tapes").assert_outcomes(passed=6)
    endpoint.close()
    shop.run(*args_of(endpoint), "--tau-replay=tapes").assert_outcomes(passed=6)


def test_a_task_that_a_python_test_runs_is_recorded_and_replayed(
    shop: Shop, endpoint: ChatServer
) -> None:
    shop.tasks()
    shop.write(
        "test_orders.py",
        "def test_it(tau_run):\n"
        "    record = tau_run('tasks/orders.tau.yaml::cancel-a1', trial=2)\n"
        "    assert record.reward == 1\n",
    )
    args = ("test_orders.py", *args_of(endpoint))
    shop.run(*args, "--tau-record=tapes").assert_outcomes(passed=1)
    endpoint.close()
    shop.run(*args, "--tau-replay=tapes").assert_outcomes(passed=1)


def test_a_replay_that_asks_something_else_says_which_turn_differs_and_how(
    shop: Shop, endpoint: ChatServer
) -> None:
    shop.tasks()
    shop.run(*args_of(endpoint), "--tau-record=tapes")
    shop.write("shop/policy.md", "Cancel nothing.")
    result = shop.run(*args_of(endpoint), "--tau-replay=tapes")
    assert result.ret != 0
    assert {record.outcome for record in shop.records()} == {"unscored"}
    result.stdout.fnmatch_lines(
        [
            "*no recorded reply for agent turn 1 of*",
            '*- "content": "Cancel what you are asked to cancel."',
            '*+ "content": "Cancel nothing."',
        ]
    )


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--tau-record=a", "--tau-replay=."), "*--tau-record and --tau-replay exclude*"),
        (("--tau-replay=absent",), "*--tau-replay: there is no folder *absent*"),
        (("--tau-rpm=0",), "*--tau-rpm*'0' is not valid*"),
        (("--tau-max-cost=much",), "*--tau-max-cost*expected a positive amount*"),
        (("--tau-examples=absent.json",), "*--tau-examples*absent.json*"),
        (("--tau-base-url=http://me:secret@host/v1",), "*--tau-base-url*user and password*"),
    ],
)
def test_options_that_cannot_be_followed_are_refused_before_anything_runs(
    shop: Shop, args: tuple[str, ...], says: str
) -> None:
    shop.tasks()
    result = shop.run("--tau-agent=oracle", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([says])


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_an_agent_with_its_own_sdk_is_recorded_and_replayed_through_the_proxy(
    shop: Shop, endpoint: ChatServer, workers: str
) -> None:
    shop.tasks()
    shop.write("sdk_agent.py", SDK_AGENT)
    args = ("--tau-agent=sdk_agent.py", "--tau-proxy", f"--tau-base-url={endpoint.url}", workers)
    shop.run(*args, "--tau-record=tapes").assert_outcomes(passed=2)
    recorded = told(shop.records())
    assert sorted(record["usage"]["agent"]["calls"] for record in recorded.values()) == [1, 2]
    assert {request["model"] for request in endpoint.requests} == {"their-model"}
    endpoint.close()
    shop.run(*args, "--tau-replay=tapes").assert_outcomes(passed=2)
    assert told(shop.records()) == recorded
    tapes = (path.read_text() for path in Path(shop.path, "tapes").rglob("*.json"))
    assert not any("the-agents-own-key" in tape for tape in tapes)


def test_a_model_that_attributes_faults_is_recorded_and_replayed_too(
    shop: Shop, endpoint: ChatServer
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if "the test failed" in messages[0]["content"]:
            return '{"why": "It did nothing.", "whose": "agent"}'
        return "I cannot do that." if tools else by_role(messages, tools)

    endpoint.behave = behave
    shop.tasks()
    args = (*args_of(endpoint), "--tau-attribute=judge")
    shop.run(*args, "--tau-record=tapes").assert_outcomes(failed=6)
    recorded = told(shop.records())
    assert {r["attribution"]["model"]["whose"] for r in recorded.values()} == {"agent"}
    endpoint.close()
    shop.run(*args, "--tau-replay=tapes").assert_outcomes(failed=6)
    assert told(shop.records()) == recorded


def test_a_folder_without_any_recording_of_the_run_is_refused_before_the_first_trial(
    shop: Shop, endpoint: ChatServer, plugin_args: tuple[str, ...]
) -> None:
    shop.tasks()
    (shop.path / "elsewhere").mkdir()
    result = shop.run(*args_of(endpoint), "--tau-replay=elsewhere", *plugin_args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    looked_for = "tasks/orders.tau.yaml/cancel-a1/trial-1.json"
    says = f"*--tau-replay: *elsewhere holds no recording of any of the 6 trials *{looked_for}*"
    result.stderr.fnmatch_lines([says])
    assert not (shop.path / ".tau-runs").exists()


def test_a_folder_with_some_recordings_of_the_run_is_replayed(
    shop: Shop, endpoint: ChatServer
) -> None:
    shop.tasks()
    shop.run(*args_of(endpoint), "--tau-record=tapes", "-k", "cancel").assert_outcomes(passed=3)
    result = shop.run(*args_of(endpoint), "--tau-replay=tapes")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sorted(str(record.ending) for record in shop.records()) == (
        ["model_error"] * 3 + ["user_stop"] * 3
    )


def test_a_run_that_asks_no_model_replays_any_folder(shop: Shop) -> None:
    shop.tasks()
    (shop.path / "elsewhere").mkdir()
    shop.run("--tau-agent=my_agent.py", "--tau-replay=elsewhere").assert_outcomes(passed=2)
