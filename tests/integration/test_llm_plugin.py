"""Model agents and users through pytest itself: options, workers, and the end of a hopeless run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer

if TYPE_CHECKING:
    from conftest import Shop


def shop_agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Cancels A1 where it is asked to, and knows the total of A2."""
    last = messages[-1]
    if last["role"] == "tool":
        return "The order A1 is cancelled."
    if "A1" in last["content"]:
        return wire.tool_calls(("cancel_order", {"order_id": "A1"}))
    return "The total is 7."


def by_role(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Plays the user where the system prompt is a user's, else the agent."""
    if tools:
        return shop_agent(messages, tools)
    if len(messages) > 2:
        return "Thanks. ###STOP###"
    return "Cancel A1." if "A1" in messages[0]["content"] else "What is the total of A2?"


@pytest.fixture
def model_args(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    chat_server.behave = by_role
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return (f"--tau-base-url={chat_server.url}", "--tau-agent-model=m", "--tau-user-model=u")


def test_a_model_agent_passes_its_tasks(
    shop: Shop, model_args: tuple[str, ...], plugin_args: tuple[str, ...]
) -> None:
    shop.tasks()
    shop.run("--tau-agent=tool-calling", *model_args, *plugin_args).assert_outcomes(passed=2)
    usage = [record.usage["agent"] for record in shop.records()]
    assert sorted(each.calls for each in usage) == [1, 2]


def test_a_url_is_an_agent(shop: Shop, chat_server: ChatServer) -> None:
    chat_server.behave = by_role
    shop.tasks()
    shop.run(f"--tau-agent={chat_server.url}").assert_outcomes(passed=2)
    assert {request["model"] for request in chat_server.requests} == {"test-model"}


def test_agent_and_user_may_both_be_models(
    shop: Shop, model_args: tuple[str, ...], chat_server: ChatServer
) -> None:
    shop.tasks()
    result = shop.run("--tau-agent=tool-calling", "--tau-user=llm", *model_args)
    result.assert_outcomes(passed=2)
    assert {request["model"] for request in chat_server.requests} == {"m", "u"}
    assert all(record.usage["user"].calls == 2 for record in shop.records())


def test_arguments_reach_the_models_of_their_role(
    shop: Shop, model_args: tuple[str, ...], chat_server: ChatServer
) -> None:
    shop.tasks()
    shop.run(
        "--tau-agent=tool-calling",
        "--tau-user=llm",
        *model_args,
        "--tau-agent-arg=temperature=0.5",
        "--tau-agent-arg=min_p=0.1",
        "--tau-user-arg=top_p=0.9",
    )
    sampling = {
        request["model"]: {
            k: v for k, v in request.items() if k not in ("model", "messages", "tools")
        }
        for request in chat_server.requests
    }
    assert sampling == {
        "m": {"temperature": 0.5, "min_p": 0.1},
        "u": {"temperature": 1, "top_p": 0.9},
    }


def test_a_refused_key_ends_the_run_after_one_request(
    shop: Shop, model_args: tuple[str, ...], chat_server: ChatServer
) -> None:
    chat_server.behave = lambda messages, tools: wire.error(401, "Incorrect API key provided")
    shop.many_tasks(20)
    result = shop.run("--tau-agent=tool-calling", *model_args)
    assert result.ret != 0
    assert len(chat_server.requests) == 1
    result.stdout.fnmatch_lines(["*Incorrect API key provided*OPENAI_API_KEY*"])


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "*add -s*"),
        (("-n", "1"), "*leave out -n*"),
        (("-s", "--tau-concurrency=2"), "*one trial at a time: leave out --tau-concurrency*"),
    ],
)
def test_a_human_user_is_refused_where_nobody_can_type(
    shop: Shop, args: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # these tests may run in one
    shop.tasks()
    result = shop.run("--tau-agent=my_agent.py", "--tau-user=human", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([says])
    assert not (shop.path / ".tau-runs").exists()
