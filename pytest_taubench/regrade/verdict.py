"""What grading a trial anew comes to."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_taubench.errors import TauBenchError
from pytest_taubench.schema import TrialRecord

TASK_CHANGED = "the task changed"


class RegradeError(TauBenchError):
    """A stored run cannot be graded anew; the message names the trial or file."""


@dataclass(frozen=True)
class Regraded:
    """A trial before and after.

    Attributes:
        before: The stored record.
        after: The record that grading it anew gives; the same object where that was not done.
        reasons: What differs and why, or why it was not graded anew.
    """

    before: TrialRecord
    after: TrialRecord
    reasons: list[str]

    @property
    def changed(self) -> bool:
        """True when the reward is another one."""
        return self.before.reward != self.after.reward
