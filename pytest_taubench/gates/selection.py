"""Which trials and tasks a gate is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from pytest_taubench.gates.syntax import Gate
from pytest_taubench.metrics.summary import suite_name, task_key
from pytest_taubench.schema import TrialRecord
from pytest_taubench.text.names import did_you_mean

_LISTED = 10
_TRIAL = re.compile(r"\[trial-\d+\]$")


def selected(gate: Gate, record: TrialRecord) -> bool:
    """Return True where the gate is about the record."""
    return gate.selector is None or gate.selector in names_of(record.suite, record.domain)


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


def plan_of(
    gate: Gate, records: Sequence[TrialRecord], planned: Mapping[str, int]
) -> Mapping[str, int]:
    """Return the part of the plan that a gate is about.

    A task without a record is known by its node id alone; it belongs with those of its folder,
    which is what a suite is.
    """
    if gate.selector is None:
        return planned
    inside = {task_key(record): selected(gate, record) for record in records}
    folders = {_folder_of(task) for task, is_inside in inside.items() if is_inside}
    return {
        task: trials
        for task, trials in planned.items()
        if inside.get(task, _folder_of(task) in folders)
    }


def of_unknown_suite(records: Sequence[TrialRecord], planned: Mapping[str, int]) -> str:
    """Return a folder of planned tasks of which no record says what suite and domain it is."""
    known = {_folder_of(task_key(record)) for record in records}
    return min(
        (folder for task in planned if (folder := _folder_of(task)) not in known), default=""
    )


def _folder_of(task: str) -> str:
    file = task.partition("::")[0]
    return file.rpartition("/")[0] or file
