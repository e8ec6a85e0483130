"""YAML as task files mean it: few implicit types, no duplicate keys, lines on demand."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import yaml

from pytest_taubench.task_file.problems import Location

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# YAML 1.1 reads `no` as false, 12:30:00 as 45000, 2024-05-15 as a date and 01234 as octal. All of
# these are texts in a conversation's data, so only what nobody writes as text has a type.
_IMPLICIT = [
    ("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
    ("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), "-+0123456789"),
    (
        "tag:yaml.org,2002:float",
        re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"),
        "-+.0123456789",
    ),
    ("tag:yaml.org,2002:merge", re.compile(r"^<<$"), "<"),
]


class _TaskLoader(_Base):  # type: ignore[misc]
    """Builds plain data, and refuses a key that is written twice."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key.value}' is written twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


for _tag, _pattern, _first in _IMPLICIT:
    _TaskLoader.add_implicit_resolver(_tag, _pattern, list(_first))


class _WrittenLoader(_Base):  # type: ignore[misc]
    """Reads every scalar as the text that was written."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}


def load(text: str) -> Any:
    """Return the document's data.

    Raises:
        yaml.YAMLError: The text is no YAML, uses foreign tags, or repeats a key.
    """
    return yaml.load(text, Loader=_TaskLoader)


def load_as_written(text: str) -> Any:
    """Return the same data with every scalar as the text that was written."""
    return yaml.load(text, Loader=_WrittenLoader)


def lines(text: str) -> dict[Location, int]:
    """Return the 1-based line of every value (of its key, where it has one)."""
    found: dict[Location, int] = {}
    pending: list[tuple[Location, Any, int]] = [((), yaml.compose(text, Loader=_TaskLoader), 0)]
    while pending:
        location, node, line = pending.pop()
        found[location] = line + 1
        if isinstance(node, yaml.MappingNode):
            pending += [((*location, k.value), v, k.start_mark.line) for k, v in node.value]
        elif isinstance(node, yaml.SequenceNode):
            pending += [((*location, i), v, v.start_mark.line) for i, v in enumerate(node.value)]
    return found
