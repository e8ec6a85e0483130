"""Runs on disk: a folder with ``run.json`` and an append-only ``trials.jsonl``."""

from __future__ import annotations

import errno
import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TypeVar, cast

from pydantic import ValidationError

from pytest_taubench.errors import TauBenchError
from pytest_taubench.metrics import task_key
from pytest_taubench.runs.consistency import refuse_contradiction
from pytest_taubench.schema import RunInfo, TrialRecord
from pytest_taubench.text.foreign import whole_texts

RUN_FILE = "run.json"
TRIALS_FILE = "trials.jsonl"

_LONGEST_NAME = 80


class StoreError(TauBenchError):
    """A stored run cannot be read; the message names the file and, where there is one, the line."""


def safe_name(text: str) -> str:
    """Return the text as a part of a file name on any system.

    An agent may be a URL or a path, and a model's name may hold a slash.
    """
    name = re.sub(r"[^A-Za-z0-9.=+-]+", "_", text)[:_LONGEST_NAME].strip("._-")
    return name or "unnamed"


def new_run_folder(parent: Path, name: str) -> Path:
    """Make a folder that no other run has, however many start in the same second."""
    parent.mkdir(parents=True, exist_ok=True)
    name = safe_name(name)
    count = 1
    while True:
        folder = parent / (name if count == 1 else f"{name}-{count}")
        try:
            folder.mkdir()
        except FileExistsError:
            count += 1
        else:
            return folder


def encode_record(record: TrialRecord) -> str:
    """Return a record as one line of ASCII JSON, whatever an agent wrote into it."""
    return json.dumps(record.model_dump(mode="json"), separators=(",", ":"))


def decode_record(text: str) -> TrialRecord:
    """Return the record that ``encode_record`` made the text of.

    Raises:
        ValueError: The text is no record.
    """
    data = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    if _HALF_PAIR.search(text):  # written by no run: no report could show it
        data = whole_texts(data)
    return TrialRecord.model_validate(data)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _no_constant(digits)


_V = TypeVar("_V")
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class RunStore:
    """Writes one run. Only one process may hold it.

    Attributes:
        folder: The run's folder.
        info: What ``run.json`` holds.
    """

    def __init__(self, folder: Path, info: RunInfo, stream: BinaryIO) -> None:
        self.folder = folder
        self.info = info
        self._stream = stream

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> RunStore:
        """Start a run in an existing empty folder, or in one that is made.

        Raises:
            FileExistsError: The folder already holds a run.
        """
        folder.mkdir(parents=True, exist_ok=True)
        stream = _opened(folder, "xb")
        hold(stream)
        try:
            _write_info(folder, info)
        except OSError:
            stream.close()
            (folder / TRIALS_FILE).unlink(missing_ok=True)  # it would be records of no run
            raise
        return cls(folder, info, stream)

    @classmethod
    def resume(cls, folder: Path, info: RunInfo) -> RunStore:
        """Go on with a run, behind the last whole record: a torn last line is cut off.

        Args:
            folder: The run's folder.
            info: What ``run.json`` holds from now on.

        Raises:
            StoreError: Another process writes the run.
            OSError: It cannot be written.
        """
        stream = _opened(folder, "ab")
        if not hold(stream):
            stream.close()
            raise StoreError(f"{folder} is being written by another process")
        try:
            mend_last_line(folder / TRIALS_FILE)
            _write_info(folder, info)
        except OSError:
            stream.close()
            raise
        return cls(folder, info, stream)

    def append(self, record: TrialRecord) -> None:
        """Write a record as one line and hand it to the operating system at once.

        Raises:
            OSError: It could not be written. Nothing of it is left in the file, so that a later
                record may be tried.
        """
        self._refuse_removed()
        whole = self._stream.seek(0, os.SEEK_END)
        try:
            _write_all(self._stream, encode_record(record).encode("ascii") + b"\n")
        except OSError:
            self._stream.truncate(whole)
            raise
        self.info.task_hashes.setdefault(task_key(record), record.task_hash)

    def update(self, **fields: Any) -> None:
        """Change fields of ``run.json`` and write it at once."""
        self.info = self.info.model_copy(update=fields)
        _write_info(self.folder, self.info)

    def close(self) -> None:
        """Write ``run.json`` again, now with the hash of every task that ran.

        Raises:
            OSError: It could not be written.
        """
        if not self._stream.closed:
            with self._stream:
                self._refuse_removed()
                _write_info(self.folder, self.info)

    def _refuse_removed(self) -> None:
        """Raise OSError where nobody could read what is written: a removed file still takes it."""
        if os.fstat(self._stream.fileno()).st_nlink == 0:
            what = "the run was removed while it went on, with all that it held"
            raise FileNotFoundError(errno.ENOENT, what, str(self.folder))


def read_run(folder: Path) -> tuple[RunInfo, list[TrialRecord], list[str]]:
    """Read a run.

    Returns:
        What ``run.json`` holds, the records in the order they were written, and warnings: a run
        that was killed may have left a torn last line, which is skipped. Where a trial was
        unscored and the run was resumed, it has a later record, which alone is returned.

    Raises:
        StoreError: The folder holds no run, or lacks the records of a run that planned some; a
            line other than the last is no record; or a trial has a record after one that is
            scored.
    """
    info = read_info(folder / RUN_FILE)
    found, warnings = _read_records(folder / TRIALS_FILE, may_lack=not info.planned)
    records = _without_replaced(folder, found)
    for record in records:  # a killed run could not write its hashes
        info.task_hashes.setdefault(task_key(record), record.task_hash)
    return info, records, warnings


