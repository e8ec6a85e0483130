"""What lint finds in a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "for a person"]


@dataclass(frozen=True)
class Finding:
    """One thing found in a task.

    Attributes:
        check: The check that found it.
        level: ``error`` where the task is proved wrong, ``warning`` where it is odd but works,
            ``for a person`` where a program cannot decide.
        message: What was found, in one sentence.
        subjects: The words a note of the task may name the finding by, besides the check's
            name: an argument, a tool, an id, an output.
        notable: False where no reason could make it right, e.g. a gold action that fails.
        note: The reason the task's notes give for it; such a finding is closed.
    """

    check: str
    level: Level
    message: str
    subjects: frozenset[str] = frozenset()
    notable: bool = True
    note: str | None = None

    @property
    def open(self) -> bool:
        """True when no note of the task answers it."""
        return self.note is None

    def __str__(self) -> str:
        reason = "" if self.note is None else f" -- noted: {self.note}"
        level = self.level if self.open else "noted"
        return f"{level} ({self.check}): {self.message}{reason}"
