"""What users that are models get wrong, through pytest over HTTP to the record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from model_trial import AGENT, CANCEL, USER, agent_does, args_of, play_one, user_says

from pytest_taubench.schema import TrialRecord

if TYPE_CHECKING:
    from conftest import Shop

KINDS = ("llm", "react", "verify", "reflection")
JUDGED = ("verify", "reflection")
ACCEPTED = '{"ok": true, "reason": "fits"}'


def user_says_as(kind: str, server: ChatServer, *texts: str) -> None:
    """Queue what a user of that kind is to say; a judged one's judge accepts it."""
    for text in texts:
        user_says(server, text, *[ACCEPTED] * (kind in JUDGED))


def heard(record: TrialRecord) -> list[str | None]:
    """What the agent heard of the user."""
    return [message.content for message in record.trajectory if message.role == "user"]


@pytest.mark.parametrize(
    ("kind", "last", "kept"),
    [
        *((kind, "Thanks! ###STOP### Bye.", ["Thanks! Bye."]) for kind in KINDS),
        ("llm", "###STOP### Bye.", ["Bye."]),
        ("llm", "Bye.\n\n###STOP###", ["Bye."]),
        ("llm", "Bye.###STOP###", ["Bye."]),
        ("llm", "###STOP###", []),
    ],
)
def test_the_stop_token_stops_wherever_it_stands_and_the_rest_is_kept(
    shop: Shop, chat_server: ChatServer, kind: str, last: str, kept: list[str]
) -> None:
    user_says_as(kind, chat_server, "Cancel A1.", last)
    agent_does(chat_server, wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server, user=kind)
    assert (record.outcome, record.ending, record.reward) == ("scored", "user_stop", 1.0)
    assert heard(record) == ["Cancel A1.", *kept]
    assert len(chat_server.asked(AGENT)) == 2, "nobody answers a user who has gone"


def test_a_stop_in_the_opening_is_asked_again_and_then_is_the_users_fault(
    shop: Shop, chat_server: ChatServer
) -> None:
    user_says(chat_server, *["Never mind. ###STOP###"] * 3)
    record = play_one(shop, chat_server)
    assert (record.outcome, record.reward, record.ending) == ("unscored", None, "user_error")
    assert record.error is not None
    assert "stopped in its first turn, 3 times in a row" in record.error.message
    assert chat_server.asked(AGENT) == []


def test_a_user_that_thinks_better_of_its_first_stop_is_heard(
    shop: Shop, chat_server: ChatServer
) -> None:
    user_says(chat_server, "###STOP###", "Hello.", "Bye. ###STOP###")
    record = play_one(shop, chat_server)
    assert (record.outcome, record.ending, record.steps) == ("scored", "user_stop", 1)
    assert [message.content for message in record.trajectory][::2] == ["Hello.", "Bye."]


SECRET = "they must not learn of the voucher"
THOUGHTS = {
    "react": f"Thought: {SECRET}; ###STOP### comes later.\nReply: ",
    "react in bold": f"**Thought:** {SECRET} ###STOP###\n\n**Reply:** ",
    "reasoning": f"<think>{SECRET}, then ###STOP###</think>\n",
}


@pytest.mark.parametrize(
    ("kind", "thought"),
    [
        ("react", "react"),
        ("react", "react in bold"),
        *((kind, "reasoning") for kind in KINDS),
    ],
)
def test_a_users_thought_reaches_no_agent_and_a_stop_in_it_ends_nothing(
    shop: Shop, chat_server: ChatServer, kind: str, thought: str
) -> None:
    before = THOUGHTS[thought]
    turns = [f"{before}Cancel A1.", f"{before}And then?", f"{before}Bye. ###STOP###"]
    user_says_as(kind, chat_server, *turns)
    agent_does(chat_server, wire.text("A1?"), wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server, user=kind)
    assert (record.ending, record.reward) == ("user_stop", 1.0)
    assert heard(record) == ["Cancel A1.", "And then?", "Bye."]
    assert len(chat_server.asked(AGENT)) == 3
    assert SECRET not in json.dumps(chat_server.asked(AGENT))


def test_a_thought_without_a_reply_is_not_spoken_but_asked_for_again(
    shop: Shop, chat_server: ChatServer
) -> None:
    user_says(chat_server, f"Thought: {SECRET} ###STOP###", "Reply: Cancel A1.", "###STOP###")
    agent_does(chat_server, wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server, user="react")
    assert (record.ending, record.reward) == ("user_stop", 1.0)
    assert heard(record) == ["Cancel A1."]
    assert SECRET not in json.dumps(chat_server.asked(AGENT))


