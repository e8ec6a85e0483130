"""YAML as task files mean it: few implicit types, bounded aliases, lines on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

import yaml

from pytest_taubench.task_files.problems import Location

MAX_ALIASED = 100_000
"""How many values the aliases of a document may add to those that are written out."""


class YamlFault(yaml.MarkedYAMLError):
    """Text that is YAML, but nothing that a task file may hold."""


def check_nodes(root: yaml.Node) -> None:
    """Check a composed document, in time that depends on the length of its text only.

    Raises:
        YamlFault: A key is written twice in one mapping, an alias stands inside what
            it names, or aliases stand for more than ``MAX_ALIASED`` values.
    """
    sizes: dict[int, int] = {}  # of each collection, as the tree it stands for
    inside: set[int] = set()
    written = 1
    pending: list[tuple[yaml.Node, bool]] = [(root, False)]
    while pending:
        node, is_done = pending.pop()
        children = _children(node)
        if is_done:
            inside.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes.get(id(child), 1) for child in children)
            if sizes[id(node)] > written + MAX_ALIASED:
                raise _fault(f"aliases stand for more than {MAX_ALIASED} values", node)
        elif id(node) in inside:
            raise _fault("this holds an alias of itself, so it would never end", node)
        elif id(node) not in sizes:
            _check_keys(node)
            inside.add(id(node))
            written += len(children)
            pending.append((node, True))
            collections = [c for c in children if not isinstance(c, yaml.ScalarNode)]
            pending += [(child, False) for child in reversed(collections)]


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _check_keys(node: yaml.Node) -> None:
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
            continue
        if key.value in seen:
            raise _fault(f"the key '{key.value}' is written twice", key)
        seen.add(key.value)


def _fault(message: str, node: Any) -> YamlFault:
    return YamlFault(None, None, message, node.start_mark)


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
]
_COMMENT = re.compile(r"[ \t]+(#.*)")
_MERGE = ("tag:yaml.org,2002:merge", re.compile(r"^<<$"), "<")


class _TaskLoader(_Base):  # type: ignore[misc]
    """Knows few implicit types, and what ``<<`` merges."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    def flatten_mapping(self, node: Any) -> None:
        """Put what ``<<`` names into the mapping: its own keys first, then the first that has one.

        PyYAML compares keys by the identity of their texts here, which one-letter keys share.
        """
        merged = [value for key, value in node.value if key.tag == _MERGE[0]]
        if not merged:
            return
        pairs = [pair for pair in node.value if pair[0].tag != _MERGE[0]]
        for source in merged:
            for mapping in source.value if isinstance(source, yaml.SequenceNode) else [source]:
                if not isinstance(mapping, yaml.MappingNode):
                    raise YamlFault(None, None, "<< merges mappings only", source.start_mark)
                self.flatten_mapping(mapping)
                pairs += mapping.value
        first: dict[Any, Any] = {}
        for pair in pairs:
            key = pair[0]
            first.setdefault(key.value if isinstance(key, yaml.ScalarNode) else id(key), pair)
        node.value = list(first.values())

    def construct_yaml_int(self, node: Any) -> int:
        """Return a whole number, or say where one has more digits than can be read."""
        try:
            return int(self.construct_scalar(node))
        except ValueError:
            digits = len(node.value)
            raise _fault(f"a number of {digits} digits cannot be read", node) from None


class _WrittenLoader(_TaskLoader):
    """Reads every scalar as the text that was written."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}


_TaskLoader.add_constructor("tag:yaml.org,2002:int", _TaskLoader.construct_yaml_int)
for _tag, _pattern, _first in (*_IMPLICIT, _MERGE):
    _TaskLoader.add_implicit_resolver(_tag, _pattern, list(_first))
_WrittenLoader.add_implicit_resolver(*_MERGE[:2], list(_MERGE[2]))


def load(text: str) -> Any:
    """Return the document's data.

    Raises:
        yaml.YAMLError: The text is no YAML, uses foreign tags, repeats a key, or has aliases
            that never end or stand for too much.
    """
    return _load(text, _TaskLoader)


def load_as_written(text: str) -> Any:
    """Return the same data with every scalar as the text that was written."""
    return _load(text, _WrittenLoader)


def _load(text: str, loader_class: Any) -> Any:
    loader = loader_class(text)
    try:
        node = _checked(loader)
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _checked(loader: Any) -> Any:
    """Return the document's node graph, which can be walked as the tree it stands for."""
    node = loader.get_single_node()
    if node is not None:
        check_nodes(node)
    return node


def lines(text: str) -> dict[Location, int]:
    """Return the 1-based line of every value (of its key, where it has one)."""
    return {location: line + 1 for location, _, line in _nodes(text)}


def comments(text: str) -> dict[Location, str]:
    """Return the comment behind every text without quotes that is followed by one on its line."""
    found: dict[Location, str] = {}
    rows = text.split("\n")
    for location, node, _ in _nodes(text):
        # What stands in quotes or in a block ends where its author meant it to.
        if isinstance(node, yaml.ScalarNode) and not node.style:
            row = rows[node.end_mark.line] if node.end_mark.line < len(rows) else ""
            behind = _COMMENT.match(row, node.end_mark.column)
            if behind:
                found[location] = behind[1]
    return found


def _nodes(text: str) -> Iterator[tuple[Location, Any, int]]:
    """Yield every value's location, its node, and its line from 0."""
    loader = _TaskLoader(text)
    pending: list[tuple[Location, Any, int]] = [((), _checked(loader), 0)]
    loader.dispose()
    while pending:
        location, node, line = pending.pop()
        yield location, node, line
        if isinstance(node, yaml.MappingNode):
            pending += [((*location, k.value), v, k.start_mark.line) for k, v in node.value]
        elif isinstance(node, yaml.SequenceNode):
            pending += [((*location, i), v, v.start_mark.line) for i, v in enumerate(node.value)]


def line_of_control_character(text: str) -> int | None:
    """Return the 1-based line of the first character that YAML allows nowhere."""
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    return None if found is None else text.count("\n", 0, found.start()) + 1