def read_info(path: Path) -> RunInfo:
    """Read a ``run.json``.

    Raises:
        StoreError: It is missing or wrong.
    """
    try:
        info = RunInfo.model_validate_json(path.read_bytes())
        info.planned, info.task_hashes = _renamed(info.planned), _renamed(info.task_hashes)
        return info
    except FileNotFoundError:
        if (path.parent / TRIALS_FILE).exists():
            raise StoreError(
                f"{path} is lost, though {TRIALS_FILE} is there: put it back from a copy, or move "
                f"{path.parent} elsewhere to begin anew"
            ) from None
        raise StoreError(f"{path.parent} holds no run: there is no {path.name}") from None
    except ValidationError as error:
        raise StoreError(f"{path}: {_first_fault(error)}") from error


# Older runs named bundled tasks by where the environment lay in the project.
_ENVIRONMENT = re.compile(r"^.*?/site-packages/pytest_taubench/bundled/tasks/")


def _without_environment(nodeid: str) -> str:
    return _ENVIRONMENT.sub("", nodeid)


def _renamed(values: dict[str, _V]) -> dict[str, _V]:
    return {_without_environment(task): value for task, value in values.items()}


def _read_records(path: Path, may_lack: bool) -> tuple[list[TrialRecord], list[str]]:
    if not path.exists():
        if not may_lack:
            raise StoreError(f"{path} is missing: the records of the run are lost")
        return [], [f"{path} is missing; the run has no records"]
    records: list[TrialRecord] = []
    lines = path.read_bytes().split(b"\n")
    last = max((n for n, line in enumerate(lines, 1) if line.strip()), default=0)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = decode_record(line.decode("utf-8"))
            refuse_contradiction(record)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            if number == last and number == len(lines):  # no newline: the write was cut short
                return records, [f"{path}:{number}: the last line is torn and was skipped"]
            raise _no_record(path, number, error) from error
        except (ValueError, RecursionError) as error:
            raise _no_record(path, number, error) from error
        record.nodeid = _without_environment(record.nodeid)
        records.append(record)
    return records, []


def _no_record(path: Path, number: int, error: Exception) -> StoreError:
    return StoreError(f"{path}:{number}: this line is no record: {_first_fault(error)}")


def _first_fault(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors(include_url=False)[0]
    place = ".".join(map(str, fault["loc"]))
    return f"{place + ': ' if place else ''}{fault['msg']}"


def _without_replaced(folder: Path, records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Leave out the unscored records that a later one of the same trial replaces."""
    kept: dict[tuple[str, int], TrialRecord] = {}
    twice: dict[str, None] = {}
    for record in records:
        key = (task_key(record), record.trial)
        earlier = kept.pop(key, None)
        if earlier is not None and earlier.outcome == "scored":
            twice[f"{key[0]} trial {key[1]}"] = None
        kept[key] = record
    if twice:
        raise StoreError(f"{folder} has more than one record of {', '.join(twice)}")
    return list(kept.values())


class ScoredRecords:
    """The scored records of a run by node id, read from disk when they are asked for.

    Conversations of a large run would not fit in the memory of every worker.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / TRIALS_FILE
        self._places = {
            record.nodeid: place
            for place, record in _placed_records(self._path)
            if record.outcome == "scored"
        }

    def __contains__(self, nodeid: str) -> bool:
        return nodeid in self._places

    def get(self, nodeid: str) -> TrialRecord | None:
        """Return the scored record of a trial, or None where it has none."""
        place = self._places.get(nodeid)
        if place is None:
            return None
        with self._path.open("rb") as stream:
            stream.seek(place)
            return decode_record(stream.readline().decode("utf-8"))


def _placed_records(path: Path) -> Iterator[tuple[int, TrialRecord]]:
    with path.open("rb") as stream:
        place = 0
        for line in stream:
            if line.endswith(b"\n") and line.strip():
                yield place, decode_record(line.decode("utf-8"))
            place += len(line)


def mend_last_line(path: Path) -> None:
    """End a file of records with a newline: complete its last line, or cut it off where torn."""
    with path.open("r+b") as stream:
        content = stream.read()
        whole = content.rfind(b"\n") + 1
        if whole == len(content):
            return
        try:
            decode_record(content[whole:].decode("utf-8"))
        except ValueError:
            stream.truncate(whole)
        else:
            stream.write(b"\n")


def hold(stream: IO[Any]) -> bool:
    """Keep other processes from writing the file while this one lives; return whether it is free.

    The operating system lets go of the lock when the process ends, even by kill -9.
    """
    try:
        import fcntl
    except ImportError:  # Windows: resuming a run that still runs is not noticed
        return True
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _write_info(folder: Path, info: RunInfo) -> None:
    """Replace ``run.json`` in one step, so that it is never half written."""
    draft = folder / f"{RUN_FILE}.new"
    try:
        draft.write_text(info.model_dump_json(indent=2) + "\n", encoding="utf-8")
        os.replace(draft, folder / RUN_FILE)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _opened(folder: Path, mode: Literal["xb", "ab"]) -> BinaryIO:
    """Open the records without a buffer, in which what a full disk refused would live on."""
    return cast(BinaryIO, (folder / TRIALS_FILE).open(mode, buffering=0))


def _write_all(stream: BinaryIO, content: bytes) -> None:
    while content:
        content = content[stream.write(content) :]
