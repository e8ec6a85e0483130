"""All figures of a run in one object, computed once from records for every form of a report.

It stands in this room and not in ``metrics``: TaskEval and the distances of failed trials come from
``taskbench``, which itself builds on ``metrics``, so the one place that sees both is above them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.metrics.breakdowns import (
    FaultCounts,
    Group,
    by_ending,
    by_gold_writes,
    count_faults,
)
from pytest_taubench.metrics.comparison import Baseline, Comparison
from pytest_taubench.metrics.cost import RoleCost, cost_by_role
from pytest_taubench.metrics.summary import SuiteSummary, summarize
from pytest_taubench.schema import RunInfo, TrialRecord
from pytest_taubench.taskbench.records import Distance, distance_of_failed, run_taskeval


@dataclass(frozen=True)
class RunFigures:
    """The figures of a run. What renders them computes none.

    A field that ``run_json.RunReport`` names too is in the published report.

    Attributes:
        suites: The figures of each suite.
        faults: Why failed trials failed.
        by_gold_writes: Scored trials by the number of write actions in gold.
        by_ending: Scored trials by ending.
        costs: What each role's models were asked and what that cost.
        taskeval: TaskEval in strict mode of each tool graph, as data.
        distances: How far the failed τ trials of each suite were.
        unscored: The records without a reward.
        baseline: The run compared with.
        comparison: The comparison with it.
        warnings: What is wrong with the files of the runs.
    """

    suites: list[SuiteSummary]
    faults: FaultCounts
    by_gold_writes: list[Group]
    by_ending: list[Group]
    costs: list[RoleCost]
    taskeval: list[dict[str, Any]]
    distances: list[Distance]
    unscored: list[TrialRecord]
    baseline: Baseline | None
    comparison: Comparison | None
    warnings: list[str]

    @property
    def breakdowns(self) -> list[tuple[str, list[Group]]]:
        """The ways of grouping trials that part them at all, each by its name."""
        ways = [("gold writes", self.by_gold_writes), ("ending", self.by_ending)]
        return [(name, groups) for name, groups in ways if len(groups) > 1]


def run_figures(
    records: Sequence[TrialRecord],
    info: RunInfo | None = None,
    baseline: Baseline | None = None,
    warnings: Sequence[str] = (),
) -> RunFigures:
    """Return the figures of a run.

    Args:
        records: Its records; those without their conversations do.
        info: How it was made; what else than the agent differs from the baseline is said.
        baseline: A run to compare with.
        warnings: What is wrong with the files of the runs.

    Raises:
        DuplicateTrialError: A trial of a task has two records.
    """
    return RunFigures(
        suites=summarize(records),
        faults=count_faults(records),
        by_gold_writes=by_gold_writes(records),
        by_ending=by_ending(records),
        costs=cost_by_role(records),
        taskeval=[result.to_dict() for result in run_taskeval(records).values()],
        distances=distance_of_failed(records),
        unscored=[record for record in records if record.outcome == "unscored"],
        baseline=baseline,
        comparison=baseline.compared(records, info) if baseline else None,
        warnings=list(warnings),
    )
