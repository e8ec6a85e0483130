"""--tau-record where it cannot write: each trial keeps its true outcome, and the run says what is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role
from test_llm_recording import SDK_AGENT

if TYPE_CHECKING:
    from conftest import Shop

FULL_DISK = """
import resource

def pytest_configure(config):
    # Only the policy, which lies in the folder once, is longer.
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
"""


@pytest.fixture
def args(shop: Shop, chat_server: ChatServer) -> tuple[str, ...]:
    chat_server.behave = by_role
    shop.many_tasks(3)
    return ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={chat_server.url}")


def in_the_way(shop: Shop, task: str) -> None:
    """Put a folder where a recording must be."""
    shop.write(f"tapes/tasks/many.tau.json/{task}/trial-1.json/here", "I was here before.")


def problems(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("problem: ")]


@pytest.mark.parametrize("agent", ["built-in", "proxied"])
def test_a_recording_that_cannot_be_written_costs_no_reward_and_is_said_once(
    shop: Shop, args: tuple[str, ...], plugin_args: tuple[str, ...], agent: str
) -> None:
    if agent == "proxied":
        shop.write("sdk_agent.py", SDK_AGENT)
        args = ("--tau-agent=sdk_agent.py", "--tau-proxy", *args[2:])
    in_the_way(shop, "t1")
    result = shop.run(*args, "--tau-record=tapes", *plugin_args)
    assert shop.rewards() == {f"t{n}[trial-1]": 1 for n in range(3)}
    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (line,) = problems(result)
    assert line.startswith(f"problem: 1 recording is not kept in {shop.path / 'tapes'}: ")
    assert "directory" in line.casefold()
    assert line.endswith(": tasks/many.tau.json::t1[trial-1]")
    kept = {path.parent.name for path in shop.path.glob("tapes/tasks/*/*/*.json") if path.is_file()}
    assert kept == {"t0", "t2"}
    assert not list(shop.path.rglob("*.part"))
    # What is kept is whole.
    shop.run(*args, "--tau-replay=tapes", "-k", "t0 or t2").assert_outcomes(passed=2)


def test_a_full_disk_loses_recordings_and_no_trial(shop: Shop, args: tuple[str, ...]) -> None:
    pytest.importorskip("resource", reason="limits of a file's size are of POSIX")
    shop.write("shop/policy.md", "Cancel what you are asked to cancel. " * 4000)
    shop.write("conftest.py", FULL_DISK)
    result = shop.run_apart(*args, "--tau-record=tapes", "--tau-gate=pass^1>=0.5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED, "gates that hold do not hide it"
    assert [record.reward for record in shop.records()] == [1, 1, 1]
    (line,) = problems(result)
    assert line.startswith("problem: 3 recordings are not kept in ")
    assert "File too large" in line
    assert not list(shop.path.glob("tapes/tasks/**/trial-*.json"))


def test_a_recording_of_an_earlier_run_does_not_stand_for_one_that_is_lost(
    shop: Shop, args: tuple[str, ...]
) -> None:
    pytest.importorskip("resource", reason="limits of a file's size are of POSIX")
    shop.run(*args, "--tau-record=tapes").assert_outcomes(passed=3)
    shop.write("shop/policy.md", "Cancel what you are asked to cancel. " * 4000)
    shop.write("conftest.py", FULL_DISK)
    shop.run_apart(*args, "--tau-record=tapes")
    assert not list(shop.path.glob("tapes/tasks/**/trial-*.json"))


def test_a_trial_that_was_lost_is_none_of_an_agent_that_fails(
    shop: Shop, args: tuple[str, ...], chat_server: ChatServer
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        return "I cannot."

    chat_server.behave = behave
    in_the_way(shop, "t1")
    shop.run(*args, "--tau-record=tapes")
    assert [(str(each.ending), each.reward) for each in shop.records()] == [("user_stop", 0)] * 3


def test_a_task_that_a_python_test_runs_is_counted_too(shop: Shop, args: tuple[str, ...]) -> None:
    shop.write("tapes/test_orders.py/test_it/t1/trial-2.json/here", "I was here before.")
    shop.write(
        "test_orders.py",
        "def test_it(tau_run):\n"
        "    assert tau_run('tasks/many.tau.json::t1', trial=2).reward == 1\n",
    )
    result = shop.run("test_orders.py", *args, "--tau-record=tapes")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (line,) = problems(result)
    assert "1 recording is not kept" in line


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_paid_for(
    shop: Shop, args: tuple[str, ...], chat_server: ChatServer
) -> None:
    shop.write("taken", "a file")
    (shop.path / "astray").symlink_to(shop.path / "nowhere" / "at" / "all")

    for folder in ("taken", "taken/tapes", "astray"):
        result = shop.run(*args, f"--tau-record={folder}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR, folder
        result.stderr.fnmatch_lines([f"*--tau-record: *{folder}*"])
    assert chat_server.requests == []
    assert not (shop.path / ".tau-runs").exists()


def test_a_folder_is_written_in_before_it_is_trusted_and_left_as_it_was(
    shop: Shop, args: tuple[str, ...]
) -> None:
    shop.run(*args, "--tau-record=tapes", "--collect-only")
    assert not (shop.path / "tapes").exists()
    shop.run(*args, "--tau-record=tapes").assert_outcomes(passed=3)
    names = {path.name for path in (shop.path / "tapes").iterdir()}
    assert names == {"prompts", "tasks"}
    for tape in (shop.path / "tapes").glob("tasks/**/trial-*.json"):
        assert json.loads(tape.read_text(encoding="utf-8"))["format"] == 1
