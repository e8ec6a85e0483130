"""The users that are models: one call a turn, thoughts kept in, empty turns asked again."""

from __future__ import annotations

import asyncio
import io
import os
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pytest_taubench.errors import ContextLengthError, FatalError, InfrastructureError
from pytest_taubench.llm.chat import Answer, ScriptedModel
from pytest_taubench.llm.provider import GivenModels
from pytest_taubench.schema import ModelSettings
from pytest_taubench.users.human import HumanUser, check_terminal
from pytest_taubench.users.judged import make_reflection_user, make_verify_user
from pytest_taubench.users.llm import JUDGE_QUESTION, make_llm_user
from pytest_taubench.users.protocol import User, UserContext, UserTurn
from pytest_taubench.users.react import make_react_user, spoken_part

INSTRUCTION = "You are Mei Davis in 80217. You want to return the water bottle."
OK = '{"ok": true, "reason": ""}'
WRONG = 'My verdict: {"ok": false, "reason": "The zip code is made up."}'


def context(model: ScriptedModel | None = None) -> UserContext:
    return UserContext(
        instruction=INSTRUCTION,
        script=None,
        random=random.Random(1),
        model=ModelSettings(name="m"),
        options={"models": GivenModels(user=model)} if model else {},
    )


def talk(
    make: Callable[[UserContext], User], answers: Sequence[Answer], *heard: str | None
) -> tuple[list[UserTurn], ScriptedModel, User]:
    """Let a user whose model gives the answers respond to what it hears."""
    model = ScriptedModel(answers)
    user = make(context(model))

    async def run() -> list[UserTurn]:
        turns = [await user.respond(text) for text in (heard or (None,))]
        await user.close()
        return turns

    return asyncio.run(run()), model, user


def test_a_user_makes_no_call_at_construction_and_one_a_turn() -> None:
    model = ScriptedModel([])
    make_llm_user(context(model))
    assert model.requests == []
    _, model, user = talk(make_llm_user, ["Hi.", "Yes."], None, "Sure?")
    assert len(model.requests) == 2
    usage = user.usage()
    assert usage is not None
    assert usage.calls == 2
    assert model.closed


def test_the_model_plays_the_customer_and_hears_only_the_agents_texts() -> None:
    _, model, _ = talk(make_llm_user, ["Hi.", "Yes."], None, "Sure?")
    system, *rest = model.requests[1]["messages"]
    assert INSTRUCTION in system["content"]
    assert [m["role"] for m in rest] == ["user", "assistant", "user"]
    assert [m["content"] for m in rest[1:]] == ["Hi.", "Sure?"]


def test_the_users_system_prompt_is_the_same_bytes_in_every_turn() -> None:
    _, model, _ = talk(make_llm_user, ["Hi.", "Yes."], None, "Sure?")
    first, second = (request["messages"] for request in model.requests)
    assert second[: len(first)] == first


def test_the_stop_token_stops_wherever_it_stands_and_the_rest_is_kept() -> None:
    turns, _, _ = talk(make_llm_user, ["Hi.", "Thanks! ###STOP### Bye."], None, "Done.")
    assert turns == [UserTurn("Hi."), UserTurn("Thanks! Bye.", stop=True)]


@pytest.mark.parametrize("make", [make_llm_user, make_react_user])
def test_an_empty_turn_is_asked_again(make: Callable[[UserContext], User]) -> None:
    turns, model, _ = talk(make, ["", "  \n", "Hi."])
    assert turns == [UserTurn("Hi.")]
    assert len(model.requests) == 3
    assert model.requests[2]["messages"] == model.requests[0]["messages"]


def test_a_user_that_stays_empty_is_a_fault_of_the_user() -> None:
    with pytest.raises(InfrastructureError, match="3 times") as caught:
        talk(make_llm_user, ["", "", "", "too late"])
    assert caught.value.source == "user"


def test_a_conversation_too_long_for_the_user_is_not_the_agents_fault() -> None:
    with pytest.raises(InfrastructureError) as caught:
        talk(make_llm_user, [ContextLengthError("too long")])
    assert caught.value.source == "user"


