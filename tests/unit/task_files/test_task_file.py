"""What a task file may say, and what is made of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_taubench.errors import TaskFileError
from pytest_taubench.task_files import TaskFile, is_task_file, read_task_file, suite_name

Read = Callable[..., TaskFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a file under tasks/returns and read it."""

    def write_and_read(text: str, name: str = "a.tau.yaml") -> TaskFile:
        path = tmp_path / "returns" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return read_task_file(path)

    return write_and_read


PAPER_INSTANCE = {
    "user_id": "ada_park_1",
    "instruction": "You are Ada Park. Cancel order #W1.",
    "actions": [
        {
            "name": "cancel_pending_order",
            "kwargs": {"order_id": "#W1", "reason": "no longer needed"},
        }
    ],
    "outputs": ["12.50"],
}


def test_an_instance_of_the_paper_is_valid_as_it_stands(read: Read) -> None:
    text = json.dumps({"domain": "shop", "tasks": [PAPER_INSTANCE, PAPER_INSTANCE]})
    first, second = read(text, "a.tau.json").tasks
    assert (first.id, second.id) == ("0", "1")
    assert first.domain == "shop"
    assert first.user_id == "ada_park_1"
    assert first.actions[0].name == "cancel_pending_order"
    assert first.actions[0].arguments == {"order_id": "#W1", "reason": "no longer needed"}
    assert first.outputs == ["12.50"]
    assert first.reward_basis == ["database", "outputs"]


def test_a_bare_list_and_json_lines_hold_the_same(read: Read) -> None:
    task = {**PAPER_INSTANCE, "domain": "shop"}
    listed = read(json.dumps([task]), "a.tau.json").tasks
    lined = read(f"\n{json.dumps(task)}\n\n", "a.tau.jsonl").tasks
    assert listed == lined
    assert lined[0].instruction == PAPER_INSTANCE["instruction"]


def test_a_file_with_a_byte_order_mark_is_read(read: Read) -> None:
    assert len(read("\ufeff- {domain: shop, instruction: hello}\n").tasks) == 1


def test_yaml_texts_that_yaml_1_1_would_turn_into_something_else_stay_texts(read: Read) -> None:
    text = """
domain: shop
tasks:
  - instruction: hello
    actions:
      - name: book
        arguments:
          {insurance: no, gift: yes, light: on, date: 2024-05-15, time: 12:30:00, zip: 01234,
           code: 4E1234, hex: 0x1F}
"""
    assert read(text).tasks[0].actions[0].arguments == {
        "insurance": "no",
        "gift": "yes",
        "light": "on",
        "date": "2024-05-15",
        "time": "12:30:00",
        "zip": "01234",
        "code": "4E1234",
        "hex": "0x1F",
    }


def test_yaml_numbers_and_truths_of_yaml_1_2_have_their_types(read: Read) -> None:
    text = """
- domain: shop
  instruction: hello
  actions: [{name: x, arguments: {a: 25, b: -1.50, c: true, d: False, e: null, f: 1.5e3}}]
"""
    arguments = read(text).tasks[0].actions[0].arguments
    assert arguments == {"a": 25, "b": -1.5, "c": True, "d": False, "e": None, "f": 1500.0}
    assert type(arguments["a"]) is int
    assert type(arguments["b"]) is float


@pytest.mark.parametrize("name", ["a.tau.yaml", "a.tau.json", "a.tau.jsonl"])
def test_outputs_ids_and_users_without_quotes_are_the_text_as_written(
    read: Read, name: str
) -> None:
    task = (
        '{"domain": "shop", "id": 7, "user_id": 42, "instruction": "hi", "outputs": [54.10, 1000]}'
    )
    text = task if name.endswith("jsonl") else f"[{task}]"
    read_task = read(text, name).tasks[0]
    assert read_task.outputs == ["54.10", "1000"]
    assert read_task.id == "7"
    assert read_task.user_id == "42"


