"""Finding the JSON in what a model wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_taubench.taskbench.extraction import extract_object

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
