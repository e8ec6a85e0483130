"""Finding the JSON in what a model wrote."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from pytest_taubench.text.json_values import extract_object

PLAN: dict[str, Any] = {
    "task_steps": ['Say "hi" to C:\\new', "tab\there, and a brace } in text"],
    "task_nodes": [{"task": "Text Simplifier", "arguments": ['He said: "no {way}"\n', "a\\b"]}],
    "task_links": [],
}
TEXT = json.dumps(PLAN)
PRETTY = json.dumps(PLAN, indent=2)


@pytest.mark.parametrize(
    "answer",
    [
        TEXT,
        PRETTY,
        f"  \n{TEXT}\n",
        f"Here is the plan you asked for:\n\n{PRETTY}\n\nTell me if it should change.",
        f"```json\n{PRETTY}\n```",
        f"```\n{TEXT}\n```",
        f"Sure!\n```JSON\n{PRETTY}\n```\nDone.",
        f"```json\n{PRETTY}",
        f'<think>the format is {{"task_nodes": []}} they say</think>\n{TEXT}',
        f'For example {{"a": 1}} is an object. {TEXT} And {{"b": 2}} is another.',
        f"{{not json}} {TEXT}",
        f"result = {TEXT};",
    ],
)
def test_the_plan_is_found_with_its_escapes_as_they_were(answer: str) -> None:
    assert extract_object(answer, "task_nodes") == PLAN


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"task_nodes": [{"task": "a",},],}', {"task_nodes": [{"task": "a"}]}),
        ('{"task_nodes": ["x,}", ]}', {"task_nodes": ["x,}"]}),
        (r'{"task_nodes": ["C:\dir\_x", "a\"b", "\\", "\u00e9"]}',
         {"task_nodes": ["C:\\dir\\_x", 'a"b', "\\", "é"]}),
        ("{'task_nodes': [{'task': 'a', 'ok': True, 'n': None}]}",
         {"task_nodes": [{"task": "a", "ok": True, "n": None}]}),
        ('{"task_nodes": [{"task": "a"}, {"task": "b"', {"task_nodes": [{"task": "a"}, {"task": "b"}]}),
        ('{"task_nodes": ["line\nbreak"]}', {"task_nodes": ["line\nbreak"]}),
    ],
)  # fmt: skip
def test_small_slips_are_mended_and_nothing_else_is_touched(
    answer: str, expected: dict[str, Any]
) -> None:
    assert extract_object(answer, "task_nodes") == expected


def test_of_several_plans_the_last_is_the_answer() -> None:
    first, last = '{"task_nodes": [1]}', '{"task_nodes": [2]}'
    assert extract_object(f"Draft: {first}\nFinal: {last}", "task_nodes") == {"task_nodes": [2]}


def test_an_object_without_the_key_is_better_than_none() -> None:
    assert extract_object('My answer: {"steps": []}.', "task_nodes") == {"steps": []}


@pytest.mark.parametrize(
    "answer", ["", "I cannot help with that.", "{", "}{", "[1, 2]", "```json\n```", "{" * 5000]
)
def test_where_there_is_no_object_none_is_found(answer: str) -> None:
    assert extract_object(answer, "task_nodes") is None


@pytest.mark.parametrize(
    "answer",
    [
        "{" * 100_000,
        '{"a":' * 60_000,
        '{"a" "' * 40_000,
        '{"a":x' * 60_000,
        '{"' + '\\"' * 190_000,
        '{"a":' * 900 + '["x",' + '"x",' * 90_000,
        "```{" * 90_000,
    ],
    ids=["braces", "nested", "no-colon", "no-value", "open-text", "open-list", "fences"],
)
def test_what_a_stuck_model_repeats_is_given_up_on_within_a_second(answer: str) -> None:
    started = time.process_time()
    assert extract_object(answer, "task_nodes") is None
    assert time.process_time() - started < 1  # half of it at most here; it was 3 to 7


def test_a_long_plan_is_read_whole_and_none_of_its_parts_stands_for_it() -> None:
    long = {"task_nodes": [{"task": "x" * 1000, "arguments": []}] * 500}
    assert len(json.dumps(long)) > 500_000
    assert extract_object(json.dumps(long), "task_nodes") == long
    assert extract_object("My plan: " + json.dumps(long), "task_nodes") is None


def test_an_integer_of_5000_digits_costs_nothing_but_itself() -> None:
    digits = "7" * 5000
    found = extract_object(f'{{"task_nodes": [{{"task": "a", "arguments": [{digits}]}}]}}', "x")
    assert found == {"task_nodes": [{"task": "a", "arguments": [digits]}]}
