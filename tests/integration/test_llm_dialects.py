"""Servers that speak OpenAI's format in a way of their own, through pytest to the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer, Response
from model_trial import AGENT, CANCEL, agent_does, args_of, play_one, tool_answers, user_says
from small_shop import at_once

from pytest_taubench.llm import wiring
from pytest_taubench.llm.provider import OpenAIModels
from pytest_taubench.llm.retry import Backoff

if TYPE_CHECKING:
    from conftest import Shop

NAME, ARGUMENTS = CANCEL[0], json.dumps(CANCEL[1])
FUNCTION = {"name": NAME, "arguments": ARGUMENTS}


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a request that failed be tried again at once."""

    def hasty(**given: Any) -> OpenAIModels:
        return OpenAIModels(**given | {"backoff": Backoff(sleep=at_once)})

    monkeypatch.setattr(wiring, "OpenAIModels", hasty)


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [{"function": FUNCTION}]},
        {"tool_calls": [{"function": {"name": NAME, "arguments": CANCEL[1]}}]},
        {"tool_calls": {"id": "a", "type": "function", "function": FUNCTION}},
        {"function_call": FUNCTION},
        {"function_call": FUNCTION, "tool_calls": []},
    ],
    ids=["no id", "arguments as an object", "one call, no list", "function_call", "and no calls"],
)
def test_a_call_is_made_however_it_is_written(
    shop: Shop, chat_server: ChatServer, message: dict[str, Any]
) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    called = wire.completion({"role": "assistant", "content": None, **message})
    agent_does(chat_server, called, wire.text("Done."))
    record = play_one(shop, chat_server)
    assert (record.outcome, record.reward) == ("scored", 1.0)
    assert [action.name for action in record.actions] == [NAME]
    call, answer = chat_server.asked(AGENT)[1][-2:]
    assert call["tool_calls"][0]["id"] == answer["tool_call_id"]


@pytest.mark.parametrize(
    "content",
    [
        ["Done, ", "A1."],
        [{"type": "text", "text": "Done, "}, {"type": "text", "text": "A1."}],
        [{"type": "text", "text": {"value": "Done, A1.", "annotations": []}}],
        [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Done, A1."}],
    ],
    ids=["texts", "parts", "values", "thinking"],
)
def test_what_is_said_in_parts_is_heard_whole(
    shop: Shop, chat_server: ChatServer, content: list[Any]
) -> None:
    user_says(chat_server, "Hello.", "###STOP###")
    said = wire.completion({"role": "assistant", "content": content})
    agent_does(chat_server, said)
    record = play_one(shop, chat_server)
    assert [m.content for m in record.trajectory if m.role == "assistant"] == ["Done, A1."]


def test_a_byte_order_mark_is_no_part_of_a_reply(shop: Shop, chat_server: ChatServer) -> None:
    user_says(chat_server, "Hello.", "###STOP###")
    marked = wire.text("Yes?")
    agent_does(chat_server, replace(marked, body=b"\xef\xbb\xbf" + marked.body))
    record = play_one(shop, chat_server)
    assert [m.content for m in record.trajectory] == ["Hello.", "Yes?"]


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ({"content": 42}, "content has no known format: 42"),
        ({"content": {"text": "Hi."}}, "content has no known format: {'text': 'Hi.'}"),
        ({"content": [7]}, "content has no known format: 7"),
        ({"content": None, "tool_calls": "cancel"}, "tool_calls has no known format: 'cancel'"),
        ({"content": "Hi.", "tool_calls": [None]}, "tool_calls has no known format: [None]"),
    ],
    ids=str,
)
def test_words_in_no_known_format_are_not_taken_for_silence(
    shop: Shop, chat_server: ChatServer, no_waits: None, message: dict[str, Any], what: str
) -> None:
    user_says(chat_server, "Hello.")
    odd = wire.completion({"role": "assistant", **message})
    agent_does(chat_server, *[odd] * 8)
    record = play_one(shop, chat_server)
    assert (record.outcome, record.ending, record.reward) == ("unscored", "model_error", None)
    assert record.error is not None
    assert what in record.error.message


TOO_LONG = "This model's maximum context length is 4096 tokens."


def failing(code: Any, message: str = "no", **more: Any) -> Callable[..., Response]:
    """A gateway that puts its provider's error into a response of status 200."""
    body = json.dumps({"error": {"message": message, "code": code, **more}}).encode()
    return lambda *_: Response(body)


@pytest.mark.parametrize(
    "behave",
    [
        failing("context_length_exceeded", "This model's maximum context length is 4096 tokens"),
        failing(400, "Prompt is too long: maximum context length is 4096 tokens"),
        lambda: Response(
            json.dumps({"object": "error", "message": TOO_LONG, "code": 400}).encode()
        ),
        lambda: Response(json.dumps([{"error": {"message": TOO_LONG, "code": 400}}]).encode()),
    ],
    ids=["by name", "by status", "vLLM", "Google"],
)
def test_a_conversation_too_long_is_the_agents_whatever_the_status(
    shop: Shop, chat_server: ChatServer, behave: Callable[..., Response]
) -> None:
    user_says(chat_server, "Hello.")
    agent_does(chat_server, behave())
    record = play_one(shop, chat_server)
    assert (record.outcome, record.reward, record.ending) == ("scored", 0, "context_length")
    assert len(chat_server.asked(AGENT)) == 1


@pytest.mark.parametrize(
    "behave",
    [failing("invalid_api_key"), failing(401), failing("insufficient_quota"), failing("404")],
    ids=["invalid_api_key", "401", "insufficient_quota", "404"],
)
def test_what_no_trial_can_succeed_with_ends_the_run_whatever_the_status(
    shop: Shop, chat_server: ChatServer, behave: Callable[..., Response]
) -> None:
    chat_server.behave = behave
    shop.many_tasks(3)
    result = shop.run("--tau-user=scripted", *args_of(chat_server, user="scripted"))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "answered 200 with an error: " in result.stdout.str()
    assert len(chat_server.asked(AGENT)) == 1


def test_an_error_of_a_gateway_that_says_no_status_is_tried_again(
    shop: Shop, chat_server: ChatServer, no_waits: None
) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    overloaded = failing("overloaded", "upstream is busy")()
    agent_does(chat_server, overloaded, failing(502)(), wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server)
    assert record.reward == 1.0
    assert len(chat_server.asked(AGENT)) == 4


def test_what_stands_behind_the_question_mark_of_an_address_goes_with_each_request(
    shop: Shop, chat_server: ChatServer
) -> None:
    shop.many_tasks(1)
    url = f"{chat_server.url}?api-version=2026-01-01&x=a%20b"
    shop.run("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={url}")
    assert chat_server.paths == ["/v1/chat/completions?api-version=2026-01-01&x=a+b"]


def test_a_number_too_large_to_keep_is_an_error_the_agent_sees(
    shop: Shop, chat_server: ChatServer
) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    agent_does(chat_server, wire.tool_calls((NAME, '{"order_id": 1e999}')), wire.text("Hm."))
    record = play_one(shop, chat_server)
    assert record.outcome == "scored"
    assert "1e999" in tool_answers(record)[0]
