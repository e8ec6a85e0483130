"""Reasoning that a server leaves in a model's text is parted from what the model says."""

from __future__ import annotations

import pytest

from pytest_taubench.llm.chat import ChatReply, part_reasoning
from pytest_taubench.schema import Message
from pytest_taubench.text.json_values import json_values


@pytest.mark.parametrize(
    ("text", "reasoning", "said"),
    [
        ("Hi.", "", "Hi."),
        ("<think>secret</think>\n\nHi.", "secret", "Hi."),
        ("<THINK>\nsecret\n</THINK >Hi.", "secret", "Hi."),
        ("<thinking>a</thinking>Hi.<think>b</think>", "a\nb", "Hi."),
        ("<think>secret ###STOP###", "secret ###STOP###", ""),
        ("Hi. <think>secret", "secret", "Hi."),
        ("secret</think>Hi.", "secret", "Hi."),
        ("<think></think>Hi.", "", "Hi."),
        ("<think>a <think> b</think>Hi.", "a\nb", "Hi."),
        ("<think>a<think>b</think>c</think>Hi.", "a\nb\nc", "Hi."),
        ("I <thinker> think.", "", "I <thinker> think."),
    ],
)
def test_reasoning_is_parted_from_what_is_said(text: str, reasoning: str, said: str) -> None:
    assert part_reasoning(text) == (reasoning, said)


def test_the_message_said_holds_the_reasoning_as_its_thought() -> None:
    message = Message(role="assistant", content="<think>b</think>Hi.", thought="a")
    reply = ChatReply(message, None, "m")
    assert (reply.text, reply.said.content, reply.said.thought) == ("Hi.", "Hi.", "a\nb")
    assert reply.message == message


def test_a_message_that_only_reasons_says_nothing() -> None:
    reply = ChatReply(Message(role="assistant", content="<think>cut sho"), None, "m")
    assert (reply.text, reply.said.content, reply.said.thought) == ("", None, "cut sho")


def test_all_outermost_json_of_a_text_is_found() -> None:
    assert json_values('no {x} {"a": {"b": 1}} and {"c": 2}.', "{") == [{"a": {"b": 1}}, {"c": 2}]
    assert json_values('see [1] or [["x"]', "[") == [[1], ["x"]]
