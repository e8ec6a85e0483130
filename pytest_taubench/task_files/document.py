"""Reads the text of a task file into entries and file-level defaults, whatever its format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from pytest_taubench.task_files import json_text, yaml_text
from pytest_taubench.task_files.problems import Location, Problem, field_text
from pytest_taubench.task_files.yaml_text import YamlFault

_PLAIN_INSTRUCTION = re.compile(r"""\binstruction["']?\s*:\s*[^\s"'|>]""")


@dataclass
class Entry:
    """One entry of a file, not yet checked.

    Attributes:
        data: What stands there.
        location: Where it stands in the document.
        line: Its line, where it is known without a second look (JSONL).
        text: Its own text, in JSONL.
    """

    data: Any
    location: Location
    line: int | None = None
    text: str | None = None


@dataclass
class Document:
    """A file's entries, its defaults, and what was wrong with its text.

    Attributes:
        path: The file.
        defaults: File-level fields, ``tasks`` left out.
        entries: What stands under ``tasks``, in the bare list, or a line.
        problems: What is wrong with the text itself.
    """

    path: Path
    text: str = ""
    defaults: dict[str, Any] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def line(self, entry: Entry | None, location: Location) -> int | None:
        """Return the line of a location, or of the nearest thing around it.

        Costs a second reading of the text, so it is asked for errors only.
        """
        if entry is not None and entry.line is not None:
            return entry.line
        full = (*(entry.location if entry else ()), *location)
        while full and full not in self._lines:
            full = full[:-1]
        return self._lines.get(full)

    def written(self, entry: Entry, location: Location) -> str | None:
        """Return a scalar of an entry as it was written, e.g. ``54.10`` for the number 54.1."""
        value: Any
        if entry.text is not None:
            value, full = json_text.load_as_written(entry.text), location
        else:
            value, full = self._written, (*entry.location, *location)
        for part in full:
            value = value[part]
        return value if isinstance(value, str) else None

    def comment_behind(self, entry: Entry, location: Location) -> str | None:
        """Return the YAML comment that stands on the line where a text without quotes ends.

        Costs a second reading of a text that has an instruction without quotes.
        """
        if _is_json(self.path) or not _PLAIN_INSTRUCTION.search(self.text):
            return None
        return self._comments.get((*entry.location, *location))

    @cached_property
    def _comments(self) -> dict[Location, str]:
        return yaml_text.comments(self.text)

    @cached_property
    def _lines(self) -> dict[Location, int]:
        return json_text.lines(self.text) if _is_json(self.path) else yaml_text.lines(self.text)

    @cached_property
    def _written(self) -> Any:
        return (json_text if _is_json(self.path) else yaml_text).load_as_written(self.text)

    def complain(self, message: str, line: int | None = None, field: str = "") -> None:
        """Add a problem of the file as a whole."""
        self.problems.append(Problem(self.path, line, None, field, message))


def _is_json(path: Path) -> bool:
    return path.suffix in (".json", ".jsonl")


def read_document(path: Path) -> Document:
    """Read a file's text into entries; what is wrong with it goes into ``problems``."""
    document = Document(path)
    raw = _read_bytes(document)
    if raw is None:
        return document
    try:
        document.text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = raw[error.start : error.start + 1].hex()
        document.complain(f"not UTF-8 text (byte 0x{found}); save the file as UTF-8", line)
        return document
    if not document.text.strip():
        document.complain("the file is empty; expected a list of tasks", 1)
    elif path.suffix == ".jsonl":
        _read_jsonl(document)
    else:
        _read_whole(document)
    return document


def _read_bytes(document: Document) -> bytes | None:
    try:
        return document.path.read_bytes()
    except OSError as error:
        document.complain(f"cannot be read: {error.strerror or error}")
        return None


def _read_jsonl(document: Document) -> None:
    last = document.text.count("\n") + 1
    for number, line in json_text.json_lines(document.text):
        try:
            data = json_text.load(line)
        except (ValueError, RecursionError) as error:
            torn = number == last and isinstance(error, json.JSONDecodeError)
            hint = "; the file's last line is cut short" if torn else ""
            document.complain(f"{_json_fault(error)}{hint}", number)
            continue
        document.entries.append(Entry(data, (len(document.entries),), number, line))


def _json_fault(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no valid JSON: {error.msg} (column {error.colno})"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)


def _read_whole(document: Document) -> None:
    data = (_parse_json if _is_json(document.path) else _parse_yaml)(document)
    if document.problems:
        return
    if data is None:
        document.complain("the file is empty; expected a list of tasks", 1)
        return
    tasks = data
    base: Location = ()
    if isinstance(data, dict):
        tasks, base = data.get("tasks"), ("tasks",)
    if tasks is None:
        _complain_no_tasks(document, data)
        return
    if isinstance(data, dict):
        document.defaults = {str(k): v for k, v in data.items() if k != "tasks"}
    if not isinstance(tasks, list):
        expected = f"expected a list of tasks, found {kind_of(tasks)}"
        document.complain(expected, document.line(None, base), field_text(base))
    elif not tasks:
        document.complain("the list of tasks is empty", document.line(None, base), field_text(base))
    else:
        document.entries = [Entry(item, (*base, i)) for i, item in enumerate(tasks)]


def _complain_no_tasks(document: Document, data: dict[str, Any]) -> None:
    alone = "instruction" in data or "graph" in data
    hint = "; put this task into a list under `tasks`" if alone else ""
    document.complain(f"no tasks: expected a list under `tasks`{hint}", document.line(None, ()))


def _parse_json(document: Document) -> Any:
    try:
        return json_text.load(document.text)
    except json.JSONDecodeError as error:
        document.complain(_json_fault(error), error.lineno)
    except json_text.DuplicateKey as error:
        document.complain(str(error), json_text.line_of_second_key(document.text))
    except json_text.NoJsonValue as error:
        document.complain(str(error), json_text.line_of_value(document.text, error.name))
    except RecursionError as error:
        document.complain(_json_fault(error), json_text.line_of_deepest(document.text))
    except ValueError as error:  # a number of more digits than Python converts
        document.complain(_json_fault(error), json_text.line_of_longest_number(document.text))
    return None


def _parse_yaml(document: Document) -> Any:
    try:
        return yaml_text.load(document.text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # What is left open is noticed past the last line.
        last = len(document.text.rstrip().splitlines())
        line = min(mark.line + 1, last) if mark else None
        document.complain(_yaml_fault(error), line)
    except yaml.YAMLError as error:
        line = yaml_text.line_of_control_character(document.text)
        document.complain(f"no valid YAML: {error}".partition("\n")[0], line)
    except RecursionError:
        document.complain("nested too deeply", 1)
    return None


def _yaml_fault(error: yaml.MarkedYAMLError) -> str:
    problem = str(error.problem or error.context)
    if isinstance(error, YamlFault):
        return problem
    context = f" {error.context}" if error.context and error.problem else ""
    if context and error.context_mark:
        context += f" that begins on line {error.context_mark.line + 1}"
    return f"no valid YAML: {problem}{context}"


_KINDS: list[tuple[Callable[[Any], bool], str]] = [
    (lambda value: value is None, "nothing"),
    (lambda value: isinstance(value, bool), "a yes/no value"),
    (lambda value: isinstance(value, (int, float)), "a number"),
    (lambda value: isinstance(value, str), "text"),
    (lambda value: isinstance(value, list), "a list"),
]


def kind_of(value: Any) -> str:
    """Return in words what kind of value this is."""
    return next((words for test, words in _KINDS if test(value)), "a mapping")
