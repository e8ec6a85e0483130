"""A run as JSON for machines, with a published schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from pytest_taubench.gates.decision import GateResult
from pytest_taubench.gates.metric import Gate
from pytest_taubench.metrics.comparison import Comparison
from pytest_taubench.metrics.intervals import Interval
from pytest_taubench.metrics.pass_k import Estimate
from pytest_taubench.report.figures import RunFigures
from pytest_taubench.schema import RunInfo

REPORT_VERSION = 1


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    return (interval.low, interval.high) if interval else None


def _value(estimate: Estimate) -> float | None:
    return estimate.value


def _text(gate: Gate) -> str:
    return gate.text


Ends = Annotated[tuple[float, float] | None, BeforeValidator(_ends)]


class _Published(BaseModel):
    """What is published of an object of figures: its attributes of these names."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class EstimateJson(_Published):
    """A figure, and over how many tasks it is."""

    value: float | None
    tasks: int


class TaskJson(_Published):
    """The scored trials of a task: n, and c that passed."""

    task: str
    n: int
    c: int
    unscored: int


class SuiteJson(_Published):
    """The figures of one suite."""

    name: str
    tasks: int
    trials: int
    scored: int
    unscored: int
    average_reward: float | None
    pass_hat: dict[int, EstimateJson]
    pass_at: dict[int, EstimateJson]
    pass_1_interval: Ends
    pass_1_ends: tuple[float, float] | None = None
    endings: dict[str, int]
    by_task: list[TaskJson]


class DifferenceJson(_Published):
    """One figure against the baseline."""

    before: float
    after: float
    tasks: int
    interval: Ends
    p_value: float


class ComparisonJson(_Published):
    """The run against its baseline."""

    verdict: str
    margin: float
    detectable: float | None
    differences: dict[str, DifferenceJson]
    broke: list[str]
    mended: list[str]
    flicker: list[str]
    warnings: list[str]


class GateJson(_Published):
    """One decided gate."""

    gate: Annotated[str, BeforeValidator(_text)]
    decision: str
    value: float | None
    reason: str


class CostJson(_Published):
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


class FaultsJson(_Published):
    """Failed trials by kind of fault, by the paper's class, and by whose fault a model says."""

    failed: int
    kinds: dict[str, int]
    paper: dict[str, int]
    whose: dict[str, int]


class GroupJson(_Published):
    """Scored trials that have something in common, e.g. the number of gold writes."""

    name: str
    tasks: int
    trials: int
    passed: int
    pass_1: Annotated[float | None, BeforeValidator(_value)]


class RunReport(_Published):
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


def run_report(info: RunInfo, figures: RunFigures, gates: Sequence[GateResult] = ()) -> RunReport:
    """Return the report of a run as data."""
    published = {
        name: each for name, each in vars(figures).items() if name in RunReport.model_fields
    }
    return RunReport.model_validate({"run": info, "gates": gates, **published})


def gate_json(result: GateResult) -> GateJson:
    """Return a decided gate as data."""
    return GateJson.model_validate(result)


def comparison_json(comparison: Comparison) -> ComparisonJson:
    """Return a comparison as data."""
    return ComparisonJson.model_validate(comparison)
