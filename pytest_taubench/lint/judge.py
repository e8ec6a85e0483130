"""Decides whether an instruction excludes another choice than the annotation's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_taubench.environment.compare import same
from pytest_taubench.lint.alternatives import Alternative
from pytest_taubench.lint.case import Case, Write
from pytest_taubench.lint.evidence import (
    ALL,
    SAMENESS,
    Mentions,
    Replacement,
    denied,
    evidence,
    nearer,
)
from pytest_taubench.lint.leaves import Path, at, leaves
from pytest_taubench.lint.naming import name_words, names_described, tool_words
from pytest_taubench.lint.ranking import out_ranked
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.lint.times import outside
from pytest_taubench.lint.words import Words
from pytest_taubench.schema import Request, Script

_EXACTLY = frozenset(["exactly", "identical"])
_YES_NO = ({"yes", "no"}, {True, False}, {"true", "false"})


class Judge:
    """Decides whether an instruction excludes an alternative to a gold action.

    Args:
        case: The task.
        write: The gold action.
        around: Where its values stand in what an agent can look up.
    """

    def __init__(self, case: Case, write: Write, around: Surroundings) -> None:
        self._case = case
        self._write = write
        self._around = around
        self._texts = frozenset(
            value for _, value in leaves(write.action.arguments) if isinstance(value, str)
        )

    def excludes(self, found: Alternative, group: list[Any]) -> bool:
        """Tell whether the instruction decides against an alternative."""
        text = self._case.text
        if found.kind == "dropped":
            return self._names(found.gold) or self._all_alike(found) or self._stays(found)
        if self._literally(found):
            return True
        if self._is_accounted_for(found):
            return True
        heard = evidence(text, found.mine, found.other, group, self._case.phrases)
        if found.kind == "added":
            spoken = [
                place for place in self._added_places(found, heard) if self._is_about_call(place)
            ]
            return heard.spared or (not spoken and all(self._names(each) for each in found.gold))
        return (
            heard.decides
            or heard.turned_down
            or (heard.spared and bool(heard.mine or self._names(found.gold)))
            or self._changes_nothing(found)
            or self._keeps(found, heard)
            or self._by_script(found, group)
            or nearer(text, heard, self._anchors(found))
            or self._by_comparison(found)
            or outside(text.raw, found.mine, found.other)
            or self._is_topic(found)
        )

    def _by_comparison(self, found: Alternative) -> bool:
        """By what is to stay, to change, or to be the least or most of its kind."""
        mine, other = found.mine, found.other
        replacement = Replacement(
            self._case.text,
            list(self._before(found)),
            self._anchors(found),
            self._case.phrases,
        )
        if replacement.is_changed(mine, other):
            return True
        if replacement.is_changed(other, mine):
            return False
        return replacement.is_kept(mine, other) or out_ranked(
            self._case.text, mine, other, self._texts
        )

    def _literally(self, found: Alternative) -> bool:
        """The instruction names the one value as it stands in the database, and not the other."""
        if not (isinstance(found.gold, str) and isinstance(found.value, str)):
            return False
        if found.gold not in self._case.lookups.ids:
            return False
        text = self._case.text
        return text.has(Words.of(found.gold)) and not text.has(Words.of(found.value))

    def _is_accounted_for(self, found: Alternative) -> bool:
        """The instruction names both ids, and another tool is called for the other one."""
        ids = (found.gold, found.value)
        if not all(isinstance(each, str) and each in self._case.lookups.keys for each in ids):
            return False
        if not all(self._case.text.has(Words.of(each)) for each in ids):
            return False
        return any(
            found.value == value
            for write in self._case.writes
            if write.action.name != self._write.action.name
            for _, value in leaves(write.action.arguments)
        )

    def _added_places(self, found: Alternative, heard: Mentions) -> list[int]:
        """Where the instruction speaks of an element that could be added: by its name, if any."""
        names = name_words(found.other)
        for each in found.gold:
            for described in self._around.described(each):
                names -= name_words(described)
        text = self._case.text
        if not name_words(found.other):
            return heard.other
        return [p for word in names for p in text.places([word]) if not denied(text, p)]

    def _names(self, value: Any) -> bool:
        """The instruction names an element, by itself or by what is known of it."""
        text = self._case.text
        for _, leaf in leaves(value):
            if text.has(*self._case.phrases(leaf)):
                return True
            if not isinstance(leaf, str):
                continue
            if names_described(text, self._around, leaf):
                return True
            known = list(self._around.described(leaf))
            if not any(map(name_words, known)) and any(map(self._speaks_of, known)):
                return True
        return False

    def _all_alike(self, found: Alternative) -> bool:
        """The instruction says "all" and names none of the elements."""
        chosen = at(self._write.action.arguments, found.path[:-1])
        return self._case.text.has_any(ALL) and not any(map(self._names, chosen))

    def _speaks_of(self, described: Any) -> bool:
        """The instruction has one of the texts that are known of a value."""
        return any(
            self._case.text.has(phrase)
            for _, leaf in leaves(described)
            if isinstance(leaf, str)
            for phrase in self._case.phrases(leaf)
            if len(phrase) > 1 or phrase[0].isalpha()
        )

    def _anchors(self, found: Alternative) -> list[int]:
        """Where the instruction speaks of what else the call names."""
        text, places = self._case.text, self._beside(found)
        if places:
            return places
        for path, value in leaves(self._write.action.arguments):
            if path == found.path or not isinstance(value, str) or value == self._case.task.user_id:
                continue
            if value in self._case.lookups.ids:
                places += list(text.places(Words.of(value)))
            for described in self._around.described(value):
                for word in name_words(described):
                    places += list(text.places([word]))
        return places or self._verb_places()

    def _beside(self, found: Alternative) -> list[int]:
        """Where the instruction speaks of the value in the same place of another list.

        Of two items that are exchanged, each has its own new one.
        """
        arguments = self._write.action.arguments
        foreign = [
            described
            for path, value in leaves(arguments)
            if path[0] != found.path[0] and path[1:] != found.path[1:] and isinstance(value, str)
            for described in self._around.described(value)
        ]
        places: list[int] = []
        for mine in self._before(found) if len(found.path) > 1 else ():
            for other in foreign:
                shared = [name for name in mine if name in other]
                one, two = ({name: each[name] for name in shared} for each in (mine, other))
                places += evidence(self._case.text, one, two, (), self._case.phrases).mine
        return sorted(set(places))

    def _keeps(self, found: Alternative, heard: Mentions) -> bool:
        """The annotation leaves as it is what the other call would change unasked.

        Where the other value stands in the record as well, it is what the annotation takes out,
        which the instruction must name.
        """
        if not self._stays(found):
            return False
        held = found.value[0] if isinstance(found.value, list) and found.value else found.value
        standing = any(_holds(record, found.path, held) for record in self._records(found.gold)[0])
        return bool(heard.other or heard.turned_down) if standing else not heard.other

    def _stays(self, found: Alternative) -> bool:
        """The value is what a record has already that the call or the instruction names."""
        touched, named = self._records(found.gold)
        held = found.gold[0] if isinstance(found.gold, list) and found.gold else found.gold
        if any(_holds(record, found.path, held) for record in touched):
            return True
        return self._case.text.has_any(SAMENESS) and any(
            _holds(record, found.path, held) for record in named
        )

    def _records(self, chosen: Any) -> tuple[list[Any], list[Any]]:
        """Return the records that the call names beside the choice, and those of the instruction."""
        lookups = self._case.lookups
        return tuple(  # type: ignore[return-value]
            [
                record
                for key in sorted(keys)
                if key != chosen and (record := lookups.record(key)) is not None
            ]
            for keys in (
                self._texts & lookups.keys,
                set(lookups.ids_in(self._case.task.instruction)) & lookups.keys,
            )
        )

    def _changes_nothing(self, found: Alternative) -> bool:
        """The other value is what the call replaces, which the annotation's value is not."""
        beside = {
            value
            for path, value in leaves(self._write.action.arguments)
            if path[1:] == found.path[1:] and len(path) > 1 and path != found.path
        }
        replaces = isinstance(found.value, str) and found.value in beside
        return replaces and found.gold not in beside and not self._case.text.has_any(_EXACTLY)

    def _is_about_call(self, place: int) -> bool:
        """The id that stands last before a place, in its sentence, is one the call names."""
        text, own = self._case.text, {tuple(Words.of(value)) for value in self._texts}
        last: tuple[str, ...] | None = None
        for key in self._case.lookups.ids_in(text.raw):
            words = tuple(Words.of(key))
            if any(
                p <= place and text.sentence[p] == text.sentence[place] for p in text.places(words)
            ):
                last = words
        return last is None or last in own

    def _verb_places(self) -> list[int]:
        name = self._write.action.name
        if sum(write.action.name == name for write in self._case.writes) > 1:
            return []
        return [place for word in tool_words(name)[:1] for place in self._case.text.places([word])]

    def _before(self, found: Alternative) -> Iterator[Any]:
        """What is known of what the choice replaces.

        That is the value in the same place of the call's other arguments, or what the record
        that the call names has under the argument's name.
        """
        path = found.path
        if len(path) == 1:
            yield from self._records(found.gold)[0]
        for other, value in leaves(self._write.action.arguments):
            if other[1:] == path[1:] and other != path and isinstance(value, str):
                yield from self._around.described(value)

    def _by_script(self, found: Alternative, group: list[Any]) -> bool:
        """The script wants the one value in the request that names what else the call names."""
        ids = [
            Words.of(value)
            for path, value in leaves(self._write.action.arguments)
            if path != found.path and value in self._case.lookups.keys
        ]
        wanted = {True: False, False: False}
        for said in _requests(self._case.task.script):
            if not said.has(*ids) and ids:
                continue
            for mine, other in ((found.mine, found.other), (found.other, found.mine)):
                heard = evidence(said, mine, other, group, self._case.phrases)
                wanted[mine is found.mine] |= heard.decides
        return wanted[True] and not wanted[False]

    def _is_topic(self, found: Alternative) -> bool:
        """A yes or no is decided where the instruction speaks of the argument."""
        if {found.gold, found.value} not in _YES_NO if _hashable(found) else True:
            return False
        return any(self._case.text.has([word]) for word in Words.of(str(found.path[-1])))


def _holds(record: Any, path: Path, value: Any) -> bool:
    """Tell whether a record has a value under the name of the argument, or in the list of it."""
    held = record.get(path[0]) if isinstance(record, dict) else None
    if len(path) == 1:
        return held is not None and bool(same(held, value))
    if not isinstance(held, list):
        return False
    if len(path) > 2:
        return any(isinstance(each, dict) and each.get(path[2]) == value for each in held)
    return any(
        isinstance(each, dict)
        and isinstance(value, dict)
        and all(each.get(name) == inner for name, inner in value.items())
        for each in held
    )


def _hashable(found: Alternative) -> bool:
    return isinstance(found.gold, (str, bool)) and isinstance(found.value, (str, bool))


def _requests(script: Script | None) -> Iterator[Words]:
    """Yield the words of each request of a script, with those it leads to."""
    waiting: list[Request] = list(script.requests) if script else []
    while waiting:
        request = waiting.pop(0)
        waiting += request.if_refused
        wants = [value for values in request.wants.values() for value in values]
        yield Words(". ".join([request.say, *wants, *request.details]))
