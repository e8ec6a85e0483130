"""The JSON Schema for editors says the same as the reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.task_files import SUFFIXES, json_text, yaml_text
from pytest_taubench.task_files.json_schema import task_file_schema

TASK = {"id": "a", "domain": "shop", "instruction": "x"}
SAMPLE = {"domain": "media", "graph": {"id": "s", "user_request": "x", "task_nodes": []}}


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(task_file_schema())


def _documents(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json_text.load(line) for _, line in json_text.json_lines(text)]
    return [json_text.load(text) if path.suffix == ".json" else yaml_text.load(text)]


def test_every_bundled_task_file_is_valid(validator: jsonschema.Draft202012Validator) -> None:
    paths = [path for path in suites_root().rglob("*") if path.name.endswith(SUFFIXES)]
    assert paths != []
    faults = [
        f"{path.name}: {error.json_path}: {error.message}"
        for path in paths
        for document in _documents(path)
        for error in validator.iter_errors(document)
    ]
    assert faults == []


@pytest.mark.parametrize(
    "document",
    [
        {"domain": "shop", "tasks": [{"instruction": "x"}]},
        [TASK, {**TASK, "outputs": ["a", 54.1], "id": 7}],
        TASK,
        SAMPLE,
        {"domain": "media", "pass": {"metric": "ned", "at_least": 1}, "tasks": [SAMPLE]},
        {**TASK, "actions": [{"name": "a", "kwargs": {"x": 1}}, {"name": "b", "arguments": {}}]},
        {**TASK, "script": {"mood": "polite, brief", "requests": ["I want a lamp."]}},
        {**TASK, "script": {"facts": {"order_id": ["#W1", "#W2"], "age": 40}}},
    ],
)
def test_what_the_reader_takes_is_valid(
    validator: jsonschema.Draft202012Validator, document: Any
) -> None:
    assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize(
    "document",
    [
        {"domain": "shop", "tasks": []},
        {"domian": "shop", "tasks": [TASK]},
        {"domain": "shop"},
        [{"id": "a", "domain": "shop"}],
        {**TASK, "instrution": "x"},
        {**TASK, "id": "a[1]"},
        {**TASK, "id": "a::b"},
        {**TASK, "ignore_failing_gold": True},
        {**TASK, "max_steps": 0},
        {**TASK, "reward_basis": ["databse"]},
        {**TASK, "outputs": [{}]},
        {**TASK, "actions": [{"nam": "x"}]},
        {**TASK, "script": {"zzz": 1}},
        {**SAMPLE, "grph": 1},
        {"graph": {"id": "s"}},
        "text",
    ],
    ids=json.dumps,
)
def test_what_the_reader_refuses_is_not(
    validator: jsonschema.Draft202012Validator, document: Any
) -> None:
    assert not validator.is_valid(document)
