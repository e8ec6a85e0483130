"""What a gold action needs to be told is in the instruction, the profile or the database."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pytest_taubench.lint.case import Case, Write
from pytest_taubench.lint.derivation import derivable
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.identity import check_identity
from pytest_taubench.lint.leaves import Path, leaves, numbers, shown
from pytest_taubench.lint.words import Words

CHECK = "facts"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def check_facts(case: Case) -> Iterable[Finding]:
    """Find arguments nobody could know, and users nobody could identify."""
    yield from check_identity(case)
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
