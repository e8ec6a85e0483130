"""The failure report of a trial in the form pytest's terminal asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pytest_taubench.report.foreign_text import printable


@dataclass(frozen=True)
class Crash:
    """What pytest's short summary reads the reason of a failure from."""

    message: str


class FailureText:
    """A failure report with a one-line reason.

    It is made from plain text where reports arrive, since a report crosses processes as text
    and the short summary shall be the same with and without xdist. What agents wrote is made
    harmless where it is printed; JUnit's file has it as it was.

    Attributes:
        reprcrash: The reason.
    """

    def __init__(self, text: str, reason: str) -> None:
        self.text = text
        self.reprcrash = Crash(printable(reason))

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:
        """Write the report; the first line is the reason and stands out."""
        first, _, rest = printable(self.text).partition("\n")
        tw.line(first, red=True, bold=True)
        if rest:
            tw.line(rest)