@pytest.mark.parametrize(
    ("reply", "turn"),
    [
        ("Thought: say hi\nReply: Hi.", UserTurn("Hi.")),
        ("**Thought:** say hi\n\n**Reply:** Hi.", UserTurn("Hi.")),
        ("Thought: not yet ###STOP###\nReply: Go on.", UserTurn("Go on.")),
        ("Thought: done\nReply: Bye. ###STOP###", UserTurn("Bye.", stop=True)),
        ("Thought: a\nReply: Hi.\nThought: now they will ask", UserTurn("Hi.")),
        ("Hi, no form at all.", UserTurn("Hi, no form at all.")),
        ("1. Thought: secret\n2. Reply: Hi.", UserTurn("Hi.")),
        ("> Thought: secret\n>\n> Reply: Hi.", UserTurn("Hi.")),
        ("- **Thought**: secret\n- **Reply**: Hi.", UserTurn("Hi.")),
        ("## Thought\nsecret ###STOP###\n## Reply\nHi.", UserTurn("Hi.")),
        ("Thought: a\nReply: #W1 it is.", UserTurn("#W1 it is.")),
        ("<think>Thought: secret\nReply: secret</think>Thought: a\nReply: Hi.", UserTurn("Hi.")),
    ],
)
def test_of_a_react_user_only_the_reply_counts(reply: str, turn: UserTurn) -> None:
    turns, _, _ = talk(make_react_user, ["Reply: Hello.", reply], None, "Yes?")
    assert turns == [UserTurn("Hello."), turn]


@pytest.mark.parametrize(
    "reply",
    [
        "Thought: my secret is 42",
        "thought: my secret is 42 ###STOP###",
        "Thought: I could say\nReply: 42\nbut no.\nReply: Hi.",
        "Thought: my secret\nReply:",
        "1. Thought: my secret",
        "> Thought: my secret ###STOP###",
        "My thought: my secret",
        '{"thought": "my secret", "reply": "Hi."}',
        "<think>my secret",
    ],
)
def test_a_reply_whose_spoken_part_cannot_be_told_is_asked_again(reply: str) -> None:
    turns, _, _ = talk(make_react_user, [reply, "Thought: x\nReply: Hi."])
    assert turns == [UserTurn("Hi.")]


@pytest.mark.parametrize("make", [make_llm_user, make_react_user])
def test_reasoning_in_a_users_text_is_neither_sent_nor_kept_nor_read_for_a_stop(
    make: Callable[[UserContext], User],
) -> None:
    answers = ["<think>I end with ###STOP### later</think>\nHi.", "Yes."]
    turns, model, _ = talk(make, answers, None, "Sure?")
    assert turns == [UserTurn("Hi."), UserTurn("Yes.")]
    assert "later" not in str(model.requests[1])


def test_a_users_unclosed_reasoning_is_asked_again() -> None:
    turns, _, _ = talk(make_llm_user, ["<think>Am I done? ###STOP###", "Hi."])
    assert turns == [UserTurn("Hi.")]


@pytest.mark.parametrize(
    "refusal",
    [
        f"<think>Perhaps {OK}? No, {{that}} is made up.</think>{WRONG}",
        f"The form is {{ok, reason}}. {WRONG}",
        f"{WRONG} (not {{ok}})",
        f"{OK} Wait. {WRONG}",
    ],
)
def test_a_refusal_is_read_whatever_stands_around_it(refusal: str) -> None:
    turns, _, user = talk(make_verify_user, ["I am in 10001.", refusal, "I am in 80217.", OK])
    assert turns == [UserTurn("I am in 80217.")]
    assert user.notes() == []


def test_the_judge_reads_a_users_message_without_its_reasoning() -> None:
    _, model, _ = talk(make_reflection_user, ["<think>secret</think>Hi.", OK])
    assert "secret" not in str(model.requests[1])


def test_no_thought_is_in_what_is_spoken() -> None:
    assert "secret" not in spoken_part("Thought: secret\nReply: Hi.\nThought: secret")


