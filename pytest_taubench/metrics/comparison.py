"""Two runs compared task by task: what differs, and what the data can say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal

from pytest_taubench.metrics.breakdowns import run_warnings
from pytest_taubench.metrics.intervals import Interval, interval_of_mean
from pytest_taubench.metrics.pass_k import pass_hat_k
from pytest_taubench.metrics.significance import (
    ALPHA,
    PairedCounts,
    detectable_difference,
    sign_flip,
)
from pytest_taubench.metrics.summary import (
    SuiteSummary,
    TaskSummary,
    summarize,
    summarize_tasks,
    task_key,
)
from pytest_taubench.schema import RunInfo, TrialRecord

_SHOWN = 3
LEAST_TRIALS = 4
"""Fisher's exact test of n passes against n failures gives 2 / C(2n, n): 0.1 for 3, 0.029 for 4."""

Conclusion = Literal["no regression", "regression", "cannot tell"]


@dataclass(frozen=True)
class FigureDifference:
    """The difference of one figure between two runs, over the tasks both estimate it for.

    Attributes:
        name: The figure, e.g. ``pass^1``.
        before: Its mean in the first run over those tasks.
        after: Its mean in the second run over those tasks.
        tasks: How many tasks both runs estimate it for.
        interval: 95% interval of after - before, by bootstrap over tasks.
        p_value: Two-sided paired permutation test of no difference.
        p_worse: One-sided, of "not worse by more than the margin".
        p_better: One-sided, of "worse by at least the margin".
    """

    name: str
    before: float
    after: float
    tasks: int
    interval: Interval | None
    p_value: float
    p_worse: float
    p_better: float

    @property
    def value(self) -> float:
        """Return after - before."""
        return self.after - self.before


@dataclass(frozen=True)
class Comparison:
    """What changed between two runs.

    Attributes:
        differences: By figure, ``pass^1`` first.
        broke: Tasks that passed and now fail, beyond what chance explains; the worst first.
        mended: The reverse.
        flicker: Tasks whose pass rate changed by no more than chance explains.
        verdict: On pass^1 and the margin.
        margin: The drop in pass^1 that is tolerated.
        detectable: The smallest difference in pass^1 that this many tasks and trials show
            with power 0.8 at a two-sided level of 0.05; None where they show none, however large.
        by_task: (n, c) before and (n, c) after, by task that both runs scored.
        warnings: What makes the comparison less than it seems.
    """

    differences: dict[str, FigureDifference]
    broke: list[str]
    mended: list[str]
    flicker: list[str]
    verdict: Conclusion
    margin: float
    detectable: float | None
    by_task: dict[str, PairedCounts] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def counts(self) -> list[PairedCounts]:
        """(n, c) before and (n, c) after, of each task that both runs scored."""
        return list(self.by_task.values())


@dataclass(frozen=True)
class Baseline:
    """A run to compare with.

    Attributes:
        name: What it is called in reports.
        records: Its records.
        info: How it was made; what else than the agent differs is said.
        warnings: What is wrong with its files.
    """

    name: str
    records: Sequence[TrialRecord]
    info: RunInfo
    warnings: Sequence[str] = ()

    @cached_property
    def suites(self) -> list[SuiteSummary]:
        """Its figures by suite."""
        return summarize(self.records)

    def made(self, than: RunInfo | None) -> str:
        """Return when and of what it was made, e.g. ``2 days before, at commit 1a2b3c4``.

        Args:
            than: The run that it is older than; without it the date is told.
        """
        when = f"on {self.info.started[:10]}"
        with suppress(ValueError, TypeError):
            times = [datetime.fromisoformat(run.started) for run in (self.info, than) if run]
            days = (times[-1] - times[0]).days
            if than and days >= 0:
                when = (
                    "the same day"
                    if not days
                    else "1 day before"
                    if days == 1
                    else f"{days} days before"
                )
        commit = f", at commit {self.info.commit[:7]}" if self.info.commit else ""
        return f"{when}{commit}{' with uncommitted changes' if self.info.dirty else ''}"

    def scored_tasks(self) -> set[str]:
        """Return the tasks that have a scored trial."""
        return {task_key(record) for record in self.records if record.outcome == "scored"}

    def compared(
        self, records: Sequence[TrialRecord], info: RunInfo | None = None, margin: float = 0.0
    ) -> Comparison:
        """Return what changed between this run and another, by its records and how it was made."""
        runs = (self.info, info) if info else None
        return compare(self.records, records, margin=margin, runs=runs)


