"""Ends a run whose model's endpoint fails: each further trial would only wait for it again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pytest_taubench.errors import EndpointDownError, EndpointFailedError, EndpointRefusedError
from pytest_taubench.plugin.gating import FATAL

if TYPE_CHECKING:
    import pytest

    from pytest_taubench.schema import TrialRecord

IN_A_ROW = 3
_DOWN = EndpointDownError.__name__
_REFUSED = EndpointRefusedError.__name__
_FAILED = frozenset({_DOWN, EndpointFailedError.__name__, _REFUSED})


class Breaker:
    """Counts the trials of a process that had no reply of a model's endpoint, one after the other.

    Where no connection comes about, the endpoint alone can be to blame. Any other failure may be
    that of one task, whose prompt makes a server fail each time, so that the others must fail too.
    """

    def __init__(self) -> None:
        self._down = 0
        self._failed: list[str] = []
        self._refused = 0

    def take(self, record: TrialRecord, items: Iterable[pytest.Item]) -> str | None:
        """Count a trial; return why the run should end, once enough in a row were in vain.

        Args:
            record: The trial.
            items: The tests of the run, to know over how many tasks it is.
        """
        error = record.error
        if error is None or record.outcome != "unscored" or error.type not in _FAILED:
            self._down, self._failed, self._refused = 0, [], 0
            return None
        self._down = self._down + 1 if error.type == _DOWN else 0
        self._refused += error.type == _REFUSED
        self._failed.append(record.task_hash)
        if self._down >= IN_A_ROW:
            return f"{FATAL}: {self._down} in a row could not reach their model: {error.message}"
        tasks = len(set(self._failed))
        if len(self._failed) < IN_A_ROW or tasks < min(IN_A_ROW, _tasks_of(items)):
            return None
        of = f"{tasks} tasks" if tasks > 1 else "the only task"
        count = len(self._failed)
        came_of_it = "were refused by" if self._refused == count else "gave up on"
        return (
            f"{FATAL}: {count} in a row, of {of}, {came_of_it} their model's endpoint: "
            f"{error.message}"
        )


def _tasks_of(items: Iterable[pytest.Item]) -> int:
    """Return over how many tasks a run is; a test in Python may run any number."""
    hashes: set[str] = set()
    for item in items:
        collected = getattr(item, "collected", None)
        if collected is not None:
            hashes.add(collected.annotation_hash())
        elif "tau_agent" in getattr(item, "fixturenames", ()):
            return IN_A_ROW
        if len(hashes) >= IN_A_ROW:
            break
    return len(hashes)
