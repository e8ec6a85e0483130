"""The run that a report compares with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_taubench.metrics.compare import Comparison, compare
from pytest_taubench.schema import RunInfo, TrialRecord


@dataclass(frozen=True)
class Baseline:
    """A run to compare with.

    Attributes:
        name: What it is called in the report.
        records: Its records.
        info: How it was made; what else than the agent differs is said.
    """

    name: str
    records: Sequence[TrialRecord]
    info: RunInfo

    def compared(self, info: RunInfo, records: Sequence[TrialRecord]) -> Comparison:
        """Return what changed between this run and the one reported."""
        return compare(self.records, records, runs=(self.info, info))