@dataclass(frozen=True)
class _Pair:
    task: str
    before: TaskSummary
    after: TaskSummary


def compare(
    before: Sequence[TrialRecord],
    after: Sequence[TrialRecord],
    *,
    margin: float = 0.0,
    seed: int = 0,
    runs: tuple[RunInfo, RunInfo] | None = None,
) -> Comparison:
    """Compare two runs, paired by task; a task whose annotation changed is another task.

    Args:
        before: Records of the run compared with.
        after: Records of the new run.
        margin: The drop in pass^1 that is no regression, a fraction.
        seed: Seed of the resampling.
        runs: How the two runs were made; what else than the agent differs is warned of.

    Returns:
        The comparison. The verdict is ``regression`` only where a one-sided paired permutation
        test at level 0.05 rejects that pass^1 fell by no more than the margin; ``no
        regression`` only where it rejects that pass^1 fell by the margin or more (without a
        margin: that it did not rise) and the interval says so too; else ``cannot tell``.
    """
    pairs = _paired(before, after)
    most = min(
        max((p.before.n for p in pairs), default=0), max((p.after.n for p in pairs), default=0)
    )
    differences = {}
    for k in range(1, most + 1):
        difference = _difference(pairs, k, margin if k == 1 else 0.0, seed)
        if difference is not None:
            differences[difference.name] = difference
    changes, counts = _changes(pairs), _counts(pairs)
    return Comparison(
        differences=differences,
        broke=changes["broke"],
        mended=changes["mended"],
        flicker=changes["flicker"],
        verdict=_verdict(differences.get("pass^1"), margin),
        margin=margin,
        detectable=detectable_difference(list(counts.values())),
        by_task=counts,
        warnings=[
            *(run_warnings(*runs) if runs else ()),
            *(
                _not_run("first", runs[0], before) + _not_run("second", runs[1], after)
                if runs
                else ()
            ),
            *_warnings(before, after, pairs),
        ],
    )


def most_trials(comparison: Comparison) -> int:
    """Return how many trials the task with the most has on each side."""
    return max((min(before, after) for before, _, after, _ in comparison.counts), default=0)


def _not_run(label: str, info: RunInfo, records: Sequence[TrialRecord]) -> list[str]:
    planned = sum(info.planned.values())
    left = planned - len(records)
    return (
        [f"{left} of {planned} planned trials of the {label} run did not run"] if left > 0 else []
    )


def _counts(pairs: Iterable[_Pair]) -> dict[str, PairedCounts]:
    return {
        p.task: (p.before.n, p.before.c, p.after.n, p.after.c)
        for p in pairs
        if p.before.n and p.after.n
    }


def _paired(before: Sequence[TrialRecord], after: Sequence[TrialRecord]) -> list[_Pair]:
    old = {task.task: task for task in summarize_tasks(before)}
    changed = set(_changed(before, after))
    return [
        _Pair(task.task, old[task.task], task)
        for task in summarize_tasks(after)
        if task.task in old and task.task not in changed
    ]


def _difference(
    pairs: Sequence[_Pair], k: int, margin: float, seed: int
) -> FigureDifference | None:
    estimates = [
        (a, b)
        for p in pairs
        if (a := pass_hat_k(p.before.n, p.before.c, k)) is not None
        and (b := pass_hat_k(p.after.n, p.after.c, k)) is not None
    ]
    if not estimates:
        return None
    estimates.sort()  # the order in which workers finish must change no figure
    changes = [b - a for a, b in estimates]
    test = sign_flip(changes, seed)
    shifted = sign_flip([change + margin for change in changes], seed) if margin else test
    return FigureDifference(
        name=f"pass^{k}",
        before=sum(a for a, _ in estimates) / len(estimates),
        after=sum(b for _, b in estimates) / len(estimates),
        tasks=len(estimates),
        interval=interval_of_mean(changes, seed, least=-1.0),
        p_value=test.two_sided,
        p_worse=shifted.less,
        p_better=shifted.greater,
    )


