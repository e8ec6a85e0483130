"""Compares records exactly: the comparisons of the package forgive what a test must see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]

ABSENT = "absent"
"""Shown for a place that one side does not have."""


def departures(wanted: Any, ours: Any) -> dict[Place, tuple[Any, Any]]:
    """Return each innermost place where two values are not the same, with both values.

    A field that is absent is not null, an empty list is not an absent one, and 5 is not 5.0.
    """
    left, right = dict(_leaves(wanted)), dict(_leaves(ours))
    return {
        place: (left.get(place, ABSENT), right.get(place, ABSENT))
        for place in {*left, *right}
        if place not in left
        or place not in right
        or type(left[place]) is not type(right[place])
        or left[place] != right[place]
    }


def _leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*place, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*place, index))
    else:
        yield place, value
