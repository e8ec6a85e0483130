"""Stored runs as commands and gates read them: one or several, joined where asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from pytest_taubench.metrics import task_key
from pytest_taubench.metrics.breakdowns import changed_parts
from pytest_taubench.runs.store import (
    RUN_FILE,
    TRIALS_FILE,
    StoreError,
    encode_record,
    read_run,
)
from pytest_taubench.schema import DomainFingerprint, RunInfo, Shard, TrialRecord

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
        """Trials planned a task; one that no plan names is taken to have planned what it ran."""
        return complete_plan(
            self.info.planned, self.records, 1 if self.info.planned else self.info.settings.trials
        )


def complete_plan(
    planned: Mapping[str, int], records: Iterable[TrialRecord], trials: int = 1
) -> dict[str, int]:
    """Return the plan with the tasks that have records and that it does not name.

    Python tests run tasks that nobody knows of before.

    Args:
        planned: Trials planned a task.
        records: The run's records.
        trials: The least number that a task not named was to have.
    """
    counts = Counter(task_key(record) for record in records)
    return {**{task: max(count, trials) for task, count in counts.items()}, **planned}


def load_run(path: Path) -> StoredRun:
    """Read a run's folder, or the folder through its ``run.json`` or ``trials.jsonl``.

    Raises:
        StoreError: It holds no run that can be read.
    """
    folder = path.parent if path.is_file() else path
    if not (folder / RUN_FILE).exists() and (inside := run_folders(folder)):
        raise StoreError(f"{folder} is no run, but a folder of runs; the latest is {inside[0]}")
    info, records, warnings = read_run(folder)
    return StoredRun(folder, info, records, warnings)


def refuse_empty_baseline(run: StoredRun) -> None:
    """Raise StoreError where a run has no record that another could be compared with."""
    if not run.records:
        raise StoreError(f"{run.folder} is empty: it holds no trial to compare with")


def run_folders(parent: Path) -> list[Path]:
    """Return the folders of runs under a folder, the youngest first.

    One that lost its settings is among them, so that nobody takes an older one for the youngest.
    """
    folders = {path.parent for path in parent.glob(f"*/{RUN_FILE}")}
    folders |= {path.parent for path in parent.glob(f"*/{TRIALS_FILE}") if path.stat().st_size}
    return sorted(
        folders, key=lambda folder: (folder.stat().st_mtime_ns, folder.name), reverse=True
    )


def latest_run(parent: Path) -> StoredRun:
    """Read the youngest run under a folder of runs.

    Raises:
        StoreError: There is none.
    """
    folders = run_folders(parent)
    if not folders:
        raise StoreError(f"{parent} holds no run")
    return load_run(folders[0])


def joined(runs: Sequence[StoredRun]) -> tuple[RunInfo, list[TrialRecord]]:
    """Join the runs of CI shards into one.

    A record that several shards hold is kept once where all agree on all but its time and
    worker.

    Raises:
        StoreError: The runs were set differently or ran on domains that differ, are shards that
            make no whole, or two records of one trial differ.
    """
    first = next((run for run in runs if run.records), runs[0])
    for other in runs:
        _refuse_other_settings(first, other)
    for one, other in combinations(runs, 2):
        _refuse(one, other, changed_parts(one.info.domains, other.info.domains))
    _refuse_incomplete_shards(runs)
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
            "planned": _joined_plan(runs),
            "domains": _joined_domains(runs),
            "task_hashes": _merged([run.info.task_hashes for run in runs]),
            "shard": None,
        }
    )
    return info, [record for record, _ in known.values()]


def _merged(parts: Sequence[dict[str, _V]]) -> dict[str, _V]:
    return {key: value for part in parts for key, value in part.items()}


def _joined_domains(runs: Sequence[StoredRun]) -> list[DomainFingerprint]:
    found = {each.model_dump_json(): each for run in runs for each in run.info.domains}
    return [found[text] for text in sorted(found)]


def _joined_plan(runs: Sequence[StoredRun]) -> dict[str, int]:
    """Add up the plans of shards, between which the trials of a task may be split."""
    parts: dict[int, dict[str, int]] = {}
    for run in runs:
        part = parts.setdefault(run.info.shard.number if run.info.shard else 0, {})
        for task, trials in run.planned.items():
            part[task] = max(part.get(task, 0), trials)
    total: Counter[str] = Counter()
    for part in parts.values():
        total.update(part)
    return dict(total)


def _refuse_incomplete_shards(runs: Sequence[StoredRun]) -> None:
    """A shard that is missing would leave its trials out of every figure in silence."""
    shards = [run.info.shard for run in runs]
    cuts = {(shard.of, shard.balanced_by) if shard else None for shard in shards}
    if len(cuts) > 1:
        raise StoreError(
            "these runs are not shards of one run: "
            + "; ".join(f"{run.folder} is {_cut(run.info.shard)}" for run in runs)
        )
    numbers = {shard.number for shard in shards if shard}
    of = next((shard.of for shard in shards if shard), 0)
    if missing := [str(number) for number in range(1, of + 1) if number not in numbers]:
        raise StoreError(f"of {of} shards there is no run of {', '.join(missing)}")


def _cut(shard: Shard | None) -> str:
    if shard is None:
        return "no shard"
    by = f"durations of {shard.balanced_by}" if shard.balanced_by else "number"
    return f"shard {shard.number}/{shard.of} by {by}"


def _refuse_other_settings(first: StoredRun, other: StoredRun) -> None:
    ours, theirs = first.info.settings.model_dump(), other.info.settings.model_dump()
    if not (other.records or theirs["agent"]):  # a fixture gives it, which no trial asked there
        theirs["agent"] = ours["agent"]
    changed = [
        f"{key} ({ours[key]!r} and {theirs[key]!r})" for key in ours if ours[key] != theirs[key]
    ]
    _refuse(first, other, changed)


def _refuse(first: StoredRun, other: StoredRun, changed: Sequence[str]) -> None:
    if changed:
        raise StoreError(
            f"{first.folder} and {other.folder} are not shards of one run; they differ in "
            + ", ".join(changed)
        )


def _lasting(record: TrialRecord) -> str:
    return encode_record(
        record.model_copy(update={"started": 0.0, "duration": 0.0, "worker": None})
    )


def taskeval_of(records: Sequence[TrialRecord]) -> list[dict[str, Any]]:
    """Return TaskEval in strict mode of each tool graph that a run has samples of, as data."""
    graphs = [record for record in records if record.kind == "graph"]
    if not graphs:
        return []
    from pytest_taubench.taskbench.records import run_taskeval

    return [result.to_dict() for result in run_taskeval(graphs).values()]