def _verdict(difference: FigureDifference | None, margin: float) -> Conclusion:
    if difference is None:
        return "cannot tell"
    if difference.p_worse < ALPHA:
        return "regression"
    interval = difference.interval
    # Where all tasks pass on both sides no sign can flip, so the test alone would be sure too soon.
    if difference.p_better < ALPHA and interval is not None and interval.low > -margin:
        return "no regression"
    return "cannot tell"


def _changes(pairs: Sequence[_Pair]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"broke": [], "mended": [], "flicker": []}
    for pair in sorted(pairs, key=_change):
        if not pair.before.n or not pair.after.n:
            continue
        drop = pair.before.c / pair.before.n - pair.after.c / pair.after.n
        if drop == 0:
            continue
        beyond = _beyond_chance(pair.before, pair.after)
        found["flicker" if not beyond else "broke" if drop > 0 else "mended"].append(pair.task)
    return found


def _change(pair: _Pair) -> float:
    if not pair.before.n or not pair.after.n:
        return 0.0
    return pair.after.c / pair.after.n - pair.before.c / pair.before.n


def _beyond_chance(before: TaskSummary, after: TaskSummary) -> bool:
    """Return True where one task's own trials show the change (Fisher's exact test)."""
    from scipy import stats

    table = [[before.c, before.n - before.c], [after.c, after.n - after.c]]
    return float(stats.fisher_exact(table).pvalue) < ALPHA


def _warnings(
    before: Sequence[TrialRecord], after: Sequence[TrialRecord], pairs: Sequence[_Pair]
) -> list[str]:
    warnings = []
    changed = _changed(before, after)
    common = {pair.task for pair in pairs} | set(changed)
    for label, records in (("first", before), ("second", after)):
        alone = {task.task for task in summarize_tasks(records)} - common
        if alone:
            are = _are(len(alone), "task")
            warnings.append(f"{are} only in the {label} run and left out")
        unscored = sum(record.outcome == "unscored" for record in records)
        if unscored:
            are = _are(unscored, "trial", f" of the {label} run")
            warnings.append(f"{are} unscored and left out")
    if before and after and not common:
        warnings.append(
            "no task is in both: the first run has such as "
            f"{task_key(before[0])}, the second such as {task_key(after[0])}"
        )
    most = max((_trials_a_side(pair) for pair in pairs), default=LEAST_TRIALS)
    if most < LEAST_TRIALS:
        warnings.append(
            f"no task can be said to have broken or mended by fewer than {LEAST_TRIALS} trials a side"
        )
    if changed:
        count = "1 task" if len(changed) == 1 else f"{len(changed)} tasks"
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        named = f"{', '.join(changed[:_SHOWN])}{more}"
        warnings.append(f"the annotation of {count} changed, and they are left out: {named}")
    users = [sorted({record.user for record in records}) for records in (before, after)]
    if all(users) and users[0] != users[1]:
        warnings.append(f"the users differ: {', '.join(users[0])} against {', '.join(users[1])}")
    return warnings


def _trials_a_side(pair: _Pair) -> int:
    return min(pair.before.n, pair.after.n)


def _changed(before: Sequence[TrialRecord], after: Sequence[TrialRecord]) -> list[str]:
    """Return the tasks of both runs that are no longer the same: neither tells of the other."""
    old, new = _hashes(before), _hashes(after)
    return [task for task in new if task in old and old[task] != new[task]]


def _are(count: int, noun: str, which: str = "") -> str:
    return f"1 {noun}{which} is" if count == 1 else f"{count} {noun}s{which} are"


def _hashes(records: Sequence[TrialRecord]) -> Mapping[str, str]:
    """Return the hash of each task's annotation, where its records have one."""
    return {task_key(record): record.task_hash for record in records if record.task_hash}
