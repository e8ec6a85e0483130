"""What an agent can find out with the reading tools of a domain."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_taubench.environment.domain import Domain
from pytest_taubench.environment.tool import Tool
from pytest_taubench.lint.leaves import leaves

_RUN = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
_ID_TOKEN = re.compile(r"[#@]?\w[\w-]*\w")


class Lookups:
    """The reading tools of a domain on its untouched database; every answer is kept.

    Args:
        domain: The domain.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._answers: dict[str, dict[str, Any]] = {}

    def about(self, value: str) -> dict[str, Any]:
        """Return what each tool of one text parameter answers to a value, where it answers."""
        if value not in self._answers:
            results = {
                tool.name: self.domain.environment().call(tool.name, {parameter: value})
                for tool, parameter in self._single
            }
            self._answers[value] = {n: r.value for n, r in results.items() if r.ok}
        return self._answers[value]

    def record(self, key: str) -> Mapping[str, Any] | None:
        """Return what a tool says about a key, where the answer is an object."""
        found = [answer for answer in self.about(key).values() if isinstance(answer, dict)]
        return found[0] if found else None

    def ids_in(self, text: str) -> list[str]:
        """Return the ids of the database that stand in a text, in order."""
        return [token for token in _ID_TOKEN.findall(text) if token in self.ids]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of all tables."""
        database = self.domain.database
        return frozenset(key for table in database.tables for key in database.table(table))

    @cached_property
    def ids(self) -> frozenset[str]:
        """The keys of all tables, and those of the objects kept by key inside a record."""
        database = self.domain.database
        records = (r for table in database.tables for r in database.table(table).values())
        return self.keys.union(*(_inner_keys(record) for record in records))

    @cached_property
    def shapes(self) -> frozenset[str]:
        """The shapes of the ids: ``#W1234567`` and ``#W7654321`` have one."""
        return frozenset(map(shape, self.ids))

    @cached_property
    def codes(self) -> frozenset[str]:
        """The lengths of ids that mix capitals and digits."""
        return frozenset(filter(None, map(code, self.ids)))

    @cached_property
    def other_names(self) -> dict[str, list[str]]:
        """What a value is also called: tools without parameters that answer ``{text: text}``."""
        names: dict[str, list[str]] = defaultdict(list)
        for tool in self._readers:
            if tool.accepted:
                continue
            answer = self.domain.environment().call(tool.name, {}).value
            pairs = answer.items() if isinstance(answer, dict) else ()
            for one, other in pairs:
                if isinstance(other, str) and one != other:
                    names[one].append(other)
                    names[other].append(one)
        return dict(names)

    @property
    def _readers(self) -> list[Tool]:
        return [tool for tool in self.domain.tools.values() if tool.kind == "read"]

    @cached_property
    def _single(self) -> list[tuple[Tool, str]]:
        """The reading tools whose one required parameter is a text."""
        found = []
        for tool in self._readers:
            required = [each for each in tool.accepted.values() if each.required]
            if len(required) == 1 and required[0].schema.get("type") == "string":
                found.append((tool, required[0].name))
        return found


@dataclass(frozen=True)
class Knowledge:
    """What an agent can find out in a task.

    Attributes:
        involved: What the gold actions answer, and what tools say about the ids that gold
            actions and instruction name.
        further: What tools say about the ids found in that, and those found there.
    """

    involved: tuple[Any, ...]
    further: tuple[Any, ...]

    @classmethod
    def of(cls, lookups: Lookups, named: Iterable[str], answers: Sequence[Any]) -> Knowledge:
        """Look up ids, and twice what ids the answers name.

        Args:
            lookups: The domain's reading tools.
            named: Values that may be ids.
            answers: What the gold actions answered.
        """
        seen: set[str] = set()
        first = _look_up(lookups, named, seen)
        second = _look_up(lookups, _texts([*first, *answers]), seen)
        third = _look_up(lookups, _texts(second), seen)
        return cls((*answers, *first), (*second, *third))

    @property
    def all(self) -> tuple[Any, ...]:
        """Everything, what is involved first."""
        return (*self.involved, *self.further)


def _look_up(lookups: Lookups, values: Iterable[str], seen: set[str]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if value not in seen and (value in lookups.ids or "@" in value):
            seen.add(value)
            found += lookups.about(value).values()
    return found


def _texts(values: Sequence[Any]) -> Iterator[str]:
    for _, leaf in leaves(list(values)):
        if isinstance(leaf, str):
            yield leaf


def keyed(value: Any) -> bool:
    """Tell whether an object keeps objects by key, as a profile keeps payment methods."""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(inner, Mapping) for inner in value.values())
    )


def _inner_keys(record: Any) -> Iterator[str]:
    if isinstance(record, Mapping):
        if keyed(record):
            yield from (key for key in record if not _is_plain(key))
        for inner in record.values():
            yield from _inner_keys(inner)
    elif isinstance(record, (list, tuple)):
        for inner in record:
            yield from _inner_keys(inner)


def _is_plain(key: str) -> bool:
    """Dates, short numbers and field names are keys of objects too, but no ids."""
    return not any(c.isdigit() for c in key) or (
        not any(c.isalpha() for c in key) and len(re.sub(r"\D", "", key)) < 9
    )


def shape(key: str) -> str:
    """Return what kinds of signs an id is made of: ``#W1234567`` is ``#A9999999``."""
    return _RUN.sub(_run_shape, key)


def _run_shape(match: re.Match[str]) -> str:
    run = match[0]
    if run[0].isdigit():
        return "9" * len(run)
    return "a" if run[0].islower() else "A" * len(run)


def code(key: str) -> str:
    """Return the length of an id that mixes capitals and digits, such as ``8JX2WO``."""
    return str(len(key)) if re.fullmatch(r"[A-Z0-9]+", key) and not key.isdigit() else ""
