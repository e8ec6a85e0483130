"""What an instruction says about times of day, such as "after 2 pm" or "in the afternoon"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pytest_taubench.lint.leaves import leaves
from pytest_taubench.lint.ranking import measure

_CLOCK = r"(?:(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s?(?P<half>am|pm|in the morning|in the afternoon|in the evening)?|(?P<noon>noon|midday))"
_BOUND = re.compile(
    rf"\b(?P<word>not (?:leave |depart |start )?before|not earlier than|(?:not|no) later than|"
    rf"before|until|by|after|from)\s+{_CLOCK}(?![\w-])",
    re.I,
)
_PART = re.compile(r"\b(morning|afternoon|evening|night)\b", re.I)
_PARTS = {
    "morning": (0, 12 * 60),
    "afternoon": (12 * 60, 18 * 60),
    "evening": (17 * 60, 24 * 60),
    "night": (18 * 60, 24 * 60),
}
_LOWER = ("not before", "not earlier", "after", "from")


@dataclass(frozen=True)
class Window:
    """A part of the day, in minutes from midnight."""

    begin: float
    end: float

    def holds(self, minutes: float) -> bool:
        """Tell whether a time is in it."""
        return self.begin <= minutes <= self.end


def windows(text: str) -> list[Window]:
    """Return the parts of the day a text speaks of."""
    found = [Window(*_PARTS[match[1].lower()]) for match in _PART.finditer(text)]
    for match in _BOUND.finditer(text):
        minutes = _minutes(match)
        if minutes is None:
            continue
        word = re.sub(r"\s(?:leave|depart|start)", "", match["word"].lower())
        lower = word.startswith(_LOWER)
        found.append(Window(minutes, 24 * 60.0) if lower else Window(0, minutes))
    return found


def outside(text: str, mine: Any, other: Any) -> bool:
    """Tell whether a part of the day holds a time of the annotation's value, not the other's."""
    one, two = _times(mine), _times(other)
    return any(
        window.holds(one[path]) and not window.holds(two[path])
        for window in windows(text)
        for path in one
        if path in two
    )


def _times(value: Any) -> dict[tuple[str | int, ...], float]:
    return {
        path: minutes
        for path, leaf in leaves(value)
        if isinstance(leaf, str) and (minutes := measure(leaf)) is not None
    }


def _minutes(match: re.Match[str]) -> float | None:
    if match["noon"]:
        return 12 * 60
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if hour > 24 or not (half or match["minute"]):
        return None  # "after 2 days" is no time
    if half in ("pm", "in the afternoon", "in the evening") and hour < 12:
        hour += 12
    return hour * 60 + int(match["minute"] or 0)
