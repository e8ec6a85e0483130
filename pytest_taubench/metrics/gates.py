"""Gates: conditions on a run's figures, and what the scored trials say of them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pytest_taubench.metrics.compare import Comparison
from pytest_taubench.metrics.cost import trial_cost
from pytest_taubench.metrics.gate_syntax import COUNTS, OPERATORS, PASS, TASKEVAL, Gate
from pytest_taubench.metrics.pass_k import pass_at_k, pass_hat_k
from pytest_taubench.metrics.permutation import least_tasks, shown_p
from pytest_taubench.metrics.power import ALPHA
from pytest_taubench.metrics.summary import suite_name, summarize_tasks, task_key
from pytest_taubench.schema import TrialRecord

Decision = Literal["holds", "fails", "cannot tell"]

_LISTED = 10


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
        known = {name for record in records for name in names_of(record.suite, record.domain)}
        return GateResult(gate, "cannot tell", None, f"no trial is {unknown(gate.selector, known)}")
    if gate.metric == "no regression":
        return _decide_regression(gate, comparison)
    if gate.selector is not None and (elsewhere := _of_unknown_suite(records, planned)):
        why = f"no trial of {elsewhere} has run, which may be of {gate.selector!r} too"
        return GateResult(gate, "cannot tell", None, why)
    plan = plan_of(gate, records, planned)
    if match := PASS.fullmatch(gate.metric):
        return _decide_pass(gate, chosen, plan, match[1], int(match[2]))
    if gate.metric in TASKEVAL:
        return _decide_value(gate, chosen, plan, figures.get(gate.metric))
    return _decide_bounded(gate, chosen, plan)


def selected(gate: Gate, record: TrialRecord) -> bool:
    """Return True where the gate is about the record."""
    return gate.selector is None or gate.selector in names_of(record.suite, record.domain)


def names_of(suite: str, domain: str) -> set[str]:
    """Return what a selector may call the trials of a suite and domain."""
    return {suite, domain, suite_name(suite, domain)} - {""}


def unknown(selector: str, known: Collection[str]) -> str:
    """Return what to say of a selector that none of the known names is."""
    near = difflib.get_close_matches(selector, sorted(known), 1)
    there_are = ", ".join(sorted(known)[:_LISTED]) + (", ..." if len(known) > _LISTED else "")
    hint = f"did you mean {near[0]!r}?" if near else f"there are {there_are or 'none at all'}"
    return f"of a suite or domain {selector!r}; {hint}"


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


def _of_unknown_suite(records: Sequence[TrialRecord], planned: Mapping[str, int]) -> str:
    """Return a folder of planned tasks of which no record says what suite and domain it is."""
    known = {_folder_of(task_key(record)) for record in records}
    return min(
        (folder for task in planned if (folder := _folder_of(task)) not in known), default=""
    )


def _folder_of(task: str) -> str:
    file = task.partition("::")[0]
    return file.rpartition("/")[0] or file


def pass_bounds(
    records: Sequence[TrialRecord], planned: Mapping[str, int], kind: str, k: int
) -> tuple[float, float] | None:
    """Return the least and the greatest pass^k (``^``) or pass@k (``@``) the run can end with.

    None where some planned task will not have k trials.
    """
    estimate = pass_hat_k if kind == "^" else pass_at_k
    seen = {task.task: (task.n, task.c) for task in summarize_tasks(records)}
    lows, highs = [], []
    for task, total in planned.items():
        n, c = seen.get(task, (0, 0))
        low = estimate(total, c, k)
        high = estimate(total, c + total - n, k)
        if low is None or high is None:
            return None
        lows.append(low)
        highs.append(high)
    if not lows:
        return None
    return sum(lows) / len(lows), sum(highs) / len(highs)


def too_few_trials(metric: str, k: int, planned: Mapping[str, int]) -> str:
    """Return which tasks will not have the k trials that the metric needs."""
    fewer = [task for task, trials in planned.items() if trials < k]
    needs = f"{metric} needs {k} trials a task"
    if len(fewer) == len(planned) > 1 or not planned:
        most = max(planned.values(), default=0)
        return f"{needs}, and no task has more than {most}"
    more = f", and {len(fewer) - 1} more have fewer than {k}" if len(fewer) > 1 else ""
    return f"{needs}, and {fewer[0]} has {planned[fewer[0]]}{more}"


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


def value_bounds(
    metric: str, records: Sequence[TrialRecord], planned: Mapping[str, int]
) -> tuple[float, float] | None:
    """Return the least and the greatest value that a count or a mean can end with.

    None where nothing bounds what is missing, or what is there is not known.
    """
    left = _left(records, planned)
    if metric in COUNTS:
        now = _count(metric, records)
        return now, now + left
    scored = [record for record in records if record.outcome == "scored"]
    if metric == "reward":
        passed = sum(record.reward or 0.0 for record in scored)
        # An unscored trial may have passed or failed, like one that did not run.
        missing = left + len(records) - len(scored)
        total = len(scored) + missing
        return (passed / total, (passed + missing) / total) if total else None
    value = _mean(metric, scored)
    if value is None:
        return None
    if not left:
        return value, value
    least = value * len(scored) / (len(scored) + left)
    return (least, math.inf) if metric == "cost_per_trial" else None


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
    if _left(records, planned) and gate.metric not in COUNTS and gate.metric != "reward":
        return GateResult(gate, "cannot tell", None, _missing(records, planned))
    if value is None:
        lacking = "of no scored trial" if gate.metric in TASKEVAL else "not for every trial"
        return GateResult(gate, "cannot tell", None, f"{gate.metric} is known {lacking}")
    holds = OPERATORS[gate.operator](value, gate.bound)
    return GateResult(gate, "holds" if holds else "fails", value, f"{gate.metric} is {value:.4g}")


def _left(records: Sequence[TrialRecord], planned: Mapping[str, int]) -> int:
    return max(0, sum(planned.values()) - len(records))


def _missing(records: Sequence[TrialRecord], planned: Mapping[str, int]) -> str:
    """Say how many trials have no reward, and why."""
    left = _left(records, planned)
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
        f"pass^1 {difference.before:.3f} → {difference.after:.3f} over {difference.tasks} tasks "
        f"(one-sided p {shown_p(difference.p_worse)})"
    )
    if comparison.verdict == "regression":
        return GateResult(gate, "fails", difference.value, what)
    if comparison.verdict == "no regression":
        return GateResult(gate, "holds", difference.value, what)
    if difference.tasks < (fewest := least_tasks(ALPHA)):
        too_few = f"fewer than {fewest} tasks show no regression, however large"
        return GateResult(gate, "cannot tell", difference.value, f"{what}; {too_few}")
    return GateResult(
        gate,
        "holds",
        difference.value,
        f"{what}; cannot tell: no drop is shown, but it is not shown either that there is none",
    )


def _count(name: str, records: Sequence[TrialRecord]) -> int:
    if name == "trials":
        return len(records)
    return sum(record.outcome == name for record in records)


def _mean(name: str, records: Sequence[TrialRecord]) -> float | None:
    scored = [record for record in records if record.outcome == "scored"]
    if name == "reward":
        values = [record.reward for record in scored]
    elif name == "steps":
        values = [float(record.steps) for record in scored]
    else:
        values = [trial_cost(record) for record in scored]
    known = [value for value in values if value is not None]
    # A mean over the trials whose cost happens to be known would pass for the cost of all.
    return sum(known) / len(known) if known and len(known) == len(values) else None
