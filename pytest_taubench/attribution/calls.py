"""Write calls with the records each of them changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.environment.compare import same, short
from pytest_taubench.environment.environment import Environment
from pytest_taubench.errors import InfrastructureError
from pytest_taubench.schema import Action, ActionRecord, Changes

Place = tuple[str, str]
"""Table and key of a record."""


@dataclass(frozen=True)
class Call:
    """One write call that succeeded, of the annotation or of the trial.

    Attributes:
        index: Its position among all calls of its side.
        name: The tool's name.
        arguments: The arguments.
        changed: The records this very call changed.
        creates: Whether one of them is new.
    """

    index: int
    name: str
    arguments: Mapping[str, Any]
    changed: frozenset[Place]
    creates: bool = False

    def __str__(self) -> str:
        return describe_call(self.name, self.arguments)


def describe_call(name: str, arguments: Mapping[str, Any] | None) -> str:
    """Return a call as a person reads it."""
    if arguments is None:
        return f"{name}(arguments that do not parse)"
    parts = ", ".join(f"{key}={short(value, 120)}" for key, value in arguments.items())
    return f"{name}({parts})"


def successful_writes(
    environment: Environment, calls: Sequence[Action | ActionRecord]
) -> list[Call]:
    """Run the write calls among some on a fresh environment and return those that succeed.

    Args:
        environment: Any environment of the domain; left as it is.
        calls: The annotated actions, or a trial's calls.
    """
    fresh = environment.fresh()
    before: Changes = {}
    found = []
    for index, call in enumerate(calls):
        tool = environment.tools.get(call.name)
        if tool is None or tool.kind != "write" or (isinstance(call, ActionRecord) and not call.ok):
            continue
        arguments = call.arguments or {}
        ok, after = fresh.call(call.name, arguments).ok, fresh.changes()
        if ok:
            changed = frozenset(different_places(before, after))
            creates = any(_is_new(place, before, after) for place in changed)
            found.append(Call(index, call.name, arguments, changed, creates))
        before = after
    return found


def end_state(environment: Environment, calls: Sequence[Action]) -> Changes | None:
    """Return what calls change on a fresh environment; None where a tool cannot bear them.

    The calls tried here are ones that nobody made, so a tool that breaks on them says nothing.
    """
    fresh = environment.fresh()
    try:
        for call in calls:
            fresh.call(call.name, call.arguments)
    except InfrastructureError:
        return None
    return fresh.changes()


def _is_new(place: Place, before: Changes, after: Changes) -> bool:
    table, key = place
    change = after.get(table, {}).get(key)
    return change is not None and change.before is None and key not in before.get(table, {})


def different_places(one: Changes, other: Changes) -> Iterator[Place]:
    """Yield the records that end differently in two sets of changes."""
    for table in {*one, *other}:
        left, right = one.get(table, {}), other.get(table, {})
        for key in {*left, *right}:
            if key not in left or key not in right or not same(left[key].after, right[key].after):
                yield table, key
