"""Names and numbers as people take them: what a mistyped name meant, natural order, plurals."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"([0-9]+)")


def nearest(name: object, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name closest to a wrong one, or None where none is close."""
    import difflib  # only a mistake needs it

    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=cutoff)
    return close[0] if close else None


def did_you_mean(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """Return ``did you mean 'x'?`` for the nearest known name, or what else is to be said."""
    near = nearest(name, known)
    return otherwise if near is None else f"did you mean {near!r}?"


def meant(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """Return the same behind a semicolon, to end a message with; nothing where there is none."""
    hint = did_you_mean(name, known, otherwise)
    return f"; {hint}" if hint else ""


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts: ``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def natural_key(name: str) -> tuple[tuple[int, str, str], ...]:
    """Return what to sort a name by: its numbers by their value, the rest as text."""
    parts = _NUMBER.split(name)  # text and numbers take turns, text first
    # By length and digits, which is by value: Python reads no number of thousands of digits.
    digits = [part.lstrip("0") if at % 2 else "" for at, part in enumerate(parts)]
    return (*((len(d), d, part) for d, part in zip(digits, parts, strict=True)), (0, "", name))
