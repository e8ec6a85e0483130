"""Checks what a YAML text stands for before anything is built of it.

Aliases make a graph of the text, and whoever walks it as a tree may never come to an end: an
alias may stand inside what it names, and nine lists of ten aliases each stand for a billion
values. Both are refused here, and so is a key that is written twice.
"""

from __future__ import annotations

from typing import Any

import yaml

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
