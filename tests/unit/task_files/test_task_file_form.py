"""A file that is no readable list of tasks: each way is one clear error with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from wrong_task_files import TASK, Case, each_of, tools_of, unlike

from pytest_taubench.errors import TaskFileError
from pytest_taubench.task_files import read_task_file


def billion_laughs(begin: str, end: str) -> str:
    """Return nine levels of ten aliases each; the fourth, on line 5, holds over 100,000 values."""
    lines = ["a0: &a0 {k: 0, l: 0, m: 0, n: 0, o: 0}"]
    for level in range(1, 10):
        lines.append(f"a{level}: &a{level} {begin}{', '.join([f'*a{level - 1}'] * 10)}{end}")
    return "\n".join(lines)


CASES: list[Case] = [
    ("yaml syntax", "f.tau.yaml", "tasks:\n  - {id: a\n  - b\n", 3, ["no valid YAML", "line 2"]),
    ("yaml tab", "f.tau.yaml", "tasks:\n\t- id: a\n", 2, ["no valid YAML"]),
    ("yaml tag", "f.tau.yaml", "- id: !!python/object:os.system x\n", 1, ["no valid YAML"]),
    ("two yaml documents", "f.tau.yaml", f"{TASK}}}\n---\n{TASK}}}\n", 2, ["single document"]),
    ("json syntax", "f.tau.json", '{"tasks": [\n  {"id": "a",}\n]}', 2, ["no valid JSON"]),
    ("json NaN", "f.tau.json", '[{"id": "a", "max_steps": NaN}]', 1, ["NaN is no JSON value"]),
    ("nested too deeply", "f.tau.json", "[\n1,\n" + "[" * 100_000, 3, ["nested too deeply"]),
    ("yaml nested too deeply", "f.tau.yaml", "-\n " + "- " * 2000, 2, ["maximum nesting depth"]),
    ("json infinity", "f.tau.json", '["Infinity",\n -Infinity]', 2, ["-Infinity is no JSON value"]),
    ("json endless number", "f.tau.json", f"[1,\n {'9' * 5000}]", 2, ["4300 digits"]),
    ("yaml NUL", "f.tau.yaml", "- id: é\n  instruction: 'x\0y'\n", 2, ["#x0000"]),
    (
        "alias of itself",
        "f.tau.yaml",
        "domain: retail\ntasks: &t\n  - id: a\n    instruction: x\n    actions: *t\n",
        2,
        ["this holds an alias of itself"],
    ),
    ("merge of itself", "f.tau.yaml", "- id: a\n  script: &s {<<: *s}\n", 2, ["alias of itself"]),
    ("billion laughs", "f.tau.yaml", billion_laughs("[", "]"), 5, ["more than 100000 values"]),
    ("billion merges", "f.tau.yaml", billion_laughs("{<<: [", "]}"), 5, ["more than 100000"]),
    ("merge of a text", "f.tau.yaml", "- id: a\n  <<: b\n", 2, ["<< merges mappings only"]),
    (
        "torn line",
        "f.tau.jsonl",
        '{"id": "a", "domain": "shop", "instruction": "x"}\n{"id": "b", "dom',
        2,
        ["no valid JSON", "the file's last line is cut short"],
    ),
    ("not UTF-8", "f.tau.yaml", b"- id: a\n  instruction: caf\xe9\n", 2, ["not UTF-8", "0xe9"]),
    ("empty file", "f.tau.yaml", "", 1, ["the file is empty"]),
    ("only comments", "f.tau.yaml", "# later\n", 1, ["the file is empty"]),
    ("no tasks", "f.tau.yaml", "domain: shop\n", 1, ["no tasks"]),
    ("empty list", "f.tau.yaml", "domain: shop\ntasks: []\n", 2, ["the list of tasks is empty"]),
    ("a task alone", "f.tau.yaml", "instruction: x\n", 1, ["put this task into a list"]),
    ("tasks of a wrong type", "f.tau.json", '{\n"tasks": 5}', 2, ["a list of tasks", "a number"]),
    ("a task that is text", "f.tau.yaml", f"{TASK}}}\n- hello\n", 2, ["tasks[1]", "found text"]),
]  # fmt: skip


@each_of(CASES)
def test_an_unreadable_file_is_one_clear_error(tmp_path: Path, case: Any) -> None:
    assert unlike(tmp_path, case) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match=r"none\.tau\.yaml: cannot be read: No such file"):
        read_task_file(tmp_path / "none.tau.yaml")


def test_all_problems_are_collected_and_the_first_twenty_shown(tmp_path: Path) -> None:
    path = tmp_path / "f.tau.yaml"
    path.write_text("".join(f"- {{id: t{i}, domain: shop}}\n" for i in range(23)))
    with pytest.raises(TaskFileError) as caught:
        read_task_file(path, tools_of)
    assert [problem.line for problem in caught.value.problems] == list(range(1, 24))
    shown = str(caught.value).splitlines()
    assert len(shown) == 21
    assert shown[-1] == "... and 3 more problems in this file"


def test_lines_are_those_of_the_document_in_deep_json(tmp_path: Path) -> None:
    path = tmp_path / "f.tau.json"
    tasks = [
        {"id": f"t{i}", "domain": "shop", "instruction": 'a "quoted, [text]"', "actions": []}
        for i in range(3)
    ]
    tasks[2]["actions"] = [{"name": "cancel_order", "arguments": {"order_id": "é\n"}}, {"nam": 1}]
    text = json.dumps({"tasks": tasks}, indent=1)
    path.write_text(text)
    with pytest.raises(TaskFileError) as caught:
        read_task_file(path, tools_of)
    wanted = next(n for n, line in enumerate(text.splitlines(), 1) if '"nam"' in line)
    assert [problem.line for problem in caught.value.problems] == [wanted]


CUT = "instruction: You return the grinder of order #W5535848 to your gift card."
SENTENCE_WITH_ID = "instruction: You cancel it, please. #W5535848 is the order."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"- id: a\n  domain: shop\n  {CUT}\n", 3),
        (f"- id: a\n  domain: shop\n  {SENTENCE_WITH_ID}\n", 3),
        ("- id: a\n  domain: shop\n  instruction:\n    You return\n    order #W5535848\n", 3),
        ("- {id: a, domain: shop, instruction: the order #W5535848\n  }\n", 1),
        ("- id: a\n  domain: shop\n  instruction: You cancel order # one\n", 3),
    ],
)
def test_an_instruction_that_yaml_cuts_off_at_an_order_number_is_an_error(
    tmp_path: Path, text: str, line: int
) -> None:
    path = tmp_path / "a.tau.yaml"
    path.write_text(text)
    with pytest.raises(TaskFileError, match="reads the rest of the line as a comment") as caught:
        read_task_file(path)
    assert "task 'a', instruction: breaks off before '#" in str(caught.value)
    assert [each.line for each in caught.value.problems] == [line]


@pytest.mark.parametrize(
    "text",
    [
        "- id: a\n  domain: shop\n  instruction: 'You return order #W5535848.'\n",
        '- id: a\n  domain: shop\n  instruction: "You return it in the order of"   #W1\n',
        "- id: a\n  domain: shop\n  instruction: >-\n    You return order #W5535848.\n",
        "- id: a\n  domain: shop\n  instruction: You return it.  # all but this is meant\n",
        "- id: a\n  domain: shop\n  instruction: You know what the order is for\n",
        "- id: a\n  domain: shop\n  instruction: You return order#W5535848.\n",
    ],
)
def test_an_instruction_that_is_whole_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.tau.yaml"
    path.write_text(text)
    (task,) = read_task_file(path).tasks
    assert task.instruction.startswith("You ")