def test_a_message_that_its_judge_refused_reaches_no_agent(
    shop: Shop, chat_server: ChatServer
) -> None:
    refused = '{"ok": false, "reason": "A2 is not theirs"}'
    user_says(chat_server, "Hello.", ACCEPTED, "Cancel A2. ###STOP###", refused)
    user_says(chat_server, "Cancel A1.", ACCEPTED, "###STOP###", ACCEPTED)
    agent_does(chat_server, wire.text("Yes?"), wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server, user="reflection")
    assert (record.ending, record.reward) == ("user_stop", 1.0)
    assert heard(record) == ["Hello.", "Cancel A1."]
    asked = json.dumps(chat_server.asked(AGENT))
    assert "A2" not in asked
    assert "not theirs" not in asked


@pytest.mark.parametrize("kind", KINDS)
def test_a_users_turn_is_one_call_and_none_comes_before_the_first(
    shop: Shop, chat_server: ChatServer, kind: str
) -> None:
    user_says_as(kind, chat_server, "Hello.", "Cancel A1.", "Bye. ###STOP###")
    agent_does(chat_server, wire.text("Yes?"), wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server, user=kind)
    assert len(heard(record)) == 3
    a_turn = 2 if kind in JUDGED else 1  # a judge's call is one more
    assert len(chat_server.asked(USER)) == record.usage["user"].calls == 3 * a_turn
    order = [request["model"] for request in chat_server.requests]
    turn, agent = [USER] * a_turn, [AGENT]
    assert order == [*turn, *agent, *turn, *agent, *agent, *turn]
    assert all("You want order A1 cancelled." in m[0]["content"] for m in chat_server.asked(USER))


EMPTY: dict[str, Any] = {
    "content None": wire.text(None),
    "no text": wire.text(""),
    "white space": wire.text(" \n\t"),
    "a tool call": wire.tool_calls(CANCEL),
    "reasoning only": wire.text("<think>what shall I say</think>"),
}
EMPTY_TURNS = [
    *(pytest.param("llm", empty, id=f"llm-{name}") for name, empty in EMPTY.items()),
    *(pytest.param(kind, EMPTY["no text"], id=kind) for kind in KINDS[1:]),
]


@pytest.mark.parametrize(("kind", "empty"), EMPTY_TURNS)
def test_an_empty_user_message_is_asked_for_again_and_leaves_no_trace(
    shop: Shop, chat_server: ChatServer, kind: str, empty: wire.Response
) -> None:
    for text in ("Cancel A1.", "Bye. ###STOP###"):
        chat_server.answer_with(empty, empty, model=USER)
        user_says_as(kind, chat_server, text)
    agent_does(chat_server, wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server, user=kind)
    assert (record.outcome, record.ending, record.reward) == ("scored", "user_stop", 1.0)
    assert heard(record) == ["Cancel A1.", "Bye."]
    again = chat_server.asked(USER)
    assert again[0] == again[1] == again[2]
    assert len(chat_server.asked(AGENT)) == 2


@pytest.mark.parametrize(("kind", "empty"), EMPTY_TURNS)
def test_a_user_that_stays_empty_is_a_user_fault_and_its_trial_unscored(
    shop: Shop, chat_server: ChatServer, kind: str, empty: wire.Response
) -> None:
    user_says_as(kind, chat_server, "Cancel A1.")
    chat_server.answer_with(*[empty] * 9, model=USER)
    agent_does(chat_server, wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, chat_server, user=kind)
    assert (record.outcome, record.ending, record.reward) == ("unscored", "user_error", None)
    assert record.error is not None
    assert "3 times" in record.error.message
    assert len(chat_server.asked(USER)) == (2 if kind in JUDGED else 1) + 3


def test_a_user_that_stays_empty_leaves_the_other_trials_scored(
    shop: Shop, chat_server: ChatServer
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if tools:
            return "Done." if messages[-1]["role"] == "tool" else wire.tool_calls(CANCEL)
        if "total" in messages[0]["content"]:
            return wire.text("")
        return "###STOP###" if len(messages) > 2 else "Cancel A1."

    chat_server.behave = behave
    shop.tasks()
    shop.run(*args_of(chat_server))
    outcomes = {r.task_id: (r.outcome, r.ending, r.reward) for r in shop.records()}
    assert outcomes == {
        "cancel-a1": ("scored", "user_stop", 1.0),
        "total-of-a2": ("unscored", "user_error", None),
    }
