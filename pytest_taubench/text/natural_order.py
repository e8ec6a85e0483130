"""The order in which people expect names: ``task-2`` before ``task-10``."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"([0-9]+)")


def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Return what to sort a name by: its numbers by their value, the rest as text."""
    parts = _NUMBER.split(name)  # text and numbers take turns, text first
    numbers = [int(part) if at % 2 else 0 for at, part in enumerate(parts)]
    return (*zip(numbers, parts, strict=True), (0, name))
