"""Where an instruction speaks of one of two things, and what it says about choosing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.lint.leaves import flat
from pytest_taubench.lint.words import COMMON, Words

Phrases = Callable[[Any], list[list[str]]]

SAMENESS = frozenset(
    "same otherwise unchanged else still stay keep kept remain exactly identical rest only just".split()
)
ALL = frozenset("all every each both everything everybody whole entire".split())
_TURNED_DOWN = frozenset("not except keep without instead than besides but never cannot".split())
_FAR = 12


@dataclass(frozen=True)
class Evidence:
    """Where a text speaks of the annotation's value and of another one.

    Attributes:
        mine: Places of words that fit the annotation's value and not the other.
        other: Places of words that fit the other and not the annotation's.
        decides: True when one property, such as the color, is named as the annotation's value
            has it and not as the other has it.
        turned_down: True when the other is only spoken of as what is not wanted.
    """

    mine: list[int]
    other: list[int]
    decides: bool = False
    turned_down: bool = False


def evidence(
    text: Words, mine: Any, other: Any, group: Iterable[Any], phrases: Phrases
) -> Evidence:
    """Return where a text speaks of one thing and where of the other.

    Args:
        text: The text.
        mine: What is known of the annotation's value.
        other: What is known of the other value.
        group: What is known of all that could be chosen, since "card" in "gift card" is no
            mention of a credit card.
        phrases: The ways a text may name a value.
    """
    one, two, everything = _texts(mine), _texts(other), [_texts(each) for each in group]
    heard = [
        _of_property(text, name, one, two, everything, phrases) for name in sorted({*one, *two})
    ]
    denied = any(each.turned_down for each in heard)
    others = sorted(place for each in heard for place in each.other)
    return Evidence(
        sorted(place for each in heard for place in each.mine),
        others,
        any(each.decides for each in heard),
        denied and not others,
    )


def _of_property(
    text: Words,
    name: str,
    one: Mapping[str, set[Any]],
    two: Mapping[str, set[Any]],
    everything: Sequence[Mapping[str, set[Any]]],
    phrases: Phrases,
) -> Evidence:
    left, right = one.get(name, set()), two.get(name, set())
    values = {value for each in (one, two, *everything) for value in each.get(name, ())}
    named = {value: phrases(value) for value in values}
    mine = [p for value in left - right for p in _places(text, named, value, right)]
    other = [p for value in right - left for p in _places(text, named, value, left)]
    wanted, offered = ([p for p in places if not _denied(text, p)] for places in (mine, other))
    return Evidence(
        wanted, offered, bool(wanted and not offered), bool(other) and len(offered) < len(other)
    )


def nearer(text: Words, found: Evidence, anchors: Sequence[int]) -> bool:
    """Tell whether the annotation's value is spoken of nearer to what else the call names."""
    if not anchors or not found.mine:
        return False
    if not found.other:
        return True
    near, far = (
        min(_distance(text, anchor, place) for anchor in anchors for place in places)
        for places in (found.mine, found.other)
    )
    return near < far


def same_as_before(text: Words, mine: Any, other: Any, before: Iterable[Any]) -> bool:
    """Tell whether the text asks for what stays as it was, and only the other value changes that."""
    if not text.has_any(SAMENESS):
        return False
    one, two = flat(mine), flat(other)
    return any(
        name in two and one[name] == old[name] != two[name] and _is_text(one[name])
        for old in map(flat, before)
        for name in one
        if name in old
    )


_LEAST = frozenset(
    "cheapest cheaper lowest lower smallest smaller least less fewest earliest earlier first soonest shortest".split()
)
_MOST = frozenset(
    "expensive dearest dearer highest higher largest larger biggest bigger most more latest later last longest".split()
)
_TIME = re.compile(r"^(?:\d{4}-\d\d-\d\dT)?(\d\d):(\d\d)(?::\d\d)?(\+\d)?$")


def out_ranked(text: Words, mine: Any, other: Any, preferred: frozenset[str]) -> bool:
    """Tell whether the text asks for the least or the most, and the other value is not that.

    Args:
        text: The text.
        mine: What is known of the annotation's value.
        other: What is known of the other value.
        preferred: Names that the call itself has as values, such as the cabin whose price counts.
    """
    least, most = text.has_any(_LEAST), text.has_any(_MOST)
    for one, two in _measures(mine, other, preferred):
        if (least and one < two) or (most and one > two):
            return True
    return False


def _measures(mine: Any, other: Any, preferred: frozenset[str]) -> Iterator[tuple[float, float]]:
    one, two = flat_sums(mine), flat_sums(other)
    shared = [name for name in one if name in two]
    named = {name.rpartition(".")[0] for name in shared if name.rpartition(".")[2] in preferred}
    for name in shared:
        holder, _, last = name.rpartition(".")
        if holder in named and last not in preferred:
            continue
        yield one[name], two[name]


def flat_sums(value: Any) -> dict[str, float]:
    """Return an object's numbers and times by name; those of several flights, say, are summed."""
    places = [v for k, v in value.items() if k.isdigit()] if isinstance(value, Mapping) else []
    sums: dict[str, float] = {}
    for part in places or [value]:
        for name, values in flat(part).items():
            numbers = [n for n in map(measure, values) if n is not None]
            if len(numbers) == 1:
                sums[name] = sums.get(name, 0) + numbers[0]
    return sums


def measure(value: Any) -> float | None:
    """Return a number as it is and a time of day in minutes; None for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    match = _TIME.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    return 60.0 * int(match[1]) + int(match[2]) + 1440 * int((match[3] or "+0")[1:])


def _places(
    text: Words, named: Mapping[Any, list[list[str]]], value: Any, foreign: set[Any]
) -> Iterator[int]:
    longer = [p for v, phrases in named.items() if v != value for p in phrases if len(p) > 1]
    covered = {start + k for p in longer for start in text.places(p) for k in range(len(p))}
    theirs = {word for each in foreign for phrase in named[each] for word in phrase}
    for phrase in named[value]:
        for start in text.places(phrase):
            if not covered >= set(range(start, start + len(phrase))) or len(phrase) > 1:
                yield start
        for word in phrase:
            if word not in COMMON and word not in theirs and not _is_number(word):
                yield from (place for place in text.places([word]) if place not in covered)


def _is_number(word: str) -> bool:
    """A number alone says nothing: the 2 of "two slots" is not that of "two orders"."""
    return word.isdigit() and len(word) < 4


def _texts(value: Any) -> dict[str, set[Any]]:
    """What a text may name: texts, not sums of money."""
    return {
        name: {leaf for leaf in leaves if isinstance(leaf, str) and measure(leaf) is None}
        for name, leaves in flat(value).items()
    }


def _is_text(values: set[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _denied(text: Words, place: int) -> bool:
    before = range(max(0, place - 6), place)
    return any(
        text.words[p] in _TURNED_DOWN and text.sentence[p] == text.sentence[place] for p in before
    )


def _distance(text: Words, anchor: int, place: int) -> float:
    steps = place - anchor if place >= anchor else 1.5 * (anchor - place)
    return steps + _FAR * abs(text.sentence[place] - text.sentence[anchor])
