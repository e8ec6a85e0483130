"""The single values inside the arguments of a call, and the arguments with one exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each single value with its path, e.g. ``("flights", 0, "date")``."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path, value


def at(value: Any, path: Path) -> Any:
    """Return the value at a path."""
    for step in path:
        value = value[step]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """Return a copy with another value at a path."""
    if not path:
        return new
    step, *rest = path
    if isinstance(value, Mapping):
        return {**value, step: replaced(value[step], tuple(rest), new)}
    copy = list(value)
    copy[int(step)] = replaced(copy[int(step)], tuple(rest), new)
    return copy


def without(value: Any, path: Path) -> Any:
    """Return a copy without the element of a list at a path."""
    *outer, index = path
    shorter = list(at(value, tuple(outer)))
    del shorter[int(index)]
    return replaced(value, tuple(outer), shorter)


def shown(path: Path) -> str:
    """Return a path as people write it, e.g. ``flights[0].date``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def flat(value: Any) -> dict[str, set[Any]]:
    """Return an object's single values by the names that lead to them, places in lists left out."""
    found: dict[str, set[Any]] = {}
    for path, leaf in leaves(value):
        name = ".".join(str(step) for step in path if isinstance(step, str))
        found.setdefault(name, set()).add(leaf)
    return found


def numbers(values: Sequence[Any]) -> Iterator[float]:
    """Yield every number in values, those that stand as text too."""
    for _, leaf in leaves(list(values)):
        if isinstance(leaf, bool) or leaf is None:
            continue
        if isinstance(leaf, (int, float)) or (isinstance(leaf, str) and len(leaf) < 20):
            try:
                yield float(leaf)
            except (ValueError, OverflowError):  # of words, and of a number of hundreds of digits
                continue
