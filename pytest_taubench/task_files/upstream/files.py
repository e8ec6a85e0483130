"""What a folder of upstream data comes to, and its files, compressed or not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_taubench.environment.domain import Domain
from pytest_taubench.errors import TauBenchError
from pytest_taubench.schema import Sample, Task

GetDomain = Callable[[str], Domain]
"""Gives a bundled domain by its name; raises DomainError."""


class DataError(TauBenchError):
    """Upstream data are missing or wrong; the message names the file and what was expected."""


@dataclass
class DataSuite:
    """One suite of upstream data.

    Attributes:
        name: The suite's name: the domain's, with the split where it is not the test split.
        folder: Where it was found.
        domain: The tools on the upstream database; None for TaskBench samples, and where the
            domain could not be loaded.
        tasks: The τ tasks.
        samples: The TaskBench samples.
        notes: What a reader must know of how these data are read and graded.
        problems: What could not be read; each is an error, and the rest of the suite stands.
        default: True when the suite is run unless others are asked for by name.
    """

    name: str
    folder: Path
    domain: Domain | None = None
    tasks: list[Task] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    default: bool = True


def existing(folder: Path, *names: str) -> Path | None:
    """Return the first of these files that is there, plain or as ``.gz``, or None."""
    paths = (folder / (name + suffix) for name in names for suffix in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def read_text(path: Path) -> str:
    """Return a file's text.

    Raises:
        DataError: It cannot be read, unpacked, or is not UTF-8.
    """
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None


def read_json(path: Path) -> Any:
    """Return a JSON file's content.

    Raises:
        DataError: It cannot be read or is no JSON; the message gives the line.
    """
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{error.lineno}: no valid JSON: {error.msg}") from None
    except RecursionError:
        raise DataError(f"{path}: nested too deeply") from None


def read_list(path: Path) -> list[Any]:
    """Return the list that a JSON or JSON-lines file holds; ``data.json`` may be either.

    Raises:
        DataError: It is neither.
    """
    text = read_text(path)
    if text.lstrip().startswith("["):
        content: list[Any] = read_json(path)
        return content
    entries = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entries.append(json.loads(line))
        except ValueError as error:
            raise DataError(f"{path}:{number}: expected a JSON list or lines: {error}") from None
    return entries
