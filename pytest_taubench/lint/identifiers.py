"""Every id that an instruction names exists."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from pytest_taubench.lint.case import Case
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.knowledge import Lookups, code, shape

CHECK = "ids"
_TOKEN = re.compile(r"[#@]?[A-Za-z0-9][\w-]*")


def check_ids(case: Case) -> Iterable[Finding]:
    """Find what looks like an id of the database and is none; a user may be wrong on purpose."""
    for token in dict.fromkeys(unknown_ids(case.task.instruction, case.lookups)):
        near = difflib.get_close_matches(token, case.lookups.ids, 1, cutoff=0.9)
        hint = f"; the nearest is {near[0]}" if near else ""
        message = f"{token} in the instruction is not in the database{hint}"
        yield Finding(CHECK, "error", message, frozenset({token, token.lstrip("#@")}))


def tokens(text: str) -> list[str]:
    """Return the words of a text that may be ids, in order."""
    return _TOKEN.findall(text)


def unknown_ids(text: str, lookups: Lookups) -> list[str]:
    """Return what looks like an id of the database in a text, and is none."""
    return [
        token
        for token in tokens(text)
        if token not in lookups.ids and _looks_like_id(token, lookups)
    ]


def _looks_like_id(token: str, lookups: Lookups) -> bool:
    if not any(c.isdigit() for c in token) or re.fullmatch(r"[\d-]{1,8}|\d{4}-\d\d-\d\d", token):
        return False
    return shape(token) in lookups.shapes or code(token) in lookups.codes
