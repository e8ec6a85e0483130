"""Read the arguments of a plan's nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.faults import PlanFault, PlanFaultKind, shown

REFERENCE = "<node-"

_EXTENSIONS = {
    "image": (".jpg", ".png", ".jpeg", ".gif", ".bmp", ".tiff", ".svg", ".ico"),
    "audio": (".mp3", ".wav", ".wma", ".ogg", ".aac", ".flac", ".aiff", ".au"),
    "video": (".mp4", ".avi", ".mov", ".flv", ".wmv", ".mkv", ".webm", ".m4v", ".mpg", ".mpeg"),
}


class Argument(NamedTuple):
    """One argument: the parameter's name, the value, and for a reference the node it means.

    In a resource graph the name is the value's type, since parameters have no names there, and
    the value of a reference is the name of the tool referred to.
    """

    name: str
    value: str
    source: int | None = None


@dataclass(frozen=True)
class ArgumentRules:
    """Where the two modes read arguments differently.

    Attributes:
        as_published: Take arguments apart as the published code does where they have a shape
            it did not foresee: a text into its characters, an object into its keys, and of an
            object that stands for one argument the first value. Otherwise a text is one
            argument, an object's values are the arguments, and of an object the ``value``
            counts.
    """

    as_published: bool

    def items(self, raw: Any) -> Sequence[Any]:
        """Return the single arguments of a node's ``arguments`` that is no list."""
        if isinstance(raw, str):
            return list(raw) if self.as_published else [raw]
        return list(raw) if self.as_published else list(raw.values())

    def value(self, raw: Mapping[str, Any]) -> Any:
        """Return the value of an object that stands for one argument."""
        if not self.as_published and "value" in raw:
            return raw["value"]
        return next(iter(raw.values()))

    def text(self, value: Any) -> str:
        """Return the text that a value is compared by: strictly, 1.0 is 1."""
        if not self.as_published and isinstance(value, float) and value.is_integer():
            value = int(value)
        return str(value)


def read_typed_arguments(
    node: Any,
    index: int,
    tools: Sequence[str],
    graph: ToolGraph,
    rules: ArgumentRules,
    faults: list[PlanFault],
) -> list[Argument]:
    """Read the arguments of a resource graph's node."""
    arguments = []
    for position, raw in enumerate(_items(node, index, rules, faults)):
        where = f"task_nodes[{index}].arguments[{position}]"
        text = _text(raw, where, rules, faults)
        if text is None:
            continue
        if REFERENCE not in text:
            arguments.append(Argument(content_type(text), text))
            continue
        source, wrong = _reference(text, index, len(tools), rules)
        if wrong is not None:
            faults.append(PlanFault(wrong, f"{where} is {shown(text)} of {len(tools)} nodes"))
        if source is not None:
            tool = tools[source]
            arguments.append(Argument(graph.output_types.get(tool, "other"), tool, source))
    return arguments


def read_named_arguments(
    node: Any, index: int, rules: ArgumentRules, faults: list[PlanFault]
) -> list[Argument]:
    """Read the arguments of a temporal graph's node."""
    raw = node.get("arguments") if isinstance(node, Mapping) else None
    if isinstance(raw, Mapping) and not rules.as_published:
        faults.append(PlanFault(PlanFaultKind.ARGUMENTS_OBJECT, f"task_nodes[{index}].arguments"))
        return [Argument(str(name), rules.text(value)) for name, value in raw.items()]
    arguments = []
    for position, item in enumerate(_items(node, index, rules, faults)):
        where = f"task_nodes[{index}].arguments[{position}]"
        kind = _named_fault(item)
        if kind is not None:
            faults.append(PlanFault(kind, f"{where} is {shown(item)}"))
            if kind is not PlanFaultKind.VALUE_NOT_TEXT:
                continue
        arguments.append(Argument(str(item["name"]), rules.text(item["value"])))
    return arguments


def content_type(text: str) -> str:
    """Return the type that a text's file extension shows, ``text`` where it shows none."""
    if "." in text:
        text = text.strip("'")
        for type_, extensions in _EXTENSIONS.items():
            if any(extension in text for extension in extensions):
                return type_
    return "text"


def _items(node: Any, index: int, rules: ArgumentRules, faults: list[PlanFault]) -> Sequence[Any]:
    where = f"task_nodes[{index}].arguments"
    if not isinstance(node, Mapping):
        return []
    if "arguments" not in node:
        faults.append(PlanFault(PlanFaultKind.ARGUMENTS_MISSING, f"{where} is not there"))
        return []
    raw = node["arguments"]
    if isinstance(raw, list):
        return raw
    if not isinstance(raw, str | Mapping):
        faults.append(PlanFault(PlanFaultKind.ARGUMENTS_NOT_LIST, f"{where} is {shown(raw)}"))
        return []
    kind = PlanFaultKind.ARGUMENTS_TEXT if isinstance(raw, str) else PlanFaultKind.ARGUMENTS_OBJECT
    faults.append(PlanFault(kind, f"{where} is {shown(raw)}"))
    return rules.items(raw)


def _text(raw: Any, where: str, rules: ArgumentRules, faults: list[PlanFault]) -> str | None:
    value = raw
    if isinstance(value, Mapping):
        if not value:
            faults.append(PlanFault(PlanFaultKind.ARGUMENT_EMPTY, f"{where} is an empty object"))
            return None
        value = rules.value(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = " ".join(value)
    if isinstance(value, str):
        return value
    faults.append(PlanFault(PlanFaultKind.ARGUMENT_NOT_TEXT, f"{where} is {shown(raw)}"))
    if rules.as_published or isinstance(value, list | Mapping) or value is None:
        return None
    return rules.text(value)


def _reference(
    text: str, index: int, size: int, rules: ArgumentRules
) -> tuple[int | None, PlanFaultKind | None]:
    """Return the position that a ``<node-j>`` means, or what is wrong with it."""
    start = text.index(REFERENCE) + len(REFERENCE)
    # The first ">" of the whole text, as published: one before the reference breaks it.
    end = text.find(">") if rules.as_published else text.find(">", start)
    try:
        source = int(text[start : max(end, 0)])
    except ValueError:
        return None, PlanFaultKind.REFERENCE_BROKEN
    if source == index:
        return None, PlanFaultKind.REFERENCE_TO_ITSELF
    # The published code counts from the end for a negative position, as Python does.
    if not (-size if rules.as_published else 0) <= source < size:
        return None, PlanFaultKind.REFERENCE_OUT_OF_RANGE
    return source % size, None


def _named_fault(item: Any) -> PlanFaultKind | None:
    if not isinstance(item, Mapping):
        return PlanFaultKind.ARGUMENT_NOT_OBJECT
    if "name" not in item:
        return PlanFaultKind.ARGUMENT_NAME_MISSING
    if "value" not in item:
        return PlanFaultKind.ARGUMENT_VALUE_MISSING
    return PlanFaultKind.VALUE_NOT_TEXT if isinstance(item["value"], dict | list) else None
