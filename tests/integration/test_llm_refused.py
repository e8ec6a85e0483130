"""An endpoint that answers no request but refuses each as wrong: trials go on only where one was answered."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

MOVED = "http://elsewhere.example:8080/openai/v1"
REFUSALS = {
    "400": (wire.error(400, "tools are not supported"), "answered 400: *tools are not supported*"),
    "413": (wire.error(413, "request entity too large"), "answered 413: *entity too large*"),
    "307": (
        wire.Response(b"", 307, {"Location": f"{MOVED}/chat/completions"}),
        f"answered 307: it redirects to {MOVED}/chat/completions; "
        f"if the model is served there, pass --tau-base-url={MOVED}",
    ),
}


@pytest.fixture
def args(chat_server: ChatServer) -> tuple[str, ...]:
    chat_server.behave = by_role
    return ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={chat_server.url}")


def refuse_agent(server: ChatServer, answer: wire.Response) -> None:
    server.behave = lambda messages, tools: answer if tools else by_role(messages, tools)


@pytest.mark.parametrize(("answer", "says"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_server_that_refuses_every_request_ends_the_run(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], answer: wire.Response, says: str
) -> None:
    # The user's model, on the same server, is answered.
    refuse_agent(chat_server, answer)
    shop.many_tasks(20)
    user = ("--tau-user=llm", "--tau-user-model=m")
    result = shop.run(*args, *user, "--tau-gate=pass^1>=0.5")
    assert result.ret == 6, "a gate cannot tell"
    begins = "no trial can succeed: 3 in a row, of 3 tasks, were refused by their model's endpoint"
    result.stdout.fnmatch_lines([f"*{begins}: the agent's model m at {chat_server.url} {says}*"])
    records = shop.records()
    assert [(each.ending, each.outcome) for each in records] == [("model_error", "unscored")] * 3


def test_workers_end_the_run_as_well(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    refuse_agent(chat_server, wire.error(400, "tools are not supported"))
    shop.many_tasks(40)
    result = shop.run(*args, "-n2", "--tau-gate=pass^1>=0.5")
    assert result.ret == 6
    assert 3 <= len(shop.records()) <= 6


def test_prompts_that_are_refused_do_not_end_a_run_in_which_others_are_answered(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    filtered = wire.error(400, "the prompt was filtered", code="content_filter")
    answered = iter(range(2))  # all of the first trial

    def behave(messages: Any, tools: Any) -> Any:
        return by_role(messages, tools) if next(answered, None) is not None else filtered

    chat_server.behave = behave
    shop.many_tasks(9)
    shop.run(*args)
    assert [each.reward for each in shop.records()] == [1] + [None] * 8


def test_a_replay_ends_where_the_recorded_run_did(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    chat_server.behave = lambda messages, tools: wire.error(400, "tools are not supported")
    shop.many_tasks(20)
    shop.run(*args, "--tau-record=tape", "--tau-run-dir=first")
    result = shop.run(*args, "--tau-replay=tape")
    result.stdout.fnmatch_lines(["*no trial can succeed: 3 in a row, of 3 tasks, were refused *"])
    assert len(shop.records()) == 3


def refuses_second_turns(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Answers each trial's first request, and takes no result of a tool."""
    if messages[-1]["role"] == "tool":
        return wire.error(400, "messages.3: role tool is not supported")
    return by_role(messages, tools)


def test_a_server_that_refuses_every_second_request_ends_the_run_after_ten_trials(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    chat_server.behave = refuses_second_turns
    shop.many_tasks(30)
    result = shop.run(*args, "--tau-record=tape", "--tau-gate=pass^1>=0.5")
    assert result.ret == 6, "a gate cannot tell"
    begins = (
        "no trial can succeed: 10 in a row, of 10 tasks, were refused by their model's endpoint"
    )
    says = "answered 400: *role tool is not supported*"
    result.stdout.fnmatch_lines([f"*{begins}: the agent's model m at {chat_server.url} {says}"])
    assert [each.outcome for each in shop.records()] == ["unscored"] * 10
    again = shop.run(*args, "--tau-replay=tape", "--tau-run-dir=again")
    again.stdout.fnmatch_lines([f"*{begins}: *"])


def test_a_filter_that_refuses_all_but_one_prompt_ends_no_run(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    calls = iter(range(1000))

    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if messages[-1]["role"] == "tool" and next(calls) > 0:
            return wire.error(400, "the prompt was filtered", code="content_filter")
        return by_role(messages, tools)

    chat_server.behave = behave
    shop.many_tasks(25)
    shop.run(*args)
    assert [each.reward for each in shop.records()] == [1] + [None] * 24


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (
            "https://me:hunter2@sso.example/login?key=hunter2#hunter2",
            "https://sso.example/login; --tau-base-url should be the address that serves the model",
        ),
        ("/v2/chat/completions", "/v2/chat/completions; if *, pass --tau-base-url=http://*/v2"),
        (None, "answered 302: it redirects, and does not say where to"),
        ("http://[", "answered 302: it redirects, and does not say where to"),
    ],
    ids=["login", "relative", "nowhere", "no address"],
)
def test_where_a_server_redirects_to_is_said_without_its_secrets(
    shop: Shop,
    chat_server: ChatServer,
    args: tuple[str, ...],
    location: str | None,
    shown: str,
) -> None:
    headers = {} if location is None else {"Location": location}
    chat_server.behave = lambda messages, tools: wire.Response(b"<a>moved</a>", 302, headers)
    shop.many_tasks(1)
    result = shop.run(*args)
    [record] = shop.records()
    assert record.error is not None
    assert fnmatch(record.error.message, f"*{shown}*")
    assert "hunter2" not in result.stdout.str() + record.model_dump_json()
