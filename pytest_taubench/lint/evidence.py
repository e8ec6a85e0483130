"""Where an instruction speaks of one of two things, by what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.lint.leaves import flat
from pytest_taubench.lint.ranking import is_time
from pytest_taubench.lint.words import COMMON, Words

Phrases = Callable[[Any], list[list[str]]]

SAMENESS = frozenset(
    [
        "same",
        "otherwise",
        "unchanged",
        "else",
        "still",
        "stay",
        "keep",
        "kept",
        "remain",
        "exactly",
        "identical",
        "rest",
        "only",
        "just",
    ]
)
ALL = frozenset(["all", "every", "each", "both", "everything", "everybody", "whole", "entire"])
# Words that turn down what follows, and how many words later at most.
_TURNED_DOWN = {
    "not": 5,
    "never": 3,
    "neither": 4,
    "nor": 3,
    "dislike": 3,
    "avoid": 3,
    "instead": 4,
    "than": 3,
    "besides": 4,
    "without": 2,
    "except": 8,
    "keep": 8,
}
_FAR = 12


@dataclass(frozen=True)
class Mentions:
    """Where a text speaks of the annotation's value and of another one.

    Attributes:
        mine: Places of words that fit the annotation's value and not the other.
        other: Places of words that fit the other and not the annotation's.
        decides: True when one property, such as the color, is named as the annotation's value
            has it and not as the other has it.
        spared: True when the other is spoken of as what is not wanted.
    """

    mine: list[int]
    other: list[int]
    decides: bool = False
    spared: bool = False

    @property
    def turned_down(self) -> bool:
        """True when the other is spoken of only as what is not wanted."""
        return self.spared and not self.other


def evidence(
    text: Words, mine: Any, other: Any, group: Iterable[Any], phrases: Phrases
) -> Mentions:
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
    heard = {
        name: _of_property(text, name, one, two, everything, phrases)
        for name in sorted({*one, *two})
    }
    # What only the other has, such as a card's brand beside PayPal, speaks for it as well.
    foreign = any(each.other for name, each in heard.items() if name not in one and name in two)
    return Mentions(
        sorted({place for each in heard.values() for place in each.mine}),
        sorted({place for each in heard.values() for place in each.other}),
        any(each.decides for each in heard.values()) and not foreign,
        any(each.spared for each in heard.values()),
    )


def _of_property(
    text: Words,
    name: str,
    one: Mapping[str, set[Any]],
    two: Mapping[str, set[Any]],
    everything: Sequence[Mapping[str, set[Any]]],
    phrases: Phrases,
) -> Mentions:
    left, right = one.get(name, set()), two.get(name, set())
    values = {value for each in (one, two, *everything) for value in each.get(name, ())}
    named = {value: _ways(name, value, phrases) for value in values}
    wanted: list[int] = []
    offered: list[int] = []
    spared = False
    for find in (_phrase_places, _word_places):
        mine = [p for value in left - right for p in find(text, named, value, right)]
        other = [p for value in right - left for p in find(text, named, value, left)]
        spared = spared or any(denied(text, place) for place in other)
        if not (wanted or offered):  # a whole name outweighs a word of it
            wanted, offered = _kept(text, mine), _kept(text, other)
    return Mentions(wanted, offered, bool(wanted and not offered), spared)


def _ways(name: str, value: Any, phrases: Phrases) -> list[list[str]]:
    """Return how a text may name a value of a property: "touchscreens", "no frame", "waist 30"."""
    last = Words.of(name.rpartition(".")[2])
    if value == "yes":
        return [last]
    if value in ("no", "none"):
        return [[word, *last] for word in ("no", "without")] + [["without", "a", *last]]
    said = phrases(value)
    if all(len(phrase) == 1 and _is_number(phrase[0]) for phrase in said):
        return [[*phrase, *last] for phrase in said] + [[*last, *phrase] for phrase in said]
    return said


def _kept(text: Words, places: Sequence[int]) -> list[int]:
    return [place for place in places if not denied(text, place)]


def nearer(text: Words, found: Mentions, anchors: Sequence[int]) -> bool:
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


@dataclass(frozen=True)
class Replacement:
    """A choice that replaces something.

    Attributes:
        text: The instruction.
        before: What is known of what is replaced.
        anchors: Places of what else the call names; words in other sentences are not about it.
        phrases: The ways a text may name a value.
    """

    text: Words
    before: Sequence[Any]
    anchors: Sequence[int]
    phrases: Phrases

    def is_changed(self, mine: Any, other: Any) -> bool:
        """Tell whether the text names how the one differs from what was, as the other does not."""
        one, two = _texts(mine), _texts(other)
        return any(
            self._names(name, one[name])
            for old in map(_texts, self.before)
            for name in one
            if name in old and one[name] != old[name] == two.get(name)
        )

    def is_kept(self, mine: Any, other: Any) -> bool:
        """Tell whether the text asks for what stays as it was, and only the other changes that.

        What the text names as it is in the other value does not stay.
        """
        if not self.text.has_any(SAMENESS):
            return False
        one, two = flat(mine), flat(other)
        return any(
            one[name] == old[name] != two[name]
            and all(isinstance(value, str) for value in one[name])
            and not self._names(name, two[name])
            for old in map(flat, self.before)
            for name in one
            if name in old and name in two
        )

    def _names(self, name: str, values: set[Any]) -> bool:
        """Tell whether the text names a property's values in a sentence about the call."""
        sentences = {self.text.sentence[anchor] for anchor in self.anchors}
        return any(
            not sentences or self.text.sentence[place] in sentences
            for value in values
            for phrase in _ways(name, value, self.phrases)
            for place in self.text.places(phrase)
        )


