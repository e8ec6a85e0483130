"""What models and endpoints get wrong, through a whole episode over HTTP."""

from __future__ import annotations

import json

import chat_server as wire
import pytest
from chat_server import ChatServer
from small_shop import Lines, play

from pytest_taubench.agents.react import make_act, make_react
from pytest_taubench.agents.tool_calling import make_tool_calling
from pytest_taubench.errors import FatalError
from pytest_taubench.schema import Ending


def last_tool_answer(server: ChatServer) -> str:
    """The last tool message that the model was sent."""
    return next(
        message["content"]
        for message in reversed(server.requests[-1]["messages"])
        if message["role"] == "tool"
    )


def test_several_calls_in_one_message_all_run_in_order(chat_server: ChatServer) -> None:
    chat_server.answer_with(
        wire.tool_calls(
            ("get_order", {"order_id": "#1"}),
            ("cancel_order", {"order_id": "#1"}),
            ("cancel_order", {"order_id": "#2"}),
        ),
        wire.text("Both are cancelled."),
    )
    episode, _ = play(make_tool_calling, chat_server.url)
    assert [action.name for action in episode.actions] == ["get_order", *["cancel_order"] * 2]
    assert set(episode.environment.changes()["orders"]) == {"#1", "#2"}
    assert episode.steps == 4
    answered = [m for m in chat_server.requests[-1]["messages"] if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answered] == ["call_0", "call_1", "call_2"]


@pytest.mark.parametrize("arguments", ['{"order_id": #1}', '["#1"]', "cancel it"])
def test_arguments_that_are_no_json_object_are_an_error_the_agent_sees(
    chat_server: ChatServer, arguments: str
) -> None:
    chat_server.answer_with(
        wire.tool_calls(("cancel_order", arguments)),
        wire.tool_calls(("cancel_order", {"order_id": "#1"})),
        wire.text("Done."),
    )
    episode, _ = play(make_tool_calling, chat_server.url)
    assert episode.ending == Ending.USER_STOP
    assert [action.ok for action in episode.actions] == [False, True]
    assert episode.trajectory[1].tool_calls is not None
    assert episode.trajectory[1].tool_calls[0].function.arguments == arguments


def test_broken_arguments_go_back_as_an_object_that_strict_servers_take(
    chat_server: ChatServer,
) -> None:
    chat_server.answer_with(wire.tool_calls(("cancel_order", "{broken")), wire.text("Sorry."))
    play(make_tool_calling, chat_server.url)
    sent = chat_server.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"not_a_json_object": "{broken"}


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (("cancel_orders", {"order_id": "#1"}), "cancel_order"),
        (("cancel_order", {}), "order_id"),
        (("cancel_order", {"order_id": "#1", "why": "x"}), "why"),
    ],
    ids=["unknown tool", "missing argument", "extra argument"],
)
def test_a_wrong_call_is_an_error_that_names_what_is_wrong(
    chat_server: ChatServer, call: tuple[str, dict[str, str]], named: str
) -> None:
    chat_server.answer_with(wire.tool_calls(call), wire.text("Sorry."))
    episode, _ = play(make_tool_calling, chat_server.url)
    assert named in last_tool_answer(chat_server)
    assert not episode.environment.changes()
    assert episode.ending.scored


def test_a_reply_with_neither_text_nor_call_is_told_to_the_agent(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.text(None), wire.text("Hello, I am here."))
    user = Lines("please cancel #1")
    episode, _ = play(make_tool_calling, chat_server.url, user)
    assert episode.ending == Ending.USER_STOP
    assert user.heard == [None, "Hello, I am here."]
    history = chat_server.requests[1]["messages"]
    assert history[2]["content"] == "", "strict servers refuse a null"
    assert "neither text nor a tool call" in history[3]["content"]


