"""Reads one task file."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pytest_taubench.schema import Sample, Task
from pytest_taubench.task_files.document import Entry, kind_of, read_document
from pytest_taubench.task_files.fields import FieldFault
from pytest_taubench.task_files.problems import raise_problems
from pytest_taubench.task_files.reading import GraphToolsOf, KeysOf, Reading, ToolsOf, own_id
from pytest_taubench.task_files.samples import is_sample, read_sample
from pytest_taubench.task_files.tasks import read_task

SUFFIXES = (".tau.yaml", ".tau.yml", ".tau.json", ".tau.jsonl")
"""How the names of task files end."""


@dataclass
class TaskFile:
    """What a task file holds.

    Attributes:
        path: The file.
        tasks: Its τ tasks, in order.
        samples: Its TaskBench samples, in order.
        suite: The name its figures are grouped under.
        notes: What a reader should know but is no error.
    """

    path: Path
    tasks: list[Task] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    suite: str = ""
    notes: list[str] = field(default_factory=list)


def is_task_file(path: Path) -> bool:
    """True when a file of this name is a task file."""
    return path.name.endswith(SUFFIXES)


def suite_name(path: Path, root: Path | None = None) -> str:
    """Return the folder's name, or for a file directly in the root its stem without ``.tau``."""
    path = path.resolve()
    if root is not None and path.parent == root.resolve():
        return path.name.partition(".tau.")[0]
    return path.parent.name


def read_task_file(
    path: Path,
    tools_of: ToolsOf | None = None,
    graph_tools_of: GraphToolsOf | None = None,
    root: Path | None = None,
    keys_of: KeysOf | None = None,
) -> TaskFile:
    """Read a task file and check everything in it.

    Args:
        path: The file.
        tools_of: Gives the tools of a domain, to check gold actions against; a path is relative
            to the file's folder. Without it, domains and actions are taken as they are.
        graph_tools_of: Likewise the tool names of a tool graph.
        root: The root directory, whose own files are suites by themselves.
        keys_of: Gives the keys that a domain's users may have, to check ``user_id`` against.

    Raises:
        TaskFileError: Something is wrong; the error holds every problem of the file.
    """
    with without_collector():
        document = read_document(path)
        reading = Reading(document, tools_of, graph_tools_of, suite_name(path, root), keys_of)
        found = _read_entries(reading)
    raise_problems(sorted(reading.problems, key=lambda p: p.line or 0))
    return found


@contextmanager
def without_collector() -> Iterator[None]:
    """Hold the garbage collector back while much is made and nothing is garbage.

    It would go through all that was read so far again and again, and double the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read_entries(reading: Reading) -> TaskFile:
    document = reading.document
    reading.problems += document.problems
    reading.read_defaults()
    found = TaskFile(document.path, suite=reading.suite, notes=reading.notes)
    first: dict[str, Entry] = {}
    for index, entry in enumerate(document.entries):
        item = _read_entry(reading, entry, index)
        if item is None:
            continue
        if item.id in first:
            _complain_duplicate(reading, entry, first[item.id], item.id)
        first.setdefault(item.id, entry)
        if isinstance(item, Task):
            found.tasks.append(item)
        else:
            found.samples.append(item)
    return found


def _read_entry(reading: Reading, entry: Entry, index: int) -> Task | Sample | None:
    if not isinstance(entry.data, dict):
        message = f"expected a task (a mapping), found {kind_of(entry.data)}"
        reading.complain(entry, None, FieldFault((), message), f"tasks[{index}]")
        return None
    read = read_sample if is_sample(entry.data) else read_task
    return read(reading, entry, index)


def _complain_duplicate(reading: Reading, entry: Entry, first: Entry, identifier: str) -> None:
    line = reading.document.line(first, ("id",))
    by_place = own_id(entry) is None
    subject = f"its place makes its id '{identifier}', which" if by_place else "this id"
    message = f"{subject} is already taken by the task on line {line}"
    reading.complain(entry, identifier, FieldFault(("id",), message))
