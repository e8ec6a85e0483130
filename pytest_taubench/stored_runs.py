"""Stored runs as commands and gates read them: one or several, joined where asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pytest_taubench.metrics import task_key
from pytest_taubench.schema import RunInfo, TrialRecord
from pytest_taubench.store import StoreError, encode_record, read_run

_V = TypeVar("_V")


@dataclass(frozen=True)
class StoredRun:
    """One run as it lies on disk.

    Attributes:
        folder: Its folder.
        info: Its settings and versions.
        records: Its records.
        warnings: What was wrong with its files and is not fatal.
    """

    folder: Path
    info: RunInfo
    records: list[TrialRecord]
    warnings: list[str]

    @property
    def planned(self) -> dict[str, int]:
        """Trials planned a task; a run of an older format is taken to have planned what it ran."""
        if self.info.planned:
            return self.info.planned
        return {task_key(record): self.info.settings.trials for record in self.records}


def load_run(path: Path) -> StoredRun:
    """Read a run's folder, or the folder through its ``run.json`` or ``trials.jsonl``.

    Raises:
        StoreError: It holds no run that can be read.
    """
    folder = path.parent if path.is_file() else path
    info, records, warnings = read_run(folder)
    return StoredRun(folder, info, records, warnings)


def latest_run(parent: Path) -> StoredRun:
    """Read the youngest run under a folder of runs.

    Raises:
        StoreError: There is none.
    """
    folders = [path.parent for path in parent.glob("*/run.json")]
    if not folders:
        raise StoreError(f"{parent} holds no run")
    return load_run(max(folders, key=lambda folder: (folder.stat().st_mtime_ns, folder.name)))


def joined(runs: Sequence[StoredRun]) -> tuple[RunInfo, list[TrialRecord]]:
    """Join the runs of CI shards into one.

    A record that several shards hold is kept once where all agree on all but its time and
    worker.

    Raises:
        StoreError: The runs were set differently, or two records of one trial differ.
    """
    first = runs[0]
    for other in runs[1:]:
        _refuse_other_settings(first, other)
    known: dict[tuple[str, int], tuple[TrialRecord, Path]] = {}
    for run in runs:
        for record in run.records:
            key = (task_key(record), record.trial)
            earlier = known.setdefault(key, (record, run.folder))
            if _lasting(earlier[0]) != _lasting(record):
                raise StoreError(
                    f"{key[0]} trial {key[1]} has two records that differ, "
                    f"in {earlier[1]} and in {run.folder}"
                )
    info = first.info.model_copy(
        update={
            "planned": _merged([run.planned for run in runs]),
            "task_hashes": _merged([run.info.task_hashes for run in runs]),
        }
    )
    return info, [record for record, _ in known.values()]


def _merged(parts: Sequence[dict[str, _V]]) -> dict[str, _V]:
    return {key: value for part in parts for key, value in part.items()}


def _refuse_other_settings(first: StoredRun, other: StoredRun) -> None:
    ours, theirs = first.info.settings.model_dump(), other.info.settings.model_dump()
    changed = [
        f"{key} ({ours[key]!r} and {theirs[key]!r})" for key in ours if ours[key] != theirs[key]
    ]
    if changed:
        raise StoreError(
            f"{first.folder} and {other.folder} are not shards of one run; they differ in "
            + ", ".join(changed)
        )


def _lasting(record: TrialRecord) -> str:
    return encode_record(
        record.model_copy(update={"started": 0.0, "duration": 0.0, "worker": None})
    )
