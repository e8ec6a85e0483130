"""Finding the JSON that a model wrote among other words."""

from __future__ import annotations

import json
from typing import Any

_WIDTH = 20_000
"""How much of a text's end is read: a verdict is short, and an answer may be a megabyte."""


def json_values(text: str, opening: str) -> list[Any]:
    """Return the outermost objects (opening ``{``) or lists (``[``) of a text, in order."""
    # A line break inside a sentence is no reason to ask again.
    decoder = json.JSONDecoder(strict=False)
    text = text[-_WIDTH:]
    found: list[Any] = []
    start = text.find(opening)
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            found.append(value)
        start = text.find(opening, end)
    return found
