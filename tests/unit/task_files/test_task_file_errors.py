"""What a task file may not say: each field and each gold action, with its line and its mending."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wrong_task_files import TASK, Case, action, each_of, graph, unlike

CASES: list[Case] = [
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
    ("arguments that are no list", "f.tau.jsonl",
     graph(task_nodes=[{"task": "Translate", "arguments": True}]), 1,
     ["graph.task_nodes[0].arguments: expected a list of arguments, found a yes/no value"]),
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
    ("number of 6,000 digits", "f.tau.yaml", f"{TASK}, max_steps: {'9' * 6000}}}", 1,
     ["a number of 6000 digits cannot be read"]),
    ("id of 6,000 digits", "f.tau.yaml",
     f"tasks:\n  - instruction: Be.\n    id: {'9' * 6000}", 3,
     ["a number of 6000 digits cannot be read"]),
]  # fmt: skip


@each_of(CASES)
def test_a_wrong_file_is_one_clear_error(tmp_path: Path, case: Any) -> None:
    assert unlike(tmp_path, case) == []
