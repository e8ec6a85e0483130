"""The shapes in which TaskBench samples are published, brought to one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_RENAMED = {
    "instruction": "user_request",
    "tool_steps": "task_steps",
    "tool_nodes": "task_nodes",
    "tool_links": "task_links",
}
_JSON_IN_TEXT = ("sampled_nodes", "sampled_links", "task_steps", "task_nodes", "task_links")


def published_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample with the paper's field names.

    Read are the two published shapes (``user_request, task_steps, task_nodes, task_links``, and
    ``instruction, tool_steps, tool_nodes, tool_links`` with JSON inside texts), and a task file's
    line, which keeps the fields under ``graph``. What does not decode stays as it is.
    """
    if isinstance(row.get("graph"), Mapping):
        row = {**{key: row[key] for key in ("domain",) if key in row}, **row["graph"]}
    fields = {_RENAMED.get(key, key): value for key, value in row.items()}
    for key in _JSON_IN_TEXT:
        if isinstance(fields.get(key), str):
            fields[key] = _decoded(fields[key])
    return fields


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
