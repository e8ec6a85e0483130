"""Ends a run whose model's endpoint fails: each further trial would only wait for it again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pytest_taubench.errors import (
    EndpointDownError,
    EndpointFailedError,
    EndpointRefusedError,
    RequestRefusedError,
)

if TYPE_CHECKING:
    import pytest

    from pytest_taubench.schema import TrialRecord

FATAL = "no trial can succeed"
"""How the reason begins when the run ends since no trial can be scored."""


_DOWN = EndpointDownError.__name__
_FAILED = frozenset({_DOWN, EndpointFailedError.__name__, EndpointRefusedError.__name__})
_REFUSED = frozenset({EndpointRefusedError.__name__, RequestRefusedError.__name__})

IN_A_ROW = 3
REFUSED_IN_A_ROW = 10
"""Trials in a row that were refused after the model had answered others.

A server that takes no result of a tool, say, answers each trial's first request and refuses the
second. So does a content filter, of single prompts: a run must bear one that refuses a good part
of them. Of one that refuses three prompts in ten, three in a row are met every fifty trials, ten
in a row once in some two hundred thousand. Ten trials are minutes, where a run is hours.
"""


class Breaker:
    """Counts the trials of a process that had no reply of a model's endpoint, one after the other.

    Where no connection comes about, the endpoint alone can be to blame. Any other failure may be
    that of one task, whose prompt makes a server fail each time, so that the others must fail too.
    """

    def __init__(self) -> None:
        self._down = 0
        self._rows = (_Row(IN_A_ROW, _FAILED), _Row(REFUSED_IN_A_ROW, _FAILED | _REFUSED))

    def take(self, record: TrialRecord, items: Iterable[pytest.Item]) -> str | None:
        """Count a trial; return why the run should end, once enough in a row were in vain.

        Args:
            record: The trial.
            items: The tests of the run, to know over how many tasks it is.
        """
        error = record.error if record.outcome == "unscored" else None
        self._down = self._down + 1 if error and error.type == _DOWN else 0
        for row in self._rows:
            row.take(record.task_hash, error.type if error else "")
        if error is None:
            return None
        if self._down >= IN_A_ROW:
            return f"{FATAL}: {self._down} in a row could not reach their model: {error.message}"
        for row in self._rows:
            if says := row.says(items):
                return f"{FATAL}: {says} their model's endpoint: {error.message}"
        return None


class _Row:
    """The last trials without one between that ended otherwise."""

    def __init__(self, enough: int, kinds: frozenset[str]) -> None:
        self._enough = enough
        self._kinds = kinds
        self._trials: list[tuple[str, str]] = []

    def take(self, task: str, error: str) -> None:
        """Add a trial, or begin anew where it ended otherwise."""
        self._trials = [*self._trials, (task, error)] if error in self._kinds else []

    def says(self, items: Iterable[pytest.Item]) -> str:
        """Return what happened, once it is enough trials of enough tasks; else nothing."""
        count, tasks = len(self._trials), len({task for task, _ in self._trials})
        if count < self._enough or tasks < min(self._enough, _tasks_of(items, self._enough)):
            return ""
        of = f"{tasks} tasks" if tasks > 1 else "the only task"
        refused = all(error in _REFUSED for _, error in self._trials)
        return f"{count} in a row, of {of}, {'were refused by' if refused else 'gave up on'}"


def _tasks_of(items: Iterable[pytest.Item], enough: int) -> int:
    """Return over how many tasks a run is, up to enough; a test in Python may run any number."""
    hashes: set[str] = set()
    for item in items:
        collected = getattr(item, "collected", None)
        if collected is not None:
            hashes.add(collected.annotation_hash())
        elif "tau_agent" in getattr(item, "fixturenames", ()):
            return enough
        if len(hashes) >= enough:
            break
    return len(hashes)
