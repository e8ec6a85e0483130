"""JSON without duplicate keys or NaN, and with lines on demand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pytest_taubench.task_files.problems import Location

# A string that nothing closes is one token to the end: looked at again from each quote within, it
# would take for ever.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


class DuplicateKey(ValueError):
    """A key is written twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key '{key}' is written twice")
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise DuplicateKey(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return data


class NoJsonValue(ValueError):
    """NaN or an infinity stands where a value should."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is no JSON value")
        self.name = name


def _no_constant(name: str) -> Any:
    raise NoJsonValue(name)


def load(text: str) -> Any:
    """Return the document's data.

    Raises:
        json.JSONDecodeError: The text is no JSON.
        DuplicateKey: An object repeats a key.
        NoJsonValue: NaN or Infinity is used as a value.
        ValueError: A number has more digits than can be read.
        RecursionError: It is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)


def load_as_written(text: str) -> Any:
    """Return the same data with numbers as the text that was written."""
    return json.loads(text, parse_int=str, parse_float=str)


def lines(text: str) -> dict[Location, int]:
    """Return the 1-based line of every value (of its key, where it has one); text must be JSON."""
    found: dict[Location, int] = {}
    for location, line, _ in _places(text):
        found.setdefault(location, line)
    return found


def line_of_second_key(text: str) -> int | None:
    """Return the line where the first repeated key is written for the second time."""
    seen: set[Location] = set()
    for location, line, is_key in _places(text):
        if is_key and location in seen:
            return line
        seen.add(location)
    return None


def line_of_value(text: str, value: str) -> int | None:
    """Return the line of a bare word, such as ``NaN``."""
    return _line_of(text, (m.start() for m in _TOKEN.finditer(text) if m.group() == value))


def line_of_longest_number(text: str) -> int | None:
    """Return the line of the bare word with the most characters."""
    bare = (match for match in _TOKEN.finditer(text) if not match.group().startswith('"'))
    longest = max(bare, key=lambda match: len(match.group()), default=None)
    return None if longest is None else _line_of(text, iter([longest.start()]))


def line_of_deepest(text: str) -> int | None:
    """Return the line of the first value that no other is nested deeper than."""
    depth, deepest, start = 0, 0, None
    for match in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match.group(), 0)
        if depth > deepest:
            deepest, start = depth, match.start()
    return None if start is None else _line_of(text, iter([start]))


def _line_of(text: str, starts: Iterator[int]) -> int | None:
    start = next(starts, None)
    return None if start is None else text.count("\n", 0, start) + 1


def _places(text: str) -> Iterator[tuple[Location, int, bool]]:
    """Yield the location and line of every key, and of every value where it starts."""
    at: list[str | int] = []
    awaiting_key = False
    line, counted = 1, 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        if token in ("}", "]"):
            at.pop()
            awaiting_key = False
        elif token == "," and isinstance(at[-1], int):
            at[-1] += 1
        elif token == ",":
            awaiting_key = True
        elif awaiting_key:
            at[-1], awaiting_key = json.loads(token), False
            yield tuple(at), line, True
        elif token != ":":
            yield tuple(at), line, False
            awaiting_key = token == "{"
            at += [""] if token == "{" else [0] if token == "[" else []


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the 1-based number and text of each line that is not blank.

    Only a newline ends a line: U+2028 and its kind may stand inside a JSON string.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line
