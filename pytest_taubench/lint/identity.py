"""Whether an agent could find out who the user of a task is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from pytest_taubench.environment.tool import Tool
from pytest_taubench.lint.case import Case
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.leaves import leaves
from pytest_taubench.lint.words import Words

CHECK = "facts"
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ZIP = re.compile(r"\b(?:zip|postal|post)\b[^.;\d]{0,20}(\d{5})\b", re.I)
_TOKEN = re.compile(r"[\w'-]+")
_NAMES = ("first_name", "last_name", "email")


def check_identity(case: Case) -> Iterable[Finding]:
    """Find users nobody could identify; where the task names none, the one its records belong to."""
    user_id = owner(case)
    if case.task.user_id is None and user_id is None:
        yield from _strangers(case)
    if user_id is None or user_id not in case.lookups.keys or not case.writes:
        return
    finders = _finders(case, user_id)
    if case.text.has(Words.of(user_id)) or any(_finds(case, tool, user_id) for tool in finders):
        return
    if not finders and case.task.user_id is not None and not _asks_for(case, user_id):
        return
    message = f"the instruction does not say by what the agent could find {user_id}"
    yield Finding(CHECK, "error", message, frozenset({"user_id", user_id}))


def owner(case: Case) -> str | None:
    """Return the task's user: as it says, or the only person in what its gold actions touch."""
    if case.task.user_id is not None:
        return case.task.user_id
    answers = [result.value for result in case.gold.results if result.ok]
    records = [r for table in case.gold.changes.values() for r in table.values()]
    touched = [each for record in records for each in (record.before, record.after)]
    arguments = [action.arguments for action in case.task.actions]
    texts = {leaf for _, leaf in leaves([answers, touched, arguments]) if isinstance(leaf, str)}
    keys = {key for table in case.gold.changes.values() for key in table}
    people = {key for key in texts | keys if _person(case, key)}
    return people.pop() if len(people) == 1 else None


def profile(case: Case, user_id: str | None) -> dict[str, set[str]]:
    """Return the texts of a user's record by the names they stand under."""
    found: dict[str, set[str]] = {}
    for record in _records(case, user_id or ""):
        for path, leaf in leaves(record):
            if isinstance(leaf, str) and isinstance(path[-1], str):
                found.setdefault(path[-1], set()).add(leaf)
    return found


def _records(case: Case, key: str) -> Iterator[Mapping[str, Any]]:
    database = case.domain.database
    for table in database.tables:
        record = database.table(table).get(key)
        if record is not None:
            yield record


def _person(case: Case, key: str) -> bool:
    """Tell whether the record of a key is of one person, with a name or an e-mail address."""
    return key in case.lookups.keys and any(map(_is_person, _records(case, key)))


def _is_person(record: Any) -> bool:
    """A name or an e-mail address makes a person; passengers in a list make none."""
    return any(
        path[-1] in _NAMES and not any(isinstance(step, int) for step in path)
        for path, leaf in leaves(record)
        if path and isinstance(leaf, str)
    )


def _strangers(case: Case) -> Iterator[Finding]:
    """An e-mail address or a ZIP code by which a task without a user finds nobody."""
    people = list(_people(case))
    instruction = case.task.instruction
    for email in _EMAIL.findall(instruction):
        if not any(email.casefold() in texts for texts in people):
            message = f"nobody in the database has the e-mail address {email}"
            yield Finding(CHECK, "error", message, frozenset({"user_id", "email", email}))
    words = set(_TOKEN.findall(instruction.casefold()))
    for code in _ZIP.findall(instruction):
        if not any(code in texts and len(texts & words - {code}) > 1 for texts in people):
            message = f"nobody in the database has the instruction's name and the ZIP code {code}"
            yield Finding(CHECK, "error", message, frozenset({"user_id", "zip", code}))


def _people(case: Case) -> Iterator[set[str]]:
    """Yield of each person what identifies: names, e-mail address and ZIP codes."""
    database = case.domain.database
    for table in database.tables:
        for record in database.table(table).values():
            if not _is_person(record):
                break  # a table holds records of one kind
            yield {
                str(leaf).casefold()
                for path, leaf in leaves(record)
                if path[-1] in (*_NAMES, "zip") and isinstance(leaf, str)
            }


def _asks_for(case: Case, user_id: str) -> bool:
    """Some write names the user, so that somebody must say who it is."""
    return any(
        value == user_id for write in case.writes for _, value in leaves(write.action.arguments)
    )


def _finders(case: Case, user_id: str) -> list[Tool]:
    """Reading tools that take what a profile holds, and answer with the user's key."""
    known = profile(case, user_id)
    return [
        tool
        for tool in case.domain.tools.values()
        if tool.kind == "read"
        and tool.accepted
        and all(name in known for name in tool.accepted)
        and any(
            case.domain.environment().call(tool.name, arguments).value == user_id
            for arguments in _filled(tool, known)
        )
    ]


def _finds(case: Case, tool: Tool, user_id: str) -> bool:
    known = profile(case, user_id)
    return all(
        any(case.text.has(Words.of(value)) for value in known[name]) for name in tool.accepted
    )


def _filled(tool: Tool, known: dict[str, set[str]]) -> Iterator[dict[str, str]]:
    names = list(tool.accepted)
    for values in product(*(sorted(known[name])[:3] for name in names)):
        yield dict(zip(names, values, strict=True))
