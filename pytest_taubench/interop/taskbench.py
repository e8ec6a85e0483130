"""TaskBench samples as they were published, in both of their shapes.

The first shape has ``user_request, task_steps, task_nodes, task_links``. The second has
``instruction, tool_steps, tool_nodes, tool_links``, each but the first as JSON inside a string.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_taubench.taskbench.published import published_fields as decoded

_LISTS = ("sampled_nodes", "sampled_links", "task_steps", "task_nodes", "task_links")
_KEPT = (*_LISTS, "id", "domain", "type", "n_tools", "user_request", "seed")
_TYPES = ("single", "chain", "dag")


def is_published_sample(data: Mapping[str, Any]) -> bool:
    """True for an object in one of the published shapes."""
    return "task_nodes" in data or "tool_nodes" in data or "tool_steps" in data


def published_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a sample, whichever published shape they come in.

    Values are put into the form that a sample has, never dropped for being odd: a step that is
    no text becomes its JSON text, a node that is no object becomes a node of that name.
    """
    fields = {name: value for name, value in decoded(data).items() if name in _KEPT}
    for name in _LISTS:
        fields[name] = _as_list(fields.get(name))
    fields["task_steps"] = [_as_text(step) for step in fields["task_steps"]]
    fields["task_nodes"] = [_as_object(node, "task") for node in fields["task_nodes"]]
    fields["task_links"] = [_as_object(link, "source") for link in fields["task_links"]]
    for name in ("n_tools", "seed"):
        if name in fields:
            fields[name] = _as_number(fields[name])
    if fields.get("type") not in _TYPES:
        fields.pop("type", None)
    return fields


def graph_of_tools(names: Iterable[str], graphs: Mapping[str, Iterable[str]]) -> str | None:
    """Return the tool graph that most of the tools belong to, or None where none has any.

    Published files do not say which graph they are of.

    Args:
        names: The tools that samples use.
        graphs: The tools of each known graph.
    """
    used = {_plain(name) for name in names}
    shared = {graph: len(used & {_plain(t) for t in tools}) for graph, tools in graphs.items()}
    best = max(shared, key=shared.__getitem__, default=None)
    return best if best is not None and shared[best] else None


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _as_object(value: Any, name: str) -> dict[str, Any]:
    return value if isinstance(value, dict) else {name: _as_text(value)}


def _as_number(value: Any) -> Any:
    if isinstance(value, str):
        return int(value) if value.strip().lstrip("-").isdigit() else None
    return value if isinstance(value, int) else None
