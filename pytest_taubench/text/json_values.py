"""JSON among other words, as models write it, and JSON as this package keeps it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
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


_WIDTH = 20_000
"""How much of a text's end is read: a verdict is short, and an answer may be a megabyte."""


def json_values(text: str, opening: str) -> list[Any]:
    """Return the outermost objects (opening ``{``) or lists (``[``) of a text, in order.

    What a model thought before it answered is left out: it weighs verdicts that it does not give.
    """
    # A line break inside a sentence is no reason to ask again.
    decoder = json.JSONDecoder(strict=False)
    text = text.rpartition("</think>")[2][-_WIDTH:]
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


_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
# A string that nothing closes runs to the end: to look again from within would take for ever.
_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_STRING_OR_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)
_STRING_OR_BRACKET = re.compile(_STRING + r"|[{}\[\]]", re.DOTALL)
_START = re.compile(r'\{\s*+(?:\}|"(?:[^"\\]|\\.){0,1000}+"\s*+:)', re.DOTALL)
_LONE_BACKSLASH = re.compile(r'\\(\\|["/bfnrt]|u[0-9a-fA-F]{4})|\\')
LONGEST = 400_000
"""Most characters of a text that is searched for an object; as JSON, any length is read."""

_MOST_FAILURES = 1_000
_MOST_SCANNED = 10_000_000
"""What is spent on objects that do not parse; a model that repeats itself opens any number."""

_DECODER = json.JSONDecoder(strict=False, parse_int=integer)  # lets line breaks inside texts pass


def extract_object(text: str, key: str) -> dict[str, Any] | None:
    """Return the object a text holds, or None where it holds none.

    Of several, the last one that has ``key`` is taken: models repeat the format or an example
    before they answer. Where none has it, the last one is taken.
    """
    whole = _parsed(text)
    if isinstance(whole, dict):
        return whole
    if len(text) > LONGEST:
        return None
    for places in ([text], _FENCE.findall(text)):
        found = [item for place in places for item in _objects(place)]
        chosen = [item for item in found if key in item]
        if chosen:
            return chosen[-1]
    repaired = [item for place in [*_FENCE.findall(text), text] for item in _repaired(place)]
    return next((item for item in repaired if key in item), None) or _last_object(text)


def _last_object(text: str) -> dict[str, Any] | None:
    found = list(_objects(text))
    return found[-1] if found else None


def _parsed(text: str) -> Any:
    try:
        return _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost objects that parse, until too many that do not have been tried."""
    failures = scanned = 0
    start = _START.search(text)
    while start and failures < _MOST_FAILURES and scanned < _MOST_SCANNED:
        place = start.start()
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            failures += 1
            scanned += getattr(error, "pos", len(text)) - place
            end = place + 1
        else:
            yield value
        start = _START.search(text, end)


def _repaired(text: str) -> Iterator[dict[str, Any]]:
    """Yield objects that parse once slips are mended."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return
    tail = text[start:]
    part = text[start : end + 1] if end > start else tail
    mended = [_STRING_OR_COMMA.sub(_mend, candidate) for candidate in (part, tail)]
    for candidate in (mended[0], _closed(mended[1]), _closed(mended[0])):
        value = _parsed(candidate)
        if isinstance(value, dict):
            yield value
            return
    value = _python_literal(part)
    if isinstance(value, dict):
        yield value


def _mend(match: re.Match[str]) -> str:
    """Drop a comma before a closing bracket; double a backslash that escapes nothing."""
    if match[0] == ",":
        return ""
    return _LONE_BACKSLASH.sub(lambda found: found[0] if found[1] else r"\\", match[0])


def _closed(text: str) -> str:
    """Close what a reply cut short left open."""
    open_: list[str] = []
    for match in _STRING_OR_BRACKET.finditer(text):
        sign = match[0]
        if sign in "{[":
            open_.append("}" if sign == "{" else "]")
        elif sign in "}]" and open_:
            open_.pop()
    return text.rstrip().rstrip(",") + "".join(reversed(open_))


def _python_literal(text: str) -> Any:
    """Parse what was written as a Python literal: single quotes, None and True."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
