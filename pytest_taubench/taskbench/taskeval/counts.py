"""Counts behind an F1: what both sides have, and what only one has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple


class Counts(NamedTuple):
    """True positives, false positives and false negatives."""

    both: int = 0
    predicted_only: int = 0
    gold_only: int = 0

    def f1(self, nothing: float) -> float:
        """Return the F1; ``nothing`` is its value where neither side has anything."""
        size = 2 * self.both + self.predicted_only + self.gold_only
        return 2 * self.both / size if size else nothing

    @property
    def exact(self) -> bool:
        """True when the two sides hold the same."""
        return not self.predicted_only and not self.gold_only


Counting = Callable[[Iterable[Hashable], Iterable[Hashable]], Counts]
"""How two collections are compared, gold first."""


def count_sets(gold: Iterable[Hashable], predicted: Iterable[Hashable]) -> Counts:
    """Compare as sets: what is there twice counts once."""
    mine, its = set(gold), set(predicted)
    both = len(mine & its)
    return Counts(both, len(its) - both, len(mine) - both)


def count_multisets(gold: Iterable[Hashable], predicted: Iterable[Hashable]) -> Counts:
    """Compare as multisets: what is there twice must be found twice."""
    mine, its = Counter(gold), Counter(predicted)
    both = (mine & its).total()
    return Counts(both, its.total() - both, mine.total() - both)