def test_tasks_inherit_what_the_file_says_and_may_say_otherwise(read: Read) -> None:
    text = """
domain: shop
output_match: substring
max_steps: 12
marks: [slow]
reward_basis: [database]
tasks:
  - {id: a, instruction: x}
  - {id: b, instruction: x, domain: bank, output_match: value, max_steps: 3,
     marks: [smoke, slow], reward_basis: [outputs]}
"""
    a, b = read(text).tasks
    assert (a.domain, a.output_match, a.max_steps) == ("shop", "substring", 12)
    assert (a.marks, a.reward_basis) == (["slow"], ["database"])
    assert (b.domain, b.output_match, b.max_steps) == ("bank", "value", 3)
    assert (b.marks, b.reward_basis) == (["slow", "smoke"], ["outputs"])


def test_yaml_anchors_and_merge_keys_work(read: Read) -> None:
    text = """
domain: shop
tasks:
  - &base {id: a, instruction: hello, max_steps: 4}
  - {<<: *base, id: b}
"""
    assert [(task.id, task.max_steps) for task in read(text).tasks] == [("a", 4), ("b", 4)]


def test_of_merged_keys_the_first_counts_and_a_mappings_own_before_them(read: Read) -> None:
    text = """
domain: shop
tasks:
  - {id: a, instruction: x, script: {facts: &a {<<: &z {k: zero, l: zero}, k: one}}}
  - {id: b, instruction: x, script: {facts: {<<: *a}}}
  - {id: c, instruction: x, script: {facts: {l: own, <<: [*a, *z, {l: two, m: two}]}}}
"""
    assert [task.script.facts if task.script else {} for task in read(text).tasks] == [
        {"k": ["one"], "l": ["zero"]},
        {"k": ["one"], "l": ["zero"]},
        {"k": ["one"], "l": ["own"], "m": ["two"]},
    ]


def test_a_number_that_was_merged_in_is_the_text_as_written(read: Read) -> None:
    text = """
- &a {id: a, domain: shop, instruction: x, outputs: [54.10]}
- {<<: *a, id: b}
"""
    assert [task.outputs for task in read(text).tasks] == [["54.10"], ["54.10"]]


def test_aliases_may_stand_for_a_lot(read: Read) -> None:
    actions = "\n".join("  - {name: act, arguments: {}}" for _ in range(100))
    tasks = "\n".join(f"- {{id: t{i}, instruction: x, actions: *all}}" for i in range(100))
    found = read(
        f"domain: shop\ntasks:\n- id: first\n  instruction: x\n  actions: &all\n{actions}\n{tasks}"
    )
    assert [len(task.actions) for task in found.tasks] == [100] * 101


def test_users_are_checked_by_the_domains_keys_where_these_are_known(tmp_path: Path) -> None:
    path = tmp_path / "a.tau.yaml"
    path.write_text("- {domain: shop, instruction: x, user_id: ada_park_1}")
    assert read_task_file(path).tasks[0].user_id == "ada_park_1"
    for keys in (["ada_park_1"], None):
        file = read_task_file(path, lambda name, base: {}, keys_of=lambda name, base, k=keys: k)
        assert file.tasks[0].user_id == "ada_park_1"
    with pytest.raises(TaskFileError, match="no record 'ada_park_1'"):
        read_task_file(path, lambda name, base: {}, keys_of=lambda name, base: [])


def test_marks_that_need_no_arguments_may_be_pytests_own(read: Read) -> None:
    text = "- {domain: shop, instruction: x, marks: [skip, xfail, slow]}"
    assert read(text).tasks[0].marks == ["skip", "xfail", "slow"]


def test_suite_is_the_folder_or_in_the_root_the_file(tmp_path: Path) -> None:
    assert suite_name(tmp_path / "retail" / "a.tau.yaml", root=tmp_path) == "retail"
    assert suite_name(tmp_path / "smoke.tau.yaml", root=tmp_path) == "smoke"


def test_only_the_four_endings_are_task_files() -> None:
    names = ["a.tau.yaml", "a.tau.yml", "a.tau.json", "a.tau.jsonl", "tau.yaml", "a.yaml"]
    assert [is_task_file(Path(name)) for name in names] == [True] * 4 + [False] * 2


