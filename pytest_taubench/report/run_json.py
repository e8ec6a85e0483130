"""A run as JSON for machines, with a published schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pytest_taubench.gates.decision import GateResult
from pytest_taubench.metrics import Estimate, SuiteSummary, summarize
from pytest_taubench.metrics.breakdowns import (
    FaultCounts,
    Group,
    by_ending,
    by_gold_writes,
    count_faults,
)
from pytest_taubench.metrics.comparison import Comparison
from pytest_taubench.metrics.cost import cost_by_role
from pytest_taubench.schema import RunInfo, TrialRecord

REPORT_VERSION = 1


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EstimateJson(_Strict):
    """A figure, and over how many tasks it is."""

    value: float | None
    tasks: int


class TaskJson(_Strict):
    """The scored trials of a task: n, and c that passed."""

    task: str
    n: int
    c: int
    unscored: int


class SuiteJson(_Strict):
    """The figures of one suite."""

    name: str
    tasks: int
    trials: int
    scored: int
    unscored: int
    average_reward: float | None
    pass_hat: dict[int, EstimateJson]
    pass_at: dict[int, EstimateJson]
    pass_1_interval: tuple[float, float] | None
    endings: dict[str, int]
    by_task: list[TaskJson]


class DifferenceJson(_Strict):
    """One figure against the baseline."""

    before: float
    after: float
    tasks: int
    interval: tuple[float, float] | None
    p_value: float


class ComparisonJson(_Strict):
    """The run against its baseline."""

    verdict: str
    margin: float
    detectable: float | None
    differences: dict[str, DifferenceJson]
    broke: list[str]
    mended: list[str]
    flicker: list[str]
    warnings: list[str]


class GateJson(_Strict):
    """One decided gate."""

    gate: str
    decision: str
    value: float | None
    reason: str


class CostJson(_Strict):
    """Model use of one role; cost in US dollars."""

    role: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    partial: bool
    incomplete: bool
    input_cost: float | None = None
    output_cost: float | None = None
    split_partial: bool = False


class FaultsJson(_Strict):
    """Failed trials by kind of fault, by the paper's class, and by whose fault a model says."""

    failed: int
    kinds: dict[str, int]
    paper: dict[str, int]
    whose: dict[str, int]


class GroupJson(_Strict):
    """Scored trials that have something in common, e.g. the number of gold writes."""

    name: str
    tasks: int
    trials: int
    passed: int
    pass_1: float | None


class RunReport(_Strict):
    """What ``--tau-report=run.json`` and the commands' ``--json`` give of a run."""

    version: int = REPORT_VERSION
    run: RunInfo
    suites: list[SuiteJson]
    faults: FaultsJson | None = None
    by_gold_writes: list[GroupJson] = Field(default_factory=list)
    by_ending: list[GroupJson] = Field(default_factory=list)
    costs: list[CostJson] = Field(default_factory=list)
    gates: list[GateJson] = Field(default_factory=list)
    comparison: ComparisonJson | None = None
    taskeval: list[dict[str, Any]] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)


def run_report(
    info: RunInfo,
    records: Sequence[TrialRecord],
    gates: Sequence[GateResult] = (),
    comparison: Comparison | None = None,
    taskeval: Sequence[Mapping[str, Any]] = (),
    warnings: Sequence[str] = (),
) -> RunReport:
    """Return the report of a run as data."""
    return RunReport(
        run=info,
        suites=[_suite(suite) for suite in summarize(records)],
        faults=_faults(count_faults(records)),
        by_gold_writes=[_group(group) for group in by_gold_writes(records)],
        by_ending=[_group(group) for group in by_ending(records)],
        costs=[CostJson(**vars(cost)) for cost in cost_by_role(records)],
        gates=[gate_json(result) for result in gates],
        comparison=comparison_json(comparison) if comparison else None,
        taskeval=[dict(each) for each in taskeval],
        warnings=list(warnings),
    )


def gate_json(result: GateResult) -> GateJson:
    """Return a decided gate as data."""
    return GateJson(
        gate=result.gate.text, decision=result.decision, value=result.value, reason=result.reason
    )


def comparison_json(comparison: Comparison) -> ComparisonJson:
    """Return a comparison as data."""
    return ComparisonJson(
        verdict=comparison.verdict,
        margin=comparison.margin,
        detectable=comparison.detectable,
        differences={
            name: DifferenceJson(
                before=each.before,
                after=each.after,
                tasks=each.tasks,
                interval=(each.interval.low, each.interval.high) if each.interval else None,
                p_value=each.p_value,
            )
            for name, each in comparison.differences.items()
        },
        broke=comparison.broke,
        mended=comparison.mended,
        flicker=comparison.flicker,
        warnings=comparison.warnings,
    )


def _suite(suite: SuiteSummary) -> SuiteJson:
    interval = suite.interval()
    return SuiteJson(
        name=suite.name,
        tasks=suite.tasks,
        trials=suite.trials,
        scored=suite.scored,
        unscored=suite.unscored,
        average_reward=suite.average_reward,
        pass_hat=_estimates(suite.pass_hat),
        pass_at=_estimates(suite.pass_at),
        pass_1_interval=(interval.low, interval.high) if interval else None,
        endings=dict(suite.endings),
        by_task=[TaskJson(task=t.task, n=t.n, c=t.c, unscored=t.unscored) for t in suite.by_task],
    )


def _faults(faults: FaultCounts) -> FaultsJson:
    return FaultsJson(
        failed=faults.failed,
        kinds=dict(faults.kinds),
        paper=dict(faults.paper),
        whose=dict(faults.whose),
    )


def _group(group: Group) -> GroupJson:
    return GroupJson(
        name=group.name,
        tasks=group.tasks,
        trials=group.trials,
        passed=group.passed,
        pass_1=group.pass_1.value,
    )


def _estimates(estimates: dict[int, Estimate]) -> dict[int, EstimateJson]:
    return {k: EstimateJson(value=e.value, tasks=e.tasks) for k, e in estimates.items()}
