"""Gates: conditions on a run's figures, and what the scored trials say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pytest_taubench.gates.bounds import left_of, pass_bounds, too_few_trials, value_bounds
from pytest_taubench.gates.selection import (
    names_of,
    of_unknown_suite,
    plan_of,
    selected,
    unknown,
)
from pytest_taubench.gates.syntax import COUNTS, OPERATORS, PASS, TASKEVAL, Gate
from pytest_taubench.metrics.comparison import Comparison
from pytest_taubench.metrics.significance import ALPHA, least_tasks, shown_p
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import TrialRecord

Decision = Literal["holds", "fails", "cannot tell"]


@dataclass(frozen=True)
class GateResult:
    """What the data say of a gate.

    Attributes:
        gate: The gate.
        decision: ``holds``, ``fails`` or ``cannot tell``.
        value: The figure, where there is one.
        reason: For a person, in one line.
    """

    gate: Gate
    decision: Decision
    value: float | None
    reason: str


def decide(
    gate: Gate,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    comparison: Comparison | None = None,
    figures: Mapping[str, float | None] = MappingProxyType({}),
) -> GateResult:
    """Decide a gate on what was scored, for whatever the trials that are missing would bring.

    Args:
        gate: The gate.
        records: The records it is about are picked by its selector.
        planned: Trials planned a task, by task key, over the whole run; a trial that is
            unscored or has not run is taken once as passed and once as failed, and where that
            matters the gate cannot be told.
        comparison: With the baseline, for ``no regression``.
        figures: TaskEval figures of the selected records.

    Returns:
        The decision and its reason.
    """
    chosen = [record for record in records if selected(gate, record)]
    if gate.selector is not None and not chosen:
        names = {task_key(record): names_of(record.suite, record.domain) for record in records}
        return GateResult(gate, "cannot tell", None, unknown(gate.selector, names, "trial"))
    if gate.metric == "no regression":
        return _decide_regression(gate, comparison)
    if gate.selector is not None and (elsewhere := of_unknown_suite(records, planned)):
        why = f"no trial of {elsewhere} has run, which may be of {gate.selector!r} too"
        return GateResult(gate, "cannot tell", None, why)
    plan = plan_of(gate, records, planned)
    if match := PASS.fullmatch(gate.metric):
        return _decide_pass(gate, chosen, plan, match[1], int(match[2]))
    if gate.metric in TASKEVAL:
        return _decide_value(gate, chosen, plan, figures.get(gate.metric))
    return _decide_bounded(gate, chosen, plan)


def _decide_pass(
    gate: Gate,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    kind: str,
    k: int,
) -> GateResult:
    bounds = pass_bounds(records, planned, kind, k)
    if bounds is None:
        return GateResult(gate, "cannot tell", None, too_few_trials(gate.metric, k, planned))
    low, high = bounds
    compare = OPERATORS[gate.operator]
    at_low, at_high = compare(low, gate.bound), compare(high, gate.bound)
    # Equality may hold between the ends and at neither.
    if at_low == at_high and (low == high or gate.operator != "=="):
        shown = f"{low:.3f}" if low == high else f"between {low:.3f} and {high:.3f}"
        value = low if low == high else None
        return GateResult(gate, "holds" if at_low else "fails", value, f"{gate.metric} is {shown}")
    return GateResult(
        gate,
        "cannot tell",
        None,
        f"{gate.metric} is between {low:.3f} and {high:.3f}: {_missing(records, planned)}",
    )


def _decide_bounded(
    gate: Gate, records: Sequence[TrialRecord], planned: Mapping[str, int]
) -> GateResult:
    bounds = value_bounds(gate.metric, records, planned)
    if bounds is None or bounds[0] == bounds[1]:
        return _decide_value(gate, records, planned, bounds and bounds[0])
    low, high = bounds
    compare = OPERATORS[gate.operator]
    what = f"{gate.metric} is between {low:.4g} and {high:.4g}"
    if compare(low, gate.bound) == compare(high, gate.bound) and (
        gate.operator != "==" or not low <= gate.bound <= high
    ):
        return GateResult(gate, "holds" if compare(low, gate.bound) else "fails", None, what)
    return GateResult(gate, "cannot tell", None, f"{what}: {_missing(records, planned)}")


def _decide_value(
    gate: Gate, records: Sequence[TrialRecord], planned: Mapping[str, int], value: float | None
) -> GateResult:
    if left_of(records, planned) and gate.metric not in COUNTS and gate.metric != "reward":
        return GateResult(gate, "cannot tell", None, _missing(records, planned))
    if value is None:
        lacking = "of no scored trial" if gate.metric in TASKEVAL else "not for every trial"
        return GateResult(gate, "cannot tell", None, f"{gate.metric} is known {lacking}")
    holds = OPERATORS[gate.operator](value, gate.bound)
    return GateResult(gate, "holds" if holds else "fails", value, f"{gate.metric} is {value:.4g}")


def _missing(records: Sequence[TrialRecord], planned: Mapping[str, int]) -> str:
    """Say how many trials have no reward, and why."""
    left = left_of(records, planned)
    unscored = sum(record.outcome != "scored" for record in records)
    parts = [f"{left} did not run"] if left else []
    parts += [f"{unscored} {'is' if unscored == 1 else 'are'} unscored"] if unscored else []
    return f"of {sum(planned.values())} planned trials {' and '.join(parts)}"


def _decide_regression(gate: Gate, comparison: Comparison | None) -> GateResult:
    """A regression that the data do not support does not fail the gate; that is said.

    Unless no data of so few tasks could support one: such a gate could not fail.
    """
    if comparison is None:
        return GateResult(gate, "cannot tell", None, "there is no run to compare with")
    if "pass^1" not in comparison.differences:
        return GateResult(gate, "cannot tell", None, "no task has a scored trial in both runs")
    difference = comparison.differences["pass^1"]
    what = (
        f"pass^1 {difference.before:.3f} → {difference.after:.3f} over {_tasks(difference.tasks)} "
        f"(one-sided p {shown_p(difference.p_worse)})"
    )
    if comparison.verdict == "regression":
        return GateResult(gate, "fails", difference.value, what)
    if comparison.verdict == "no regression":
        return GateResult(gate, "holds", difference.value, what)
    if difference.tasks < (fewest := least_tasks(ALPHA)):
        too_few = f"no drop can be shown over fewer than {fewest} tasks, however large"
        return GateResult(gate, "cannot tell", difference.value, f"{what}; {too_few}")
    return GateResult(
        gate,
        "holds",
        difference.value,
        f"{what}; cannot tell: no drop is shown, but it is not shown either that there is none",
    )


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
