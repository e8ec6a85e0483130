"""What is wrong in a task file, said so that its author can mend it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_taubench.errors import TaskFileError

_SHOWN = 20

Location = tuple[str | int, ...]
"""The way to a value inside a document, e.g. ``("tasks", 0, "actions", 2, "name")``."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a task file.

    Attributes:
        path: The file.
        line: 1-based line, or None where there is none to name.
        task: The task's id, or None outside a task; one without an id has its place as id.
        field: The field, e.g. ``actions[0].name``; empty for the file as a whole.
        message: What was found and what was expected.
        nearest: The valid name closest to a wrong one, or None.
        nameless: How to call a task whose file gives it no valid id, or None.
    """

    path: Path
    line: int | None
    task: str | None
    field: str
    message: str
    nearest: str | None = None
    nameless: str | None = None

    def __str__(self) -> str:
        place = shown_path(self.path) + (f":{self.line}" if self.line is not None else "")
        named = None if self.task is None else f"task '{self.task}'"
        subject = [task] if (task := self.nameless or named) else []
        subject += [self.field] if self.field else []
        parts = [place, ", ".join(subject), self.message.rstrip(".")]
        hint = f". Did you mean '{self.nearest}'?" if self.nearest else ""
        return ": ".join(part for part in parts if part) + hint


def shown_path(path: Path) -> str:
    """Return the path as a reader of the terminal would type it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def field_text(location: Sequence[str | int]) -> str:
    """Return a location as people write it: ``actions[0].name``."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def raise_problems(problems: Sequence[Problem]) -> None:
    """Raise one error for all problems of a file, if there are any.

    Raises:
        TaskFileError: Shows the first few problems and says how many more there are.
    """
    if not problems:
        return
    lines = [str(problem) for problem in problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        lines.append(f"... and {len(problems) - _SHOWN} more problems in this file")
    raise TaskFileError("\n".join(lines), problems)