def test_verify_sends_a_message_that_the_judge_accepts() -> None:
    turns, model, user = talk(make_verify_user, ["Hi.", OK])
    assert turns == [UserTurn("Hi.")]
    judged = model.requests[1]["messages"]
    assert [m["role"] for m in judged] == ["system", "user", "assistant", "user"]
    assert INSTRUCTION in judged[0]["content"]
    assert judged[2]["content"] == "Hi."
    assert judged[3]["content"] == JUDGE_QUESTION
    assert user.notes() == []


def test_verify_asks_for_another_message_when_the_judge_refuses() -> None:
    turns, model, _ = talk(make_verify_user, ["I am in 10001.", WRONG, "I am in 80217.", OK])
    assert turns == [UserTurn("I am in 80217.")]
    assert model.requests[2]["messages"] == model.requests[0]["messages"]


def test_verify_is_bounded_and_says_so_in_the_record() -> None:
    turns, model, user = talk(make_verify_user, ["a", WRONG, "b", WRONG, "c", WRONG])
    assert turns == [UserTurn("c")]
    assert len(model.requests) == 6
    assert "refused 3 messages" in user.notes()[0]
    assert "The zip code is made up." in user.notes()[0]


def test_a_judge_without_a_verdict_holds_nothing_up_and_is_noted() -> None:
    turns, _, user = talk(make_verify_user, ["Hi.", "Looks fine to me!"])
    assert turns == [UserTurn("Hi.")]
    assert "no readable verdict" in user.notes()[0]


def test_reflection_rewrites_with_the_reason_in_view() -> None:
    turns, model, _ = talk(make_reflection_user, ["I am in 10001.", WRONG, "I am in 80217.", OK])
    assert turns == [UserTurn("I am in 80217.")]
    *_, refused, told = model.requests[2]["messages"]
    assert refused == {"role": "assistant", "content": "I am in 10001."}
    assert "The zip code is made up." in told["content"]


def test_a_refused_message_leaves_no_trace_in_later_turns() -> None:
    answers = ["I am in 10001.", WRONG, "I am in 80217.", OK, "Yes.", OK]
    _, model, _ = talk(make_reflection_user, answers, None, "Sure?")
    history: list[dict[str, Any]] = model.requests[4]["messages"]
    assert [m["content"] for m in history[2:]] == ["I am in 80217.", "Sure?"]


def test_a_human_types_the_users_turns() -> None:
    screen = io.StringIO()
    user = HumanUser(context(), io.StringIO("\nhello\nbye ###STOP###\n"), screen)

    async def run() -> list[UserTurn]:
        return [await user.respond(None), await user.respond("What can I do?")]

    assert asyncio.run(run()) == [UserTurn("hello"), UserTurn("bye", stop=True)]
    assert INSTRUCTION in screen.getvalue()
    assert "Agent: What can I do?" in screen.getvalue()


def test_a_closed_terminal_is_a_fault_of_the_user() -> None:
    user = HumanUser(context(), io.StringIO(""), io.StringIO())
    with pytest.raises(InfrastructureError) as caught:
        asyncio.run(user.respond(None))
    assert caught.value.source == "user"


@pytest.mark.skipif(sys.platform == "win32", reason="a read of the terminal cannot be given up")
def test_a_line_that_comes_too_late_is_the_next_ones_to_read() -> None:
    reading, writing = os.pipe()

    async def run(source: io.TextIOWrapper) -> UserTurn:
        late = HumanUser(context(), source, io.StringIO())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(late.respond(None), 0.1)
        os.write(writing, b"hello\n")
        return await HumanUser(context(), source, io.StringIO()).respond(None)

    with open(reading, encoding="utf-8") as source:
        assert asyncio.run(run(source)) == UserTurn("hello")
    os.close(writing)


def test_a_human_is_refused_under_xdist_and_without_s() -> None:
    with pytest.raises(FatalError, match="leave out -n"):
        check_terminal({"PYTEST_XDIST_WORKER": "gw0"}, None)
    with pytest.raises(FatalError, match="add -s"):
        check_terminal({}, io.StringIO("captured input has no file number"))
