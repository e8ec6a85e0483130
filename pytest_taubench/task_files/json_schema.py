"""The JSON Schema of task files, for editors; made from the models, so it cannot drift."""

from __future__ import annotations

import copy
from typing import Any

from pytest_taubench.schema import Sample, Task
from pytest_taubench.task_files.reading import FileDefaults
from pytest_taubench.task_files.samples import BESIDE_GRAPH
from pytest_taubench.task_files.tasks import INTERNAL_FIELDS

Schema = dict[str, Any]

_WRITTEN: Schema = {"type": ["string", "number"]}
_ID: Schema = {
    "type": ["string", "number"],
    "minLength": 1,
    "not": {"type": "string", "pattern": r"::|\[|\]"},
}


def task_file_schema() -> Schema:
    """Return the JSON Schema of a task file: a mapping, a bare list, or one line of JSONL."""
    definitions: Schema = {}
    task = _task(definitions)
    sample = _sample(definitions)
    definitions |= {"TaskEntry": task, "SampleEntry": sample}
    definitions["Entry"] = {
        "if": {"required": ["graph"]},
        "then": {"$ref": "#/$defs/SampleEntry"},
        "else": {"$ref": "#/$defs/TaskEntry"},
    }
    definitions["Entries"] = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Entry"}}
    definitions["File"] = _file(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pytest-taubench task file",
        "if": {"type": "array"},
        "then": {"$ref": "#/$defs/Entries"},
        "else": {
            "if": {"required": ["tasks"]},
            "then": {"$ref": "#/$defs/File"},
            "else": {"$ref": "#/$defs/Entry"},
        },
        "$defs": definitions,
    }


def _model(model: Any, definitions: Schema) -> Schema:
    """Return a model's schema, its own definitions moved into the common ones."""
    schema: Schema = copy.deepcopy(model.model_json_schema())
    definitions.update(schema.pop("$defs", {}))
    return schema


def _task(definitions: Schema) -> Schema:
    task = _model(Task, definitions)
    for name in INTERNAL_FIELDS:
        del task["properties"][name]
    task["required"] = ["instruction"]  # id and domain may come from elsewhere
    task["properties"]["id"] = _ID
    task["properties"]["user_id"] = {"type": ["string", "number", "null"]}
    task["properties"]["outputs"] = {"type": "array", "items": _WRITTEN}
    action = definitions["Action"]
    action["properties"]["kwargs"] = action["properties"]["arguments"]
    for name in ("Script", *_referred(definitions, "Script")):
        _allow_short_forms(definitions[name])
    return task


def _sample(definitions: Schema) -> Schema:
    model = _model(Sample, definitions)
    properties = model["properties"]
    properties["id"] = _ID
    bar = properties.pop("pass_bar")
    beside = {name: properties[name] for name in BESIDE_GRAPH if name in properties}
    graph = {name: value for name, value in properties.items() if name not in _NEVER_IN_GRAPH}
    return {
        "type": "object",
        "required": ["graph"],
        "additionalProperties": False,
        "properties": {
            **beside,
            "pass": bar,
            "graph": {
                "type": "object",
                "required": ["user_request"],
                "additionalProperties": False,
                "properties": graph,
            },
        },
    }


_NEVER_IN_GRAPH = ("marks", "source", "notes")


def _file(definitions: Schema) -> Schema:
    file = _model(FileDefaults, definitions)
    file["properties"]["tasks"] = {"$ref": "#/$defs/Entries"}
    file["required"] = ["tasks"]
    return file


def _referred(definitions: Schema, name: str) -> list[str]:
    """Return the definitions that one refers to, directly or through others."""
    found: list[str] = []
    pending: list[Any] = [definitions[name]]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            other = str(node.get("$ref", "")).rpartition("/")[2]
            if other and other not in found:
                found.append(other)
                pending.append(definitions[other])
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    return found


def _allow_short_forms(model: Schema) -> None:
    """Let a bare value stand for a list of one, and a number or yes/no for its text."""
    short: Schema = {"type": ["string", "number", "boolean"]}
    for name, field in model.get("properties", {}).items():
        model["properties"][name] = {"anyOf": [_loose(field, short), short]}


def _loose(field: Any, short: Schema) -> Any:
    if not isinstance(field, dict):
        return field
    loose = {name: value for name, value in field.items() if name != "anyOf"}
    if "anyOf" in field:
        loose["anyOf"] = [_loose(option, short) for option in field["anyOf"]]
    for inner in ("items", "additionalProperties"):
        if isinstance(field.get(inner), dict):
            loose[inner] = {"anyOf": [_loose(field[inner], short), short]}
    return loose
