"""Replies with odd figures, or with nothing in them: what is counted, told and recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role
from test_llm_recording import SDK_AGENT

if TYPE_CHECKING:
    from conftest import Shop

REFUSAL = "I am sorry, I cannot help with that."
WITHHELD = wire.completion(
    {"role": "assistant", "content": ""},
    choices=[
        {
            "index": 0,
            "message": {"role": "assistant", "content": ""},
            "finish_reason": "content_filter",
        }
    ],
)


@pytest.fixture
def args(chat_server: ChatServer) -> tuple[str, ...]:
    return ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={chat_server.url}")


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": "many", "completion_tokens": 3},
        {"prompt_tokens": 12, "completion_tokens": None},
        {"prompt_tokens": 12},
        {"prompt_tokens": -1, "completion_tokens": 3},
        {"prompt_tokens": 12, "completion_tokens": 2.5},
        {"prompt_tokens": True, "completion_tokens": 3},
        {
            "prompt_tokens": 12,
            "completion_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": -5},
        },
    ],
    ids=str,
)
def test_figures_that_are_no_counts_are_missing_and_no_zeros(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], usage: dict[str, Any]
) -> None:
    chat_server.behave = lambda messages, tools: wire.text("It is 7.", usage=usage)
    shop.many_tasks(1)
    result = shop.run(*args)
    [record] = shop.records()
    used = record.usage["agent"]
    assert (used.calls, used.complete, used.cost) == (1, False, None)
    assert (used.input_tokens, used.output_tokens) == (0, 0)
    result.stdout.fnmatch_lines(["agent*1*(partial)*"])


@pytest.mark.parametrize(
    "details", [{}, {"prompt_tokens_details": None}, {"prompt_tokens_details": {}}], ids=str
)
def test_tokens_from_a_cache_need_not_be_told(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], details: dict[str, Any]
) -> None:
    usage = {"prompt_tokens": 12.0, "completion_tokens": 3, **details}
    chat_server.behave = lambda messages, tools: wire.text("It is 7.", usage=usage)
    shop.many_tasks(1)
    shop.run(*args)
    used = shop.records()[0].usage["agent"]
    assert (used.input_tokens, used.output_tokens, used.complete) == (12, 3, True)


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "refusal": REFUSAL},
        {"content": "", "refusal": REFUSAL},
        {"content": [{"type": "refusal", "refusal": REFUSAL}]},
    ],
    ids=["null", "empty", "part"],
)
def test_what_a_model_refuses_with_reaches_the_user(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], message: dict[str, Any]
) -> None:
    chat_server.behave = lambda messages, tools: {"role": "assistant", **message}
    shop.many_tasks(1)
    shop.run(*args)
    [record] = shop.records()
    assert [m.content for m in record.trajectory if m.role == "assistant"] == [REFUSAL]
    assert record.ending == "user_stop"


def test_an_agent_of_ones_own_may_return_a_completion_that_refuses(shop: Shop) -> None:
    message = {"role": "assistant", "content": None, "refusal": REFUSAL}
    shop.write("my_agent.py", f"def agent(messages, tools):\n    return {message!r}\n")
    shop.many_tasks(1)
    shop.run("--tau-agent=my_agent.py")
    [record] = shop.records()
    assert [m.content for m in record.trajectory if m.role == "assistant"] == [REFUSAL]


@pytest.mark.parametrize("agent", ["tool-calling", "react"])
def test_a_content_filter_that_goes_on_withholding_replies_is_named(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], agent: str
) -> None:
    chat_server.behave = lambda messages, tools: WITHHELD
    shop.many_tasks(1)
    shop.run(*args, f"--tau-agent={agent}")
    [record] = shop.records()
    assert (record.ending, record.reward) == ("agent_error", 0)
    assert record.error is not None
    assert record.error.message == (
        "the agent's model gave nothing, 3 times in a row (finish_reason: content_filter)"
    )
    assert len(chat_server.requests) == 3


def test_a_reply_that_was_withheld_once_is_asked_for_again(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    chat_server.behave = by_role
    chat_server.answer_with(WITHHELD, WITHHELD)
    shop.many_tasks(1)
    shop.run(*args)
    [record] = shop.records()
    assert record.ending == "user_stop"
    assert len(chat_server.requests) == 3


def test_a_content_filter_on_the_users_side_is_named_too(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda messages, tools: WITHHELD
    shop.many_tasks(1)
    user = ("--tau-user=llm", "--tau-user-model=u", f"--tau-user-base-url={chat_server.url}")
    shop.run("--tau-agent=my_agent.py", *user)
    [record] = shop.records()
    assert record.ending == "user_error"
    assert record.error is not None
    assert record.error.message.endswith("3 times in a row (finish_reason: content_filter)")


CUT = wire.completion(
    {},
    choices=[
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c",
                        "type": "function",
                        "function": {"name": "cancel_order", "arguments": '{"order_id": "A'},
                    }
                ],
            },
            "finish_reason": "length",
        }
    ],
)


@pytest.mark.parametrize("how", ["built-in", "proxied"])
def test_a_tool_call_that_was_cut_at_the_length_limit_is_named_where_the_trial_fails(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], how: str
) -> None:
    chat_server.behave = lambda messages, tools: "I give up."
    chat_server.answer_with(CUT, CUT)
    if how == "proxied":
        shop.write("sdk_agent.py", SDK_AGENT)
        args = ("--tau-agent=sdk_agent.py", "--tau-proxy", args[-1])
    shop.many_tasks(1)
    result = shop.run(*args, "--tau-record=tapes")
    note = (
        "2 of 3 replies of the agent's model were cut at its length limit (finish_reason: length)"
    )
    result.stdout.fnmatch_lines([f"*{note}"])
    [record] = shop.records()
    assert (record.reward, record.notes) == (0, [note])
    shop.run(*args, "--tau-replay=tapes", "--tau-run-dir=again").stdout.fnmatch_lines([f"*{note}"])


def test_replies_that_were_not_cut_are_not_spoken_of(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    chat_server.behave = by_role
    shop.many_tasks(1)
    shop.run(*args)
    [record] = shop.records()
    assert (record.notes, record.usage["agent"].cut) == ([], 0)
