"""Read gold and predictions from files: JSON lines, or one JSON list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_taubench.errors import TaskFileError
from pytest_taubench.taskbench.plain_json import integer
from pytest_taubench.taskbench.published import published_fields
from pytest_taubench.taskbench.taskeval.faults import Fault, FaultKind, shown


@dataclass
class Rows:
    """The rows of a file by id, and what was wrong with others.

    Attributes:
        by_id: The rows; of several with one id, the last.
        read: How many rows the file has.
        faults: What was wrong, with the line.
    """

    by_id: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    read: int = 0
    faults: list[Fault] = field(default_factory=list)

    def add(self, row: Any, where: str) -> None:
        """Add a row, or note why it cannot be."""
        self.read += 1
        if not isinstance(row, Mapping):
            self.faults.append(Fault(FaultKind.LINE_NOT_OBJECT, f"{where} is {shown(row)}"))
        elif not isinstance(row.get("id"), str | int):
            self.faults.append(Fault(FaultKind.NO_ID, f"{where} has no id"))
        else:
            id_ = str(row["id"])
            if id_ in self.by_id:
                self.faults.append(Fault(FaultKind.DUPLICATE_ID, f"{where} repeats {shown(id_)}"))
            self.by_id[id_] = row


def rows_of(items: Iterable[Any], where: str = "row") -> Rows:
    """Collect rows that are in memory already."""
    rows = Rows()
    for number, item in enumerate(items, start=1):
        rows.add(item, f"{where} {number}")
    return rows


def gold_rows(items: Iterable[Any], where: str = "row") -> Rows:
    """Collect annotations of any of the shapes in use, brought to TaskBench's fields."""
    return rows_of((published_fields(i) if isinstance(i, Mapping) else i for i in items), where)


def read_gold(path: Path) -> Rows:
    """Read an annotation file."""
    rows, faults = _read(path)
    gold = gold_rows(rows, f"{path.name}: sample")
    if not gold.by_id:
        raise TaskFileError(f"{path}: holds no sample with an id")
    gold.faults += faults
    return gold


def read_predictions(path: Path) -> Rows:
    """Read a predictions file: ``{"id": …, "result": {…}}`` a line."""
    rows, faults = _read(path)
    predictions = rows_of(rows, f"{path.name}: prediction")
    predictions.read += len(faults)
    predictions.faults += faults
    return predictions


def _read(path: Path) -> tuple[list[Any], list[Fault]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise TaskFileError(f"{path}: cannot be read: {error.strerror}") from error
    if text.lstrip().startswith("["):
        # One list; but a file of lines may well begin with a wrong line that is a list.
        with suppress(ValueError, RecursionError):
            whole = json.loads(text, parse_int=integer)
            if isinstance(whole, list):
                return whole, []
    faults: list[Fault] = []
    return list(_lines(text, path.name, faults)), faults


def _lines(text: str, name: str, faults: list[Fault]) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line, parse_int=integer)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(FaultKind.LINE_NOT_JSON, f"{name}:{number}: {error}"))
