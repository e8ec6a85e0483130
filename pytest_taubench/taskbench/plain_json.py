"""JSON as this package keeps it: plain, of a depth that every reader can follow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

DEEPEST = 100
"""Most levels of a plan; what writes records gives up at some 250, what prints them later."""


def integer(digits: str) -> int | str:
    """Return the integer of a JSON text; one too long for Python stays the digits it is."""
    try:
        return int(digits)
    except ValueError:
        return digits


def plain_object(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy that holds nothing but what JSON has.

    Raises:
        ValueError: It holds something else, or itself, or too many levels.
    """
    try:
        text = json.dumps(dict(value), ensure_ascii=False, default=_as_dict)
        text.encode()  # a lone surrogate can be written nowhere
        copy = json.loads(text, parse_int=integer)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEEPEST} levels") from None
    except Exception as error:  # whatever the object's own methods raise
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if _deeper(copy, DEEPEST):
        raise ValueError(f"it is nested deeper than {DEEPEST} levels")
    plain: dict[str, Any] = copy
    return plain


def _as_dict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"JSON holds no {type(value).__name__}")


def _deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [
            inner
            for item in layer
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not layer:
            return False
    return True