def test_an_agent_that_never_says_anything_ends_at_the_cap_and_is_scored(
    chat_server: ChatServer,
) -> None:
    chat_server.behave = lambda messages, tools: wire.text(None)
    episode, _ = play(make_tool_calling, chat_server.url, max_steps=4)
    assert episode.ending == Ending.MAX_STEPS
    assert episode.ending.scored
    assert episode.steps == 4


def test_text_beside_a_call_stays_in_the_trajectory_and_out_of_the_users_ear(
    chat_server: ChatServer,
) -> None:
    call = ("get_order", {"order_id": "#1"})
    chat_server.answer_with(wire.tool_calls(call, content="Let me look."), wire.text("Pending."))
    user = Lines("is #1 sent?")
    episode, _ = play(make_tool_calling, chat_server.url, user)
    assert user.heard == [None, "Pending."]
    assert episode.trajectory[1].content == "Let me look."


def test_missing_usage_makes_the_figures_partial_and_stops_nothing(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.tool_calls(("get_order", {"order_id": "#1"})))
    chat_server.behave = lambda messages, tools: wire.text("Pending.", usage=None)
    episode, agent = play(make_tool_calling, chat_server.url)
    usage = agent.usage()
    assert episode.ending == Ending.USER_STOP
    assert usage is not None
    assert (usage.calls, usage.complete, usage.cost) == (2, False, None)
    assert usage.input_tokens == 100, "the one call whose usage is known"


def test_a_rate_limit_that_lasts_leaves_the_trial_unscored(chat_server: ChatServer) -> None:
    chat_server.behave = lambda messages, tools: wire.rate_limited()
    episode, _ = play(make_tool_calling, chat_server.url)
    assert episode.ending == Ending.MODEL_ERROR
    assert not episode.ending.scored
    assert episode.error is not None
    assert "429" in episode.error.message


def test_a_rate_limit_that_passes_costs_the_trial_nothing(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.rate_limited("1"), wire.rate_limited())
    episode, _ = play(make_tool_calling, chat_server.url)
    assert episode.ending == Ending.USER_STOP
    assert episode.steps == 1


def test_a_conversation_too_long_is_scored_and_named(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.context_length())
    episode, _ = play(make_tool_calling, chat_server.url)
    assert episode.ending == Ending.CONTEXT_LENGTH
    assert episode.ending.scored


@pytest.mark.parametrize("status", [401, 404])
def test_a_refused_key_or_unknown_model_stops_the_run(chat_server: ChatServer, status: int) -> None:
    chat_server.answer_with(wire.error(status, "no"))
    with pytest.raises(FatalError):
        play(make_tool_calling, chat_server.url)


MALFORMED = {
    "no name": 'Thought: cancel.\nAction: {"arguments": {"order_id": "#1"}}',
    "prose round the JSON": 'Action: Sure! {"name": "cancel_order", "arguments": {"order_id": "#1"}} Done.',
    "thought twice": 'Thought: a\nThought: b\nAction: {"name": "cancel_order", "arguments": {"order_id": "#1"}}',
    "no action": "I will cancel your order now.",
    "nothing": None,
}


@pytest.mark.parametrize("reply", MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("make", [make_react, make_act])
def test_a_text_reply_out_of_format_is_a_format_error_the_agent_sees(
    chat_server: ChatServer, make: object, reply: str | None
) -> None:
    respond = 'Action: {"name": "respond", "arguments": {"content": "One moment."}}'
    chat_server.answer_with(wire.text(reply), wire.text(respond))
    user = Lines("please cancel #1")
    episode, _ = play(make, chat_server.url, user)  # type: ignore[arg-type]
    told = chat_server.requests[1]["messages"][-1]
    assert told["role"] == "user"
    assert told["content"].startswith("Format error: ")
    assert user.heard == [None, "One moment."], "nothing out of format reached the user"
    assert episode.steps == 2, "a reply out of format is an action too"
    assert not episode.environment.changes()
    assert episode.trajectory[1].thought == reply
