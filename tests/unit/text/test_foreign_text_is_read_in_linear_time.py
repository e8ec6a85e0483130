"""What strangers write is read in time that grows with its length, not with the square of it.

Measured as a ratio of two lengths: four times the text takes some four times as long, where a
quadratic reader takes sixteen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from pytest_taubench.agents.react import FormatError, read_action
from pytest_taubench.llm.chat import part_reasoning
from pytest_taubench.llm.faults import Refusal
from pytest_taubench.reward.ending_faults import question_left_open
from pytest_taubench.schema.script import Script
from pytest_taubench.task_files.json_text import line_of_value
from pytest_taubench.text.foreign import printable
from pytest_taubench.text.json_values import extract_object, json_values
from pytest_taubench.text.secrets import hide_in_urls
from pytest_taubench.text.tokens import tokenize
from pytest_taubench.users.react import spoken_part

GROWTH = 4
QUADRATIC = 9.0
"""Between the 4 of a linear reader and the 16 of a quadratic one."""
LEAST = 0.01


def read_act(text: str) -> None:
    with suppress(FormatError):
        read_action(text)


def read_answers(text: str) -> None:
    with suppress(ValueError):
        Script(answers={text + "\0": "yes"})


def sort_refusal(text: str) -> None:
    assert Refusal(400, text, {}).kind


READERS: dict[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "a text agent's act": (read_act, ("\n", "\r\n", " ", "Thought: \n", "a\n")),
    "a text agent's fence": (
        lambda text: read_act(f"Action: ```json{text}x```"),
        ("\n", " ", " \n", "```\n"),
    ),
    "a user's thought and reply": (spoken_part, ("\n", "-\n", "thoughts ", "reply ", "1", ".")),
    "reasoning in a reply": (part_reasoning, ("</think>", "<think>", "<think ", "<")),
    "an endpoint's refusal": (
        sort_refusal,
        ("input token count ", "model ", "context length ", "invalid "),
    ),
    "addresses with secrets": (
        hide_in_urls,
        ("a.b", "'a:", "?", "&a", "a:/", "http://", "//a", "@", "a:b ", "?a?"),
    ),
    "JSON among words": (lambda text: json_values(text, "{"), ("{", '{"a":', "[")),
    "an answer's object": (
        lambda text: extract_object(text, "task_nodes"),
        ("{", '{"a":', '"', '\\"', "```", ", ", "{ "),
    ),
    "numbers and words told": (tokenize, ("1,000", "1-", "1.", "$", "a'", "usd ", "-", "1  ")),
    "a question left open": (question_left_open, ("\n", " ", ". ", "please ", "any a ")),
    "what goes to a terminal": (
        lambda text: printable(text, {"GITHUB_ACTIONS": "true"}),
        (" ", "\n", ":", "##", "\x1b", "\t"),
    ),
    "a task file's JSON": (lambda text: line_of_value("a" + text, "NaN"), ('\\"', '"', "\\", "[")),
    "a script's answers": (read_answers, ("a", " ", "a ", "|")),
}


def seconds(read: Callable[[str], object], text: str) -> float:
    best = float("inf")
    for _ in range(3):
        began = time.thread_time()
        read(text)
        best = min(best, time.thread_time() - began)
    return best


def growth(read: Callable[[str], object], unit: str) -> float:
    """Return how many times as long four times the text takes; 1 where it is too short to tell."""
    size = 2_000
    while (short := seconds(read, unit * (size // len(unit)))) < LEAST:
        size *= GROWTH
        if size > 200_000:
            return 1.0
    return seconds(read, unit * (GROWTH * size // len(unit))) / short


@pytest.mark.parametrize("reader", READERS)
def test_four_times_the_text_takes_about_four_times_as_long(reader):
    read, units = READERS[reader]
    slow = {unit: factor for unit in units if (factor := growth(read, unit)) > QUADRATIC}
    # What only a busy machine made slow is not slow each time.
    again = {unit: min(growth(read, unit) for _ in range(3)) for unit in slow}
    assert {unit: factor for unit, factor in again.items() if factor > QUADRATIC} == {}