def _phrase_places(
    text: Words, named: Mapping[Any, list[list[str]]], value: Any, foreign: set[Any]
) -> Iterator[int]:
    """Yield where a value is named in full, and not as a part of another one's name."""
    covered = _covered(text, named, value)
    for phrase in named[value]:
        if len(phrase) == 1 and (_is_number(phrase[0]) or phrase[0] in COMMON):
            continue
        for start in text.places(phrase):
            if not covered >= set(range(start, start + len(phrase))):
                yield start


def _word_places(
    text: Words, named: Mapping[Any, list[list[str]]], value: Any, foreign: set[Any]
) -> Iterator[int]:
    """Yield where a word stands that the value has and the other has not."""
    covered = _covered(text, named, value)
    theirs = {word for each in foreign for phrase in named[each] for word in phrase}
    for word in {word for phrase in named[value] for word in phrase} - theirs - COMMON:
        if not _is_number(word):
            yield from (place for place in text.places([word]) if place not in covered)


def _covered(text: Words, named: Mapping[Any, list[list[str]]], value: Any) -> set[int]:
    """Return the places that belong to the full name of another value."""
    own = max((len(phrase) for phrase in named[value]), default=0)
    longer = [
        p for v, ps in named.items() if v != value for p in ps if len(p) > 1 and len(p) >= own
    ]
    return {start + k for p in longer for start in text.places(p) for k in range(len(p))}


def _is_number(word: str) -> bool:
    """A number alone says nothing: the 2 of "two slots" is not that of "two orders"."""
    return word.isdigit() and len(word) < 4


def _texts(value: Any) -> dict[str, set[Any]]:
    """What a text may name: texts, not sums of money."""
    return {
        name: {leaf for leaf in leaves if isinstance(leaf, str) and not is_time(leaf)}
        for name, leaves in flat(value).items()
    }


def denied(text: Words, place: int) -> bool:
    """Tell whether a word stands in a text as what is not wanted."""
    for before in range(max(0, place - max(_TURNED_DOWN.values())), place):
        word = text.words[before]
        reach = _TURNED_DOWN.get(word, 0)
        if word == "but" and not ALL.isdisjoint(text.words[max(0, before - 5) : before]):
            reach = _TURNED_DOWN["except"]
        if place - before <= reach and text.clause[before] == text.clause[place]:
            return True
    return False


def _distance(text: Words, anchor: int, place: int) -> float:
    steps = place - anchor if place >= anchor else 1.5 * (anchor - place)
    return steps + _FAR * abs(text.sentence[place] - text.sentence[anchor])
