"""Ends a run whose model's endpoint is down: each further trial would only wait for it again."""

from __future__ import annotations

from pytest_taubench.errors import EndpointDownError
from pytest_taubench.plugin.gating import FATAL
from pytest_taubench.schema import TrialRecord

IN_A_ROW = 3


class Breaker:
    """Counts the trials of a process that found nothing at a model's address."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def take(self, record: TrialRecord) -> str | None:
        """Count a trial; return why the run should end, once enough in a row were in vain."""
        error = record.error
        down = error is not None and error.type == EndpointDownError.__name__
        self._in_a_row = self._in_a_row + 1 if down and record.outcome == "unscored" else 0
        if error is None or self._in_a_row < IN_A_ROW:
            return None
        return f"{FATAL}: {IN_A_ROW} in a row could not reach their model: {error.message}"
