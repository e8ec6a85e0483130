"""The text agents: how an act is read, and what the model sees of the conversation."""

from __future__ import annotations

import json
import time

import pytest
from chat_server import ChatServer, text
from small_shop import POLICY, Lines, play

from pytest_taubench.agents.react import FormatError, TextAction, make_act, make_react, read_action

CANCEL = '{"name": "cancel_order", "arguments": {"order_id": "#1"}}'


def respond(words: str) -> str:
    """A reply that speaks to the user."""
    return "Thought: say it.\nAction: " + json.dumps(
        {"name": "respond", "arguments": {"content": words}}
    )


@pytest.mark.parametrize(
    "reply",
    [
        f"Thought: it is pending.\nAction: {CANCEL}",
        f"Thought: it is pending.\n\nAction:\n{CANCEL}\n",
        f"Thought: it is pending.\nAction:\n```json\n{CANCEL}\n```",
        f"it is pending.\nAction: {CANCEL}",
    ],
)
def test_an_act_in_the_format_is_read(reply: str) -> None:
    expected = TextAction("cancel_order", {"order_id": "#1"}, "it is pending.")
    assert read_action(reply) == expected


def test_arguments_may_be_left_out_where_a_tool_has_none() -> None:
    assert read_action('Action: {"name": "list_all"}') == TextAction("list_all", {})


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (f"Action: {CANCEL}\nAction: {CANCEL}", "more than one"),
        ("Action: cancel the order", "one JSON object"),
        ('Action: ["cancel_order"]', "list"),
        ('Action: {"name": "", "arguments": {}}', "name"),
        ('Action: {"name": "a", "arguments": "x"}', "arguments"),
        ('Action: {"name": "respond", "arguments": {"text": "hi"}}', "content"),
        ('Action: {"name": "respond", "arguments": {"content": " "}}', "content"),
    ],
)
def test_an_act_out_of_format_is_refused_with_what_is_wrong(reply: str, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        read_action(reply)


def test_a_reply_of_newlines_is_read_in_proportion_to_its_length() -> None:
    def seconds(length: int) -> float:
        begun = time.process_time()
        for reply in ("\n" * length, " " * length, "```json\n" + "\n" * length):
            with pytest.raises(FormatError):
                read_action(f"{reply}x")
        return time.process_time() - begun

    # Eight times the length: a square of it would take 64 times as long.
    assert seconds(400_000) < 24 * min(seconds(50_000) for _ in range(3))


def test_react_plays_an_episode(chat_server: ChatServer) -> None:
    chat_server.answer_with(
        text(f"Thought: cancel it.\nAction: {CANCEL}"), text(respond("It is cancelled."))
    )
    user = Lines("please cancel #1")
    episode, _ = play(make_react, chat_server.url, user)
    assert user.heard == [None, "It is cancelled."]
    assert episode.environment.changes()["orders"]["#1"].after == {"status": "cancelled"}
    assert [m.thought for m in episode.trajectory if m.role == "assistant"] == [
        "cancel it.",
        "say it.",
    ]


def test_the_model_reads_policy_tools_and_its_own_words_as_text(chat_server: ChatServer) -> None:
    first = f"Thought: cancel it.\nAction: {CANCEL}"
    chat_server.answer_with(text(first), text(respond("Done.")))
    play(make_react, chat_server.url)
    system, *rest = chat_server.requests[1]["messages"]
    assert "tools" not in chat_server.requests[1]
    assert system["content"].startswith(POLICY)
    assert '"name": "cancel_order"' in system["content"]
    assert rest == [
        {"role": "user", "content": "User: please cancel #1"},
        {"role": "assistant", "content": first},
        {"role": "user", "content": "Result of cancel_order: cancelled"},
    ]


def test_the_system_prompt_is_the_same_bytes_in_every_turn_and_trial(
    chat_server: ChatServer,
) -> None:
    for _ in range(2):
        chat_server.answer_with(text(f"Action: {CANCEL}"), text(respond("Done.")))
        play(make_react, chat_server.url)
    assert len({json.dumps(r["messages"][0]) for r in chat_server.requests}) == 1


def test_act_is_told_of_no_thought_and_react_is(chat_server: ChatServer) -> None:
    for make in (make_act, make_react):
        chat_server.answer_with(text(respond("Hello.")))
        play(make, chat_server.url)
    act, react = (request["messages"][0]["content"] for request in chat_server.requests)
    assert "Thought:" not in act
    assert "Thought:" in react
