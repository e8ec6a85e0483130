"""What a gold action needs to be told is in the instruction, the profile or the database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from pytest_taubench.environment.tool import Tool
from pytest_taubench.lint.case import Case, Write
from pytest_taubench.lint.derivation import derivable
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.leaves import Path, leaves, numbers, shown
from pytest_taubench.lint.words import Words

CHECK = "facts"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def check_facts(case: Case) -> Iterable[Finding]:
    """Find arguments nobody could know, and users nobody could identify."""
    yield from _identity(case)
    known = {leaf for _, leaf in leaves(list(case.knowledge.all)) if isinstance(leaf, str)}
    known |= case.lookups.ids & _keys_known(case)
    for write in case.writes:
        for path, value in leaves(write.action.arguments):
            finding = _argument(case, write, path, value, known)
            if finding is not None:
                yield finding


def _argument(case: Case, write: Write, path: Path, value: Any, known: set[str]) -> Finding | None:
    if value is None or value == "" or isinstance(value, bool):
        return None
    if isinstance(value, str):
        if value in known or _is_choice(case, write, path) or _is_named(case, value):
            return None
        level, why = "error", "neither the instruction nor the database holds it"
    else:
        if _number_is_known(case, float(value)):
            return None
        level, why = "for a person", "it follows from no number that an agent could know"
    message = f"{write.label}, {shown(path)}: {value!r}: {why}"
    subjects = frozenset({str(path[0]), write.action.name, f"{write.action.name}.{path[0]}"})
    return Finding(CHECK, "error" if level == "error" else "for a person", message, subjects)


def _keys_known(case: Case) -> set[str]:
    """Keys by which answers keep objects, such as payment methods."""
    return {
        step
        for path, _ in leaves(list(case.knowledge.all))
        for step in path
        if isinstance(step, str)
    }


def _is_choice(case: Case, write: Write, path: Path) -> bool:
    schema: Any = case.domain.tools[write.action.name].parameters
    for step in path:
        properties = schema.get("properties", {})
        schema = schema.get("items", {}) if isinstance(step, int) else properties.get(step, {})
    return bool(schema.get("enum"))


def _is_named(case: Case, value: str) -> bool:
    return (
        case.text.has(*case.phrases(value)) or value.casefold() in case.task.instruction.casefold()
    )


def _number_is_known(case: Case, value: float) -> bool:
    if case.text.has(Words.of(value)):
        return True
    text = f"{case.domain.policy} {' '.join(case.text.words)}"
    given = [*map(float, _NUMBER.findall(text)), *numbers(list(case.knowledge.involved))]
    sizes = [float(size) for size in range(1, 6)]
    return derivable(value, case.knowledge.involved, [*given, *sizes]) is not None


def _identity(case: Case) -> Iterator[Finding]:
    """An agent must be able to find out who the user is."""
    user_id = case.task.user_id
    if user_id is None or user_id not in case.lookups.keys or not case.writes:
        return
    if case.text.has(Words.of(user_id)) or any(_finds(case, tool) for tool in _finders(case)):
        return
    if not _finders(case) and not _asks_for_user(case):
        return
    message = f"the instruction does not say by what the agent could find {user_id}"
    yield Finding(CHECK, "error", message, frozenset({"user_id", user_id}))


def _asks_for_user(case: Case) -> bool:
    """Some write names the user, so that somebody must say who it is."""
    return any(
        value == case.task.user_id
        for write in case.writes
        for _, value in leaves(write.action.arguments)
    )


def _finders(case: Case) -> list[Tool]:
    """Reading tools that take what a profile holds, and answer with the user's key."""
    profile = _profile(case)
    return [
        tool
        for tool in case.domain.tools.values()
        if tool.kind == "read"
        and tool.accepted
        and all(name in profile for name in tool.accepted)
        and any(
            case.domain.environment().call(tool.name, arguments).value == case.task.user_id
            for arguments in _filled(tool, profile)
        )
    ]


def _finds(case: Case, tool: Tool) -> bool:
    profile = _profile(case)
    return all(
        any(case.text.has(Words.of(value)) for value in profile[name]) for name in tool.accepted
    )


def _filled(tool: Tool, profile: dict[str, set[str]]) -> Iterator[dict[str, str]]:
    names = list(tool.accepted)
    for values in product(*(sorted(profile[name])[:3] for name in names)):
        yield dict(zip(names, values, strict=True))


def _profile(case: Case) -> dict[str, set[str]]:
    profile: dict[str, set[str]] = {}
    for table in case.domain.database.tables:
        record = case.domain.database.table(table).get(case.task.user_id or "")
        for path, leaf in leaves(record or {}):
            if isinstance(leaf, str) and isinstance(path[-1], str):
                profile.setdefault(path[-1], set()).add(leaf)
    return profile
