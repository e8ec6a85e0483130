"""Values that stand beside a value in what an agent can look up: what could be chosen instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_taubench.lint.knowledge import Lookups, keyed

Entry = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Sibling:
    """Something that could stand in the place of a value.

    Attributes:
        value: The other value.
        mine: What is known of the value, e.g. the payment method's record.
        other: What is known of the other one.
    """

    value: Any
    mine: Any
    other: Any


@dataclass
class Surroundings:
    """Where values stand in what an agent can look up.

    Args:
        lookups: Gives the records of keys that stand in a list.
        known: The answers of tools.
    """

    lookups: Lookups
    known: Sequence[Any]
    _keyed: dict[str, list[Mapping[str, Any]]] = field(init=False)
    _listed: dict[str, list[Sequence[str]]] = field(init=False)
    _fields: dict[str, list[tuple[str, Sequence[Any]]]] = field(init=False)
    _entries: list[list[Entry]] = field(init=False)

    def __post_init__(self) -> None:
        self._keyed, self._listed = defaultdict(list), defaultdict(list)
        self._fields, self._entries = defaultdict(list), []
        for answer in self.known:
            self._note(answer)

    def of_value(self, value: str) -> Iterator[Sibling]:
        """Yield what stands beside a value: other keys of its object, others in its list."""
        for holder in self._keyed.get(value, ()):
            for key in holder:
                if key != value:
                    yield Sibling(key, {"id": value, **holder[value]}, {"id": key, **holder[key]})
        for names in self._listed.get(value, ()):
            for name in dict.fromkeys(names):
                if name != value:
                    mine, other = self.lookups.record(value), self.lookups.record(name)
                    yield Sibling(name, mine or {"id": value}, other or {"id": name})
        # What has a record of its own is only referred to here: the numbers are not its own.
        known = _without_numbers if value in self._keyed else dict
        for name, elements in self._fields.get(value, ()):
            mine = next(each for each in elements if each.get(name) == value)
            for each in elements:
                if each.get(name) not in (value, None):
                    yield Sibling(each[name], known(mine), known(each))

    def of_entry(self, chosen: Sequence[Any], start: int) -> Iterator[tuple[int, Sibling]]:
        """Yield what stands beside objects of a list: how many they are, and what else they could be.

        A connection of two flights, say, is replaced as a whole.

        Args:
            chosen: The list of an argument.
            start: Where the objects begin.
        """
        for entries in self._entries:
            for mine in entries:
                part = chosen[start : start + len(mine)]
                if len(part) == len(mine) and all(map(_agrees, part, mine)):
                    yield from _others(chosen, part, mine, entries)
                    break

    def described(self, value: str) -> Iterator[Mapping[str, Any]]:
        """Yield what is known of a value: the object kept under it, the objects that hold it."""
        for holder in self._keyed.get(value, ()):
            yield holder[value]
        for name, elements in self._fields.get(value, ()):
            yield from (each for each in elements if each.get(name) == value)

    def _note(self, value: Any) -> None:
        if isinstance(value, Mapping):
            if keyed(value):
                for key in value:
                    self._keyed[key].append(value)
            for inner in value.values():
                self._note(inner)
        elif isinstance(value, (list, tuple)):
            self._note_list(value)
            for inner in value:
                self._note(inner)

    def _note_list(self, values: Sequence[Any]) -> None:
        if values and all(isinstance(each, str) for each in values):
            for each in values:
                self._listed[each].append(values)
        elif values and all(isinstance(each, Mapping) for each in values):
            self._entries.append([[each] for each in values])
            for name in {name for each in values for name in each}:
                for value in {v for each in values if isinstance(v := each.get(name), str)}:
                    if value in self.lookups.ids:
                        self._fields[value].append((name, values))
        elif values and all(isinstance(each, (list, tuple)) for each in values):
            self._entries.append(
                [each for each in values if all(isinstance(part, Mapping) for part in each)]
            )


def _without_numbers(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in value.items() if not isinstance(each, (int, float))}


def _agrees(part: Any, entry: Mapping[str, Any]) -> bool:
    if not isinstance(part, Mapping):
        return False
    shared = [name for name in part if name in entry]
    return bool(shared) and all(part[name] == entry[name] for name in shared)


def _others(
    chosen: Sequence[Any], part: Sequence[Any], mine: Entry, entries: Sequence[Entry]
) -> Iterator[tuple[int, Sibling]]:
    for other in entries:
        if len(other) != len(mine) or other is mine:
            continue
        new = [
            {name: entry.get(name, value) for name, value in each.items()}
            for each, entry in zip(part, other, strict=True)
        ]
        if not any(each in chosen for each in new):
            yield len(mine), Sibling(new, _whole(mine), _whole(other))


def _whole(entry: Entry) -> Any:
    """An entry of one object is that object; of several, each by its place."""
    if len(entry) == 1:
        return entry[0]
    return {str(place): each for place, each in enumerate(entry)}
