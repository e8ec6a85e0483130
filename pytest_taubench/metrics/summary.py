"""Figures of a run by suite, from records alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_taubench.errors import TauBenchError
from pytest_taubench.metrics.intervals import Interval, interval_of_mean
from pytest_taubench.metrics.pass_k import Estimate, mean_estimate, pass_at_k, pass_hat_k
from pytest_taubench.schema import TrialRecord
from pytest_taubench.text.names import natural_key


class DuplicateTrialError(TauBenchError):
    """Two records claim to be the same trial, so that any figure would count it twice."""


@dataclass(frozen=True)
class TaskSummary:
    """The scored trials of one task.

    Attributes:
        task: The node id without its trial, unique over the run.
        task_id: The task's id.
        suite: The suite's label.
        n: Scored trials.
        c: Trials with reward 1.
        unscored: Trials without a reward.
    """

    task: str
    task_id: str
    suite: str
    n: int
    c: int
    unscored: int

    @property
    def flaky(self) -> bool:
        """True when some trials pass and some fail."""
        return 0 < self.c < self.n

    @property
    def failing(self) -> bool:
        """True when no scored trial passes."""
        return self.n > 0 and self.c == 0


@dataclass(frozen=True)
class SuiteSummary:
    """The figures of one suite. All of them are over the same scored trials.

    Attributes:
        name: The suite's label.
        tasks: Tasks with any record.
        trials: Records.
        scored: Trials with a reward.
        unscored: Trials whose infrastructure failed.
        average_reward: Mean over scored trials, or None where there are none.
        pass_hat: pass^k by k.
        pass_at: pass@k by k.
        endings: Trials by way of ending.
        flaky: Tasks that pass and fail, those nearest to one half first.
        failing: Tasks no scored trial of which passes.
        by_task: All tasks.
    """

    name: str
    tasks: int
    trials: int
    scored: int
    unscored: int
    average_reward: float | None
    pass_hat: dict[int, Estimate]
    pass_at: dict[int, Estimate]
    endings: Counter[str]
    flaky: list[TaskSummary]
    failing: list[TaskSummary]
    by_task: list[TaskSummary]

    @cached_property
    def pass_1_interval(self) -> Interval | None:
        """The 95% interval of pass^1; resampled when first asked for, and once."""
        return self.interval()

    @property
    def pass_1_ends(self) -> tuple[float, float] | None:
        """What pass^1 would be with every unscored trial failed, and passed; None without any.

        An agent whose failures are kept from being scored has a high figure over few trials.
        """
        if not self.unscored:
            return None
        trials = [(task.c, task.n + task.unscored, task.unscored) for task in self.by_task]
        return (
            sum(c / total for c, total, _ in trials) / len(trials),
            sum((c + unscored) / total for c, total, unscored in trials) / len(trials),
        )

    def interval(self, k: int = 1, seed: int = 0) -> Interval | None:
        """Return the 95% interval of pass^k, or None with fewer than two tasks."""
        rates = [pass_hat_k(task.n, task.c, k) for task in self.by_task]
        return interval_of_mean([rate for rate in rates if rate is not None], seed)


def task_key(record: TrialRecord) -> str:
    """Return what names the record's task in the run: its node id without the trial."""
    return record.nodeid.rpartition("[trial-")[0] or record.nodeid


def suite_label(record: TrialRecord) -> str:
    """Return the suite's label: its name, with the domain where the two differ."""
    return suite_name(record.suite, record.domain)


def suite_name(suite: str, domain: str) -> str:
    """Return the label of a suite and domain."""
    return suite if domain in ("", suite) else f"{suite}/{domain}"


def summarize(records: Iterable[TrialRecord]) -> list[SuiteSummary]:
    """Return the figures of each suite, in natural order.

    The order in which records came in, which workers make another each time, changes nothing.

    Raises:
        DuplicateTrialError: A trial of a task has two records; the message names them.
    """
    records = list(records)
    refuse_duplicates(records)
    suites: dict[str, list[TrialRecord]] = {}
    for record in records:
        suites.setdefault(suite_label(record), []).append(record)
    return [_suite_summary(name, suites[name]) for name in sorted(suites, key=natural_key)]


def refuse_duplicates(records: Iterable[TrialRecord]) -> None:
    """Raise DuplicateTrialError where two records are of one task and trial."""
    counts = Counter((task_key(record), record.trial) for record in records)
    twice = [f"{task} trial {trial}" for (task, trial), count in counts.items() if count > 1]
    if twice:
        shown = ", ".join(twice[:5]) + (f" and {len(twice) - 5} more" if len(twice) > 5 else "")
        raise DuplicateTrialError(f"more than one record of the same trial: {shown}")


def summarize_tasks(records: Iterable[TrialRecord]) -> list[TaskSummary]:
    """Return the counts of each task, in natural order."""
    tasks: dict[str, list[TrialRecord]] = {}
    for record in records:
        tasks.setdefault(task_key(record), []).append(record)
    return [_task_summary(key, tasks[key]) for key in sorted(tasks, key=natural_key)]


def _task_summary(key: str, records: Sequence[TrialRecord]) -> TaskSummary:
    scored = [record for record in records if record.outcome == "scored"]
    return TaskSummary(
        task=key,
        task_id=records[0].task_id,
        suite=suite_label(records[0]),
        n=len(scored),
        c=sum(record.reward == 1 for record in scored),
        unscored=len(records) - len(scored),
    )


def _suite_summary(name: str, records: Sequence[TrialRecord]) -> SuiteSummary:
    tasks = summarize_tasks(records)
    rewards = [r.reward for r in records if r.outcome == "scored" and r.reward is not None]
    # By count and not by number: trial 9 may have been asked for alone.
    ks = range(1, max((task.n + task.unscored for task in tasks), default=0) + 1)
    return SuiteSummary(
        name=name,
        tasks=len(tasks),
        trials=len(records),
        scored=len(rewards),
        unscored=len(records) - len(rewards),
        average_reward=sum(rewards) / len(rewards) if rewards else None,
        pass_hat={k: mean_estimate(pass_hat_k(t.n, t.c, k) for t in tasks) for k in ks},
        pass_at={k: mean_estimate(pass_at_k(t.n, t.c, k) for t in tasks) for k in ks},
        endings=Counter(str(record.ending) for record in records),
        flaky=sorted((t for t in tasks if t.flaky), key=lambda t: abs(2 * t.c - t.n) / t.n),
        failing=[t for t in tasks if t.failing],
        by_task=tasks,
    )
