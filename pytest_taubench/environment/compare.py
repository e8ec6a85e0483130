"""Comparison of JSON data by meaning, and the difference in words a person can read."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-9
"""Money is rounded by the tools; this only forgives the noise of ``10.1 + 0.2``."""

_ABSENT: Any = type("_Absent", (), {"__repr__": lambda self: "absent"})()
_WIDTH = 100


def same(a: Any, b: Any) -> bool:
    """Tell whether two JSON values mean the same.

    ``25`` equals ``25.0``; the order of keys does not matter, the order in lists does; a bool
    is no number and a text is no number; numbers may differ by ``TOLERANCE``.
    """
    if a is b:
        return True
    if isinstance(a, str):
        return isinstance(b, str) and a == b
    if isinstance(a, dict):
        return isinstance(b, dict) and _same_items(a, b)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _same_number(a, b)
    return False


def _same_items(a: dict[str, Any], b: dict[str, Any]) -> bool:
    if len(a) != len(b):
        return False
    for key, left in a.items():  # a loop, since this is what grading spends its time on
        right = b.get(key, _ABSENT)
        if right is not left and (right is _ABSENT or not same(left, right)):
            return False
    return True


def _same_number(a: float, b: float) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if a == b:
        return True
    try:
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except OverflowError:  # an int too large for a float equals no float
        return False


@dataclass(frozen=True)
class Difference:
    """One place where two values differ.

    Attributes:
        path: Where, e.g. ``items[0].price``; empty for the whole value.
        before: The value on the left side; ``absent`` where there is none.
        after: The value on the right side; ``absent`` where there is none.
    """

    path: str
    before: Any
    after: Any

    @property
    def added(self) -> bool:
        """True when only the right side has it."""
        return self.before is _ABSENT

    @property
    def removed(self) -> bool:
        """True when only the left side has it."""
        return self.after is _ABSENT

    def line(self, form: str = "{before} -> {after}") -> str:
        """Return the difference as one line; ``form`` says how the two sides are put."""
        text = form.format(before=short(self.before), after=short(self.after))
        return f"{self.path}: {text}" if self.path else text


def differences(before: Any, after: Any, path: str = "") -> list[Difference]:
    """Return where two values differ by meaning, the innermost places, in reading order."""
    if same(before, after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        return _mapping_differences(before, after, path)
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return _list_differences(before, after, path)
    return [Difference(path, before, after)]


def difference(before: Any, after: Any) -> list[str]:
    """Return the differences as lines, e.g. ``status: "pending" -> "cancelled"``."""
    return [found.line() for found in differences(before, after)]


def short(value: Any, width: int = _WIDTH) -> str:
    """Return a value as JSON text on one line, cut in the middle where it is long."""
    if value is _ABSENT:
        return "absent"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    if len(text) <= width:
        return text
    return f"{text[: width - 20]} … {text[-17:]}"


def _mapping_differences(
    before: dict[str, Any], after: dict[str, Any], path: str
) -> list[Difference]:
    found: list[Difference] = []
    for key in [*before, *(key for key in after if key not in before)]:
        inner = f"{path}.{key}" if path else str(key)
        left, right = before.get(key, _ABSENT), after.get(key, _ABSENT)
        if left is _ABSENT or right is _ABSENT:
            found.append(Difference(inner, left, right))
        else:
            found.extend(differences(left, right, inner))
    return found


def _list_differences(before: Sequence[Any], after: Sequence[Any], path: str) -> list[Difference]:
    """Pair what is left between the common start and end, so one insertion is one line."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    left = before[start : len(before) - end]
    right = after[start : len(after) - end]
    found: list[Difference] = []
    for offset in range(max(len(left), len(right))):
        inner = f"{path}[{start + offset}]"
        if offset < len(left) and offset < len(right):
            found.extend(differences(left[offset], right[offset], inner))
        elif offset < len(left):
            found.append(Difference(inner, left[offset], _ABSENT))
        else:
            found.append(Difference(inner, _ABSENT, right[offset]))
    return found


def _common(a: Sequence[Any], b: Sequence[Any]) -> int:
    count = 0
    for left, right in zip(a, b, strict=False):
        if not same(left, right):
            break
        count += 1
    return count
