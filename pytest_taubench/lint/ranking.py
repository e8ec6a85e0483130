"""What an instruction says by comparing: the cheapest, the earliest, the one that holds most."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_taubench.lint.leaves import flat
from pytest_taubench.lint.words import Words

_LEAST = frozenset(["cheapest", "cheaper", "lowest", "lower", "smallest", "smaller", "least"])
_MOST = frozenset(
    ["expensive", "dearest", "dearer", "highest", "higher", "largest", "larger", "biggest", "most"]
)
_MONEY = re.compile(r"price|cost|fare|amount|total|balance")
_FIRST = frozenset(["earliest", "earlier", "first", "soonest"])
_LAST = frozenset(["latest", "later", "last"])
_TIME = re.compile(r"^(?:\d{4}-\d\d-\d\dT)?(\d\d):(\d\d)(?::\d\d)?(\+\d)?$")


def out_ranked(text: Words, mine: Any, other: Any, preferred: frozenset[str]) -> bool:
    """Tell whether the text asks for the least or the most, and the other value is not that.

    Args:
        text: The text.
        mine: What is known of the annotation's value.
        other: What is known of the other value.
        preferred: Names that the call itself has as values, such as the cabin whose price counts.
    """
    for name, one, two in _measures(mine, other, preferred):
        if _MONEY.search(name):
            less, more = _LEAST, _MOST
        elif "time" in name or "depart" in name or "arriv" in name:
            less, more = _FIRST, _LAST
        else:
            continue
        if (text.has_any(less) and one < two) or (text.has_any(more) and one > two):
            return True
    return False


def _measures(
    mine: Any, other: Any, preferred: frozenset[str]
) -> Iterator[tuple[str, float, float]]:
    one, two = _sums(mine), _sums(other)
    shared = [name for name in one if name in two]
    named = {name.rpartition(".")[0] for name in shared if name.rpartition(".")[2] in preferred}
    for name in shared:
        holder, _, last = name.rpartition(".")
        if holder in named and last not in preferred:
            continue
        yield name, one[name], two[name]


def _sums(value: Any) -> dict[str, float]:
    """Return an object's numbers and times by name; those of several flights, say, are summed."""
    places = [v for k, v in value.items() if k.isdigit()] if isinstance(value, Mapping) else []
    sums: dict[str, float] = {}
    for part in places or [value]:
        for name, values in flat(part).items():
            numbers = [n for n in map(measure, values) if n is not None]
            if len(numbers) == 1:
                sums[name] = sums.get(name, 0) + numbers[0]
    return sums


def is_time(value: str) -> bool:
    """Tell whether a text is a time of day."""
    return _TIME.match(value) is not None


def measure(value: Any) -> float | None:
    """Return a number as it is and a time of day in minutes; None for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    match = _TIME.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    return 60.0 * int(match[1]) + int(match[2]) + 1440 * int((match[3] or "+0")[1:])
