"""Whether a number follows from others by one step that an agent would do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from pytest_taubench.lint.leaves import leaves
from pytest_taubench.lint.leaves import numbers as numbers_in

_CENT = 0.0051
_SUBSET = 8  # the subsets of more numbers than this are not tried
_PAIRS = 400
_SMALL = 12


def derivable(wanted: float, answers: Sequence[Any], known: Iterable[float]) -> str | None:
    """Return how a number follows from others, or None where a bounded search finds no way.

    Args:
        wanted: The number.
        answers: What tools answered; the numbers under one name in one answer are summed too.
        known: Further numbers, e.g. of the policy and the instruction.
    """
    wanted = abs(wanted)
    numbers = sorted({abs(number) for number in numbers_in(answers)})
    if _among(wanted, numbers):
        return "stands in a tool's result"
    pool = sorted({*numbers, *(abs(n) for n in known)})[:_PAIRS]
    if _by_pair(wanted, pool):
        return "is a sum, difference or product of two numbers"
    if any(_by_subset(wanted, group) for group in _groups(answers)):
        return "is a sum of numbers under one name"
    return None


def _among(wanted: float, numbers: Iterable[float]) -> bool:
    return any(abs(wanted - number) < _CENT for number in numbers)


def _by_pair(wanted: float, pool: Sequence[float]) -> bool:
    found = {round(100 * number) for number in pool}
    target = round(100 * wanted)
    for number in pool:
        cents = round(100 * number)
        if target - cents in found or target + cents in found:
            return True
        is_factor = 0 < number <= _SMALL and number == int(number)
        if is_factor and wanted and _among(wanted / number, pool):
            return True
    return False


def _groups(answers: Sequence[Any]) -> list[list[float]]:
    """Return the numbers under each name: of one answer, and of all answers together."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for index, answer in enumerate(answers):
        for path, leaf in leaves(answer):
            is_number = isinstance(leaf, (int, float)) and not isinstance(leaf, bool)
            for name in ((index, path[-1]), (path[-1],)) if is_number and path else ():
                groups.setdefault(name, []).append(float(leaf))
    return list(groups.values())


def _by_subset(wanted: float, group: Sequence[float]) -> bool:
    values = list(dict.fromkeys(group)) if len(group) > _SUBSET else list(group)
    if _among(wanted, [abs(sum(values)), abs(sum(group))]):
        return True
    if len(values) > 2 * _SUBSET:
        return False
    largest = len(values) if len(values) <= _SUBSET else 3
    return any(
        abs(abs(sum(chosen)) - wanted) < _CENT
        for size in range(2, largest + 1)
        for chosen in combinations(values, size)
    )
