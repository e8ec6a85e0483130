"""Each kind of wrong task file is one error that says where, what, and what was meant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.errors import DomainError, TaskFileError, ToolError
from pytest_taubench.task_file import read_task_file

TASK = "- {id: a, domain: shop, instruction: hello"


class CancelTool:
    """Takes an order_id, a text, and nothing else."""

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        for name in arguments:
            if name != "order_id":
                raise ToolError(f"unknown argument '{name}'; did you mean 'order_id'?")
        if "order_id" not in arguments:
            raise ToolError("missing argument 'order_id'")
        if not isinstance(arguments["order_id"], str):
            raise ToolError("argument 'order_id': expected a string")
        return arguments


def tools_of(domain: str, base: Path) -> Mapping[str, CancelTool]:
    if domain != "shop":
        raise DomainError(f"no domain '{domain}'. Did you mean 'shop'?")
    return {"cancel_order": CancelTool()}


def keys_of(domain: str, base: Path) -> list[str]:
    assert domain == "shop", "asked of a domain that does not load"
    return ["ada_park_1", "#W1"]


def graph_tools_of(domain: str, base: Path) -> list[str]:
    if domain != "media":
        raise DomainError(f"no tool graph '{domain}'. Did you mean 'media'?")
    return ["Translate", "Speak"]


def action(text: str) -> str:
    return f"{TASK},\n   actions: [\n    {text}\n   ]}}"


def graph(**changes: Any) -> str:
    fields = {
        "id": "s",
        "user_request": "Say it",
        "task_nodes": [{"task": "Speak", "arguments": ["hello"]}],
        "task_links": [],
        **changes,
    }
    return json.dumps(
        {"domain": "media", "graph": {k: v for k, v in fields.items() if v is not None}}
    )


def billion_laughs(begin: str, end: str) -> str:
    """Return nine levels of ten aliases each; the fourth, on line 5, holds over 100,000 values."""
    lines = ["a0: &a0 {k: 0, l: 0, m: 0, n: 0, o: 0}"]
    for level in range(1, 10):
        lines.append(f"a{level}: &a{level} {begin}{', '.join([f'*a{level - 1}'] * 10)}{end}")
    return "\n".join(lines)


# name of the kind, file name, content, line, parts of the message in any order
CASES: list[tuple[str, str, str | bytes, int | None, list[str]]] = [
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
    ("wrong type", "f.tau.yaml", "- domain: shop\n  instruction: [x]\n", 2, ["text", "a list"]),
    (
        "unknown field of a task",
        "f.tau.yaml",
        "- id: a\n  domain: shop\n  instrution: x\n",
        3,
        ["task 'a', instrution: unknown field. Did you mean 'instruction'?"],
    ),
    (
        "unknown field of the file",
        "f.tau.yaml",
        f"domian: shop\ntasks:\n  {TASK}}}\n",
        1,
        ["domian: unknown field. Did you mean 'domain'?"],
    ),
    (
        "unknown field of an action",
        "f.tau.yaml",
        action("{name: cancel_order, argument: {}}"),
        3,
        ["actions[0].argument: unknown field. Did you mean 'arguments'?"],
    ),
    (
        "field that no file may set",
        "f.tau.yaml",
        f"{TASK}, ignore_failing_gold: true}}",
        1,
        ["ignore_failing_gold: unknown field"],
    ),
    (
        "unknown domain",
        "f.tau.yaml",
        "- id: a\n  instruction: x\n  domain: shopp\n",
        3,
        ["task 'a', domain: no domain 'shopp'. Did you mean 'shop'?"],
    ),
    (
        "unknown domain of the file",
        "f.tau.yaml",
        "domain: shopp\ntasks:\n  - {instruction: x}\n  - {instruction: y}\n",
        1,
        ["domain: no domain 'shopp'"],
    ),
    (
        "unknown tool",
        "f.tau.yaml",
        action("{name: cancle_order, arguments: {order_id: a}}"),
        3,
        ["task 'a', actions[0].name", "no tool 'cancle_order'. Did you mean 'cancel_order'?"],
    ),
    (
        "unknown argument",
        "f.tau.yaml",
        action("{name: cancel_order, arguments: {order: a}}"),
        3,
        ["actions[0].arguments: cancel_order: unknown argument 'order'; did you mean 'order_id'"],
    ),
    (
        "missing argument",
        "f.tau.yaml",
        action("{name: cancel_order}"),
        3,
        ["cancel_order: missing argument 'order_id'"],
    ),
    (
        "bad argument value",
        "f.tau.yaml",
        action("{name: cancel_order, kwargs: {order_id: 5}}"),
        3,
        ["argument 'order_id': expected a string"],
    ),
    (
        "arguments that are a list",
        "f.tau.yaml",
        action("{name: cancel_order, arguments: [a]}"),
        3,
        ["actions[0].arguments: expected a mapping, found a list"],
    ),
    ("action without a name", "f.tau.yaml", action("{arguments: {}}"), 3, ["name: missing"]),
    (
        "duplicate id",
        "f.tau.yaml",
        f"{TASK}}}\n{TASK}}}\n",
        2,
        ["task 'a', id", "already taken by the task on line 1"],
    ),
    (
        "id equal to an index",
        "f.tau.yaml",
        '- {id: "1", domain: shop, instruction: x}\n- {domain: shop, instruction: x}\n',
        2,
        [
            "task 2 of the file (no id), id: its place makes its id '1', which is already taken "
            "by the task on line 1"
        ],
    ),
    ("missing instruction", "f.tau.yaml", "- {id: a, domain: shop}", 1, ["instruction: missing"]),
    ("empty instruction", "f.tau.yaml", "- {domain: shop, instruction: ''}", 1, ["not be empty"]),
    ("missing domain", "f.tau.yaml", "- {id: a, instruction: x}", 1, ["task 'a', domain: missing"]),
    (
        "a task without an id",
        "f.tau.yaml",
        "- {domain: shop, instruction: x}\n- {domain: shop, instruction: x, output: 1}",
        2,
        ["f.tau.yaml:2: task 2 of the file (no id), output: unknown field"],
    ),
    (
        "a sample without an id",
        "f.tau.jsonl",
        graph(id=None, type="chian"),
        1,
        ["f.tau.jsonl:1: task 1 of the file (no id), graph.type"],
    ),
    (
        "user that no record is of",
        "f.tau.yaml",
        "- id: a\n  domain: shop\n  instruction: x\n  user_id: ada_bark_1\n",
        4,
        ["task 'a', user_id: the domain shop has no record 'ada_bark_1'. Did you mean 'ada_park_1'"],
    ),
    ("user that is a number", "f.tau.yaml", f"{TASK}, user_id: 5}}", 1, ["has no record '5'"]),
    *(
        (f"mark {mark}", "f.tau.yaml", f"{TASK}, marks: [skip, {mark}]}}", 1, [f"marks[1]: the mark '{mark}' needs arguments"])
        for mark in ("parametrize", "usefixtures", "filterwarnings")
    ),
    (
        "mark with arguments of the file",
        "f.tau.yaml",
        f"marks: [usefixtures]\ntasks:\n  {TASK}}}",
        1,
        ["marks[0]: the mark 'usefixtures' needs arguments"],
    ),
    ("empty id", "f.tau.yaml", "- {id: '', domain: shop, instruction: x}", 1, ["not be empty"]),
    ("id that is a list", "f.tau.yaml", "- {id: [], domain: shop, instruction: x}", 1, ["text"]),
    (
        "id with a bracket",
        "f.tau.yaml",
        "- {id: 'a[1]', domain: shop, instruction: x}",
        1,
        ["task 1 of the file, id: must not hold '['", "pytest's test ids", "'a[1]'"],
    ),
    (
        "id with two colons",
        "f.tau.yaml",
        "- {id: 'a::b', domain: shop, instruction: x}",
        1,
        ["must not hold '::'"],
    ),
    ("id with a line break", "f.tau.yaml", f'{TASK.replace("a", chr(34) + "a.b" + chr(34), 1)}}}'
     .replace("a.b", "a\\nb"), 1, ["line breaks"]),
    ("duplicate key", "f.tau.yaml", "- id: a\n  id: b\n", 2, ["the key 'id' is written twice"]),
    (
        "duplicate key in JSON",
        "f.tau.json",
        '[{"id": "x"},\n {"id": "a",\n  "id": "b"}]',
        3,
        ["the key 'id' is written twice"],
    ),
    (
        "output that is a mapping",
        "f.tau.yaml",
        f"{TASK},\n   outputs: [\n    {{}}]}}",
        3,
        ["outputs[0]: expected text or a number, found a mapping"],
    ),
    ("empty output", "f.tau.yaml", f"{TASK}, outputs: ['']}}", 1, ["outputs[0]", "empty text"]),
    (
        "bad output_match",
        "f.tau.yaml",
        f"{TASK}, output_match: substr}}",
        1,
        ["expected 'value' or 'substring', found 'substr'"],
    ),
    (
        "unknown reward basis",
        "f.tau.yaml",
        f"{TASK}, reward_basis: [databse]}}",
        1,
        ["reward_basis[0]", "found 'databse'. Did you mean 'database'?"],
    ),
    ("empty reward basis", "f.tau.yaml", f"{TASK}, reward_basis: []}}", 1, ["at least 1"]),
    ("max_steps of 0", "f.tau.yaml", f"{TASK}, max_steps: 0}}", 1, ["at least 1, found 0"]),
    ("max_steps as text", "f.tau.yaml", f"{TASK}, max_steps: 'five'}}", 1, ["a whole number"]),
    ("bad mark", "f.tau.yaml", f"{TASK}, marks: [very slow]}}", 1, ["marks[0]", "'very slow'"]),
    (
        "bad mark of the file",
        "f.tau.yaml",
        f"marks: [a-b]\ntasks:\n  {TASK}}}",
        1,
        ["marks[0]", "'a-b'"],
    ),
    ("unknown field of the script", "f.tau.yaml", f"{TASK}, script: {{zzz: 1}}}}", 1, ["script.zzz"]),
    *(
        (f"{name} cut at a comma", "f.tau.yaml",
         f"{TASK}, script: {script}}}", 1,
         [f"{place}.so it is the weather: has no value", "must stand in quotes inside {...}"])
        for name, place, script in (
            ("fact", "script.facts", "{facts: {reason: it storms, so it is the weather}}"),
            ("wish", "script.requests[0].wants",
             "{requests: [{say: Refund it., wants: {reason: it storms, so it is the weather}}]}"),
        )
    ),
    ("graph that is text", "f.tau.jsonl", '{"id": "a", "domain": "media", "graph": "x"}', 1,
     ["task 'a', graph: expected a mapping, found text"]),
    ("sample without a request", "f.tau.jsonl", graph(user_request=None), 1,
     ["task 's', graph.user_request: missing"]),
    ("link to a node that does not exist", "f.tau.jsonl",
     graph(task_links=[{"source": "Speek", "target": "Speak"}]), 1,
     ["graph.task_links[0].source: no node 'Speek' in task_nodes. Did you mean 'Speak'?"]),
    ("tool that the graph does not have", "f.tau.jsonl",
     graph(task_nodes=[{"task": "Transalte"}]), 1,
     ["graph.task_nodes[0].task", "no tool 'Transalte'. Did you mean 'Translate'?"]),
    ("unknown field of a graph", "f.tau.jsonl", graph(task_step=["x"]), 1,
     ["graph.task_step: unknown field. Did you mean 'task_steps'?"]),
    ("bad type of a sample", "f.tau.jsonl", graph(type="chian"), 1,
     ["graph.type", "found 'chian'. Did you mean 'chain'?"]),
    ("unknown tool graph", "f.tau.jsonl", graph().replace("media", "medai"), 1,
     ["task 's', domain: no tool graph 'medai'. Did you mean 'media'?"]),
    ("unknown metric of a bar", "f.tau.jsonl",
     graph()[:-1] + ', "pass": {"metric": "node_f2", "at_least": 1}}', 1,
     ["pass.metric: no metric 'node_f2'", "Did you mean 'node_f1'?"]),
    ("bar without its height", "f.tau.jsonl", graph()[:-1] + ', "pass": {"metric": "ned"}}', 1,
     ["pass.at_least: missing"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "line", "parts"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_a_wrong_file_is_one_clear_error(
    tmp_path: Path, name: str, content: str | bytes, line: int | None, parts: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TaskFileError) as caught:
        read_task_file(path, tools_of, graph_tools_of, keys_of=keys_of)
    message = str(caught.value)
    assert len(caught.value.problems) == 1, message
    assert caught.value.problems[0].line == line
    assert message.startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert [part for part in parts if part not in message] == []


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
