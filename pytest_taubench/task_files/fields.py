"""Says in words which field of a model is wrong, what was found and what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_taubench.task_files.document import kind_of
from pytest_taubench.task_files.problems import Location
from pytest_taubench.text.names import nearest

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


@dataclass(frozen=True)
class FieldFault:
    """One wrong field.

    Attributes:
        location: The way to it inside its task.
        message: What was found and what was expected.
        nearest: The valid name closest to a wrong one, or None.
    """

    location: Location
    message: str
    nearest: str | None = None


def field_faults(
    error: ValidationError, model: type[BaseModel], own: frozenset[str] = frozenset()
) -> Iterator[FieldFault]:
    """Yield the faults that a validation error holds, in words.

    Args:
        error: What pydantic found.
        model: The model that was validated, for the names that are valid at each place.
        own: Names valid at the top of a file's task beside the model's own.
    """
    schema = model.model_json_schema()
    errors = error.errors(include_url=False)
    meant: set[Location] = set()
    for item in errors:
        if item["type"] == "extra_forbidden":
            fault = _unknown_field(item["loc"], schema, own)
            if fault.nearest is not None:
                meant.add((*fault.location[:-1], fault.nearest))
            yield fault
    for item in errors:
        # A misspelt field is one fault, not an unknown field and a missing one.
        if item["type"] != "extra_forbidden" and not (
            item["type"] == "missing" and item["loc"] in meant
        ):
            yield FieldFault(item["loc"], *_in_words(item))


def _unknown_field(location: Location, schema: dict[str, Any], own: frozenset[str]) -> FieldFault:
    known = _names_at(location[:-1], schema) | (own if len(location) == 1 else frozenset())
    near = nearest(location[-1], known)
    expected = "" if near else f"; expected one of {', '.join(sorted(known))}" if known else ""
    return FieldFault(location, f"unknown field{expected}", near)


def _in_words(item: Any) -> tuple[str, str | None]:
    kind, found = item["type"], item["input"]
    context: dict[str, Any] = item.get("ctx", {})
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, found {kind_of(found)}", None
    if kind == "missing":
        return "missing", None
    if kind == "literal_error":
        names = re.findall(r"'([^']*)'", str(context["expected"]))
        return f"expected {context['expected']}, found {found!r}", nearest(found, names)
    if kind == "string_too_short":
        return "must not be empty", None
    if kind == "too_short":
        return f"expected at least {context['min_length']}, found none", None
    if kind == "greater_than_equal":
        return f"expected at least {context['ge']}, found {found!r}", None
    return str(item["msg"]).removeprefix("Value error, "), None


def _names_at(location: Location, schema: dict[str, Any]) -> frozenset[str]:
    """Return the field names that are valid at a location, from the model's JSON Schema."""
    node = schema
    for part in location:
        node = _resolved(node, schema)
        properties = node.get("properties", {})
        extra = node.get("additionalProperties")
        node = node.get("items", {}) if isinstance(part, int) else properties.get(part, extra or {})
        if not isinstance(node, dict):
            return frozenset()
    return frozenset(_resolved(node, schema).get("properties", ()))


def _resolved(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference, and of alternatives take the one that has fields."""
    for option in node.get("anyOf", ()):
        if "$ref" in option or "items" in option or "properties" in option:
            node = option
            break
    if "$ref" in node:
        resolved: dict[str, Any] = schema["$defs"][node["$ref"].rpartition("/")[2]]
        return resolved
    return node