SAMPLE = {
    "id": "s1",
    "type": "chain",
    "n_tools": 2,
    "sampled_nodes": [{"task": "Translate"}, {"task": "Speak"}],
    "sampled_links": [{"source": "Translate", "target": "Speak"}],
    "user_request": "Say it in French",
    "task_steps": ["Translate", "Speak"],
    "task_nodes": [
        {"task": "Translate", "arguments": ["hello"]},
        {"task": "Speak", "arguments": ["<node-0>"]},
    ],
    "task_links": [{"source": "Translate", "target": "Speak"}],
}


def test_a_taskbench_sample_keeps_its_fields_under_graph(read: Read) -> None:
    entry = {"domain": "media", "marks": ["slow"], "graph": SAMPLE}
    sample = read(json.dumps(entry), "a.tau.jsonl").samples[0]
    assert sample.model_dump(include=set(SAMPLE)) == SAMPLE
    assert (sample.domain, sample.marks, sample.pass_bar) == ("media", ["slow"], None)


def test_a_sample_or_its_file_may_ask_for_another_bar(read: Read) -> None:
    bar, other = {"metric": "node_f1", "at_least": 0.8}, {"metric": "edge_f1", "at_least": 1}
    entries = [{"graph": SAMPLE}, {"graph": {**SAMPLE, "id": "s2"}, "pass": other}]
    text = json.dumps({"domain": "media", "pass": bar, "tasks": entries})
    first, second = read(text, "a.tau.json").samples
    assert first.pass_bar is not None
    assert first.pass_bar.model_dump() == bar
    assert second.pass_bar is not None
    assert second.pass_bar.model_dump() == other


def test_the_published_shape_with_json_in_strings_reads_as_the_other(read: Read) -> None:
    second_shape = {
        "id": "s1",
        "type": "chain",
        "n_tools": "2",
        "sampled_nodes": json.dumps(SAMPLE["sampled_nodes"]),
        "sampled_links": json.dumps(SAMPLE["sampled_links"]),
        "instruction": SAMPLE["user_request"],
        "tool_steps": json.dumps(SAMPLE["task_steps"]),
        "tool_nodes": json.dumps(SAMPLE["task_nodes"]),
        "tool_links": json.dumps(SAMPLE["task_links"]),
    }
    first, second = (
        read(json.dumps({"domain": "media", "tasks": [shape]}), "a.tau.json").samples
        for shape in (SAMPLE, second_shape)
    )
    assert first == second


def test_oddities_of_published_samples_are_read_and_reported(read: Read) -> None:
    odd = {
        **SAMPLE,
        "task_nodes": [
            {"task": "Translate", "arguments": [{"name": "text", "value": {"a": 1}}]},
            {"task": "Speak", "arguments": ["<node-5>"]},
        ],
        "task_links": [{"source": "Translate", "target": "Sing"}],
    }
    file = read(json.dumps({"domain": "media", **odd}), "a.tau.jsonl")
    assert file.samples[0].task_nodes == odd["task_nodes"]
    assert file.notes == [
        "sample 's1': no node 'Sing' in task_nodes",
        "sample 's1': task_nodes[0] has an argument that is a mapping",
        "sample 's1': task_nodes[1] refers to <node-5>, but there are 2 nodes, counted from 0",
    ]


def test_a_basis_with_nothing_to_grade_is_noted(read: Read) -> None:
    text = "- {id: a, domain: shop, instruction: x, reward_basis: [database, nl_assertions]}"
    assert read(text).notes == ["task 'a': reward_basis names nl_assertions, but the task has none"]


def test_a_file_of_the_papers_scale_is_read_in_seconds(tmp_path: Path) -> None:
    path = tmp_path / "large.tau.jsonl"
    lines = ({"domain": "media", "graph": {**SAMPLE, "id": str(i)}} for i in range(17_000))
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    started = time.process_time()
    file = read_task_file(path)
    assert len(file.samples) == 17_000
    # About 0.7 s on one core; the bar leaves room for a slow, busy machine.
    assert time.process_time() - started < 4
