"""Which trials and tasks a gate is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pytest_taubench.metrics.summary import suite_name, task_key
from pytest_taubench.schema import TrialRecord
from pytest_taubench.text.names import did_you_mean

_LISTED = 10
_TRIAL = re.compile(r"\[trial-\d+\]$")


@dataclass(frozen=True)
class Scope:
    """The part of a run that one gate is about.

    Attributes:
        records: The records.
        planned: Trials planned a task, by task key.
        elsewhere: A folder of the plan that may belong here too, of which nothing has run.
        baseline: The same part of the run compared with, where there is one.
    """

    records: Sequence[TrialRecord]
    planned: Mapping[str, int]
    elsewhere: str = ""
    baseline: Sequence[TrialRecord] | None = None

    @property
    def left(self) -> int:
        """How many planned trials have no record."""
        return max(0, sum(self.planned.values()) - len(self.records))

    @property
    def scored(self) -> list[TrialRecord]:
        """The records of trials that have a reward."""
        return [record for record in self.records if record.outcome == "scored"]

    def missing(self) -> str:
        """Say how many trials have no reward, and why."""
        unscored = len(self.records) - len(self.scored)
        parts = [f"{self.left} did not run"] if self.left else []
        parts += [f"{unscored} {'is' if unscored == 1 else 'are'} unscored"] if unscored else []
        return f"of {sum(self.planned.values())} planned trials {' and '.join(parts)}"


def scope_of(
    selector: str | None,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    baseline: Sequence[TrialRecord] | None = None,
) -> Scope:
    """Return the part of a run that a selector picks; None picks all of it."""
    if selector is None:
        return Scope(records, planned, baseline=baseline)
    return Scope(
        [record for record in records if selected(selector, record)],
        _plan_of(selector, records, planned),
        _of_unknown_suite(records, planned),
        None if baseline is None else [each for each in baseline if selected(selector, each)],
    )


@dataclass(frozen=True)
class PlannedTask:
    """A task of the plan.

    Attributes:
        names: What a selector may call it: its suite, its domain, and both.
        trials: How many of its trials will have run at the end.
        is_sample: True for a TaskBench sample, which TaskEval is of.
    """

    names: frozenset[str]
    trials: int
    is_sample: bool

    @classmethod
    def of(cls, suite: str, domain: str, trials: int, *, is_sample: bool) -> PlannedTask:
        """Return the task of a suite and domain."""
        return cls(frozenset(names_of(suite, domain)), trials, is_sample)


def selected(selector: str, record: TrialRecord) -> bool:
    """Return True where the selector picks the record."""
    return selector in names_of(record.suite, record.domain)


def names_of(suite: str, domain: str) -> set[str]:
    """Return what a selector may call the trials of a suite and domain."""
    return {suite, domain, suite_name(suite, domain)} - {""}


def unknown(selector: str, names: Mapping[str, Collection[str]], what: str) -> str:
    """Return what to say of a selector that no task answers to.

    Args:
        selector: What stands in the gate's brackets.
        names: What a selector may call each task, by task key.
        what: What there is none of, ``task`` or ``trial``.
    """
    if _TRIAL.fullmatch(f"[{selector}]"):
        return f"a gate is over all trials of its tasks: leave out [{selector}]"
    task = _TRIAL.sub("", selector)
    for key, its_names in names.items():
        if task in (key, key.partition("::")[2]):
            among = ", ".join(sorted(its_names))
            over = "a gate is over all tasks of a suite or domain"
            return f"{over}, and {selector!r} is a task of {among}"
    known = set[str]().union(*names.values())
    there_are = ", ".join(sorted(known)[:_LISTED]) + (", ..." if len(known) > _LISTED else "")
    hint = did_you_mean(selector, sorted(known), f"there are {there_are or 'none at all'}")
    return f"no {what} is of a suite or domain {selector!r}; {hint}"


def _plan_of(
    selector: str, records: Sequence[TrialRecord], planned: Mapping[str, int]
) -> Mapping[str, int]:
    """Return the part of the plan that a selector picks.

    A task without a record is known by its node id alone; it belongs with those of its folder,
    which is what a suite is.
    """
    inside = {task_key(record): selected(selector, record) for record in records}
    folders = {_folder_of(task) for task, is_inside in inside.items() if is_inside}
    return {
        task: trials
        for task, trials in planned.items()
        if inside.get(task, _folder_of(task) in folders)
    }


def _of_unknown_suite(records: Sequence[TrialRecord], planned: Mapping[str, int]) -> str:
    """Return a folder of planned tasks of which no record says what suite and domain it is."""
    known = {_folder_of(task_key(record)) for record in records}
    return min(
        (folder for task in planned if (folder := _folder_of(task)) not in known), default=""
    )


def _folder_of(task: str) -> str:
    file = task.partition("::")[0]
    return file.rpartition("/")[0] or file
