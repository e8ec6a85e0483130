"""All gates of a run decided together: whether they are settled, and their exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_taubench.gates.bounds import value_bounds
from pytest_taubench.gates.decision import GateResult, decide
from pytest_taubench.gates.selection import plan_of, selected
from pytest_taubench.gates.sequential import decide_sequentially
from pytest_taubench.gates.syntax import COUNTS, OPERATORS, PASS, TASKEVAL, Gate
from pytest_taubench.metrics.comparison import compare
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import Ending, TrialRecord


def is_settled(
    gate: Gate,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    error: float | None = None,
) -> bool:
    """Return whether no outcome of the missing trials can change what the gate comes to.

    Args:
        gate: The gate.
        records: The records so far.
        planned: Trials planned a task.
        error: The chance of a wrong decision that is tolerated; None decides by bounds alone.
    """
    if gate.selector is not None and set(planned) - {task_key(record) for record in records}:
        return False  # which suite or domain a task belongs to is known from its first record
    if PASS.fullmatch(gate.metric):
        if decide(gate, records, planned).decision != "cannot tell":
            return True
        return error is not None and bool(decide_sequentially(gate, records, planned, error))
    chosen = [record for record in records if selected(gate, record)]
    bounds = value_bounds(gate.metric, chosen, plan_of(gate, records, planned))
    return bounds is not None and _same_between(gate, *bounds)


def is_open_to_the_end(gate: Gate) -> bool:
    """Return whether only the whole run can settle the gate, because nothing bounds its figure."""
    return not (PASS.fullmatch(gate.metric) or gate.metric in (*COUNTS, "reward", "cost_per_trial"))


def _same_between(gate: Gate, low: float, high: float) -> bool:
    compare = OPERATORS[gate.operator]
    if gate.operator == "==":
        return low == high or not low <= gate.bound <= high
    return compare(low, gate.bound) == compare(high, gate.bound)


EXIT_HOLDS = 0
EXIT_FAILS = 1
EXIT_CANNOT_TELL = 6
"""pytest's own statuses end at 5."""


def decide_all(
    gates: Sequence[Gate],
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    baseline: Sequence[TrialRecord] | None = None,
    error: float | None = None,
) -> list[GateResult]:
    """Decide every gate.

    Args:
        gates: The gates.
        records: The run's records.
        planned: Trials planned a task, by task key.
        baseline: Records of the run that ``no regression`` compares with.
        error: Decide gates on pass^1 that the planned trials leave open by a sequential test
            with this chance of error.
    """
    return [_decide(gate, records, planned, baseline, error) for gate in gates]


def exit_status(results: Sequence[GateResult]) -> int:
    """Return 0 where all hold, 1 where one fails, and 6 where none fails but one is open."""
    decisions = {result.decision for result in results}
    if "fails" in decisions:
        return EXIT_FAILS
    return EXIT_CANNOT_TELL if "cannot tell" in decisions else EXIT_HOLDS


def _decide(
    gate: Gate,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    baseline: Sequence[TrialRecord] | None,
    error: float | None,
) -> GateResult:
    if gate.metric == "no regression" and baseline is not None:
        return _decide_regression(gate, records, planned, baseline)
    if gate.metric in TASKEVAL:
        return _decide_taskeval(gate, records, planned)
    result = decide(gate, records, planned)
    if result.decision == "cannot tell" and error is not None:
        return decide_sequentially(gate, records, planned, error) or result
    return result


def _decide_regression(
    gate: Gate,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    baseline: Sequence[TrialRecord],
) -> GateResult:
    """Decide by what was scored, unless what was not might have decided otherwise."""
    before = [record for record in baseline if selected(gate, record)]
    chosen = [record for record in records if selected(gate, record)]

    def against(after: Sequence[TrialRecord]) -> GateResult:
        comparison = compare(before, after, margin=gate.bound)
        return decide(gate, records, planned, comparison)

    result = against(chosen)
    plan = plan_of(gate, records, planned)
    missing = sum(plan.values()) - sum(record.outcome == "scored" for record in chosen)
    if missing <= 0 or result.decision == "cannot tell":
        return result
    ends = {against([*chosen, *_missing(chosen, plan, reward)]).decision for reward in (0.0, 1.0)}
    if ends == {result.decision}:
        return result
    why = f"{result.reason}; {missing} of {sum(plan.values())} planned trials have no reward"
    return replace(result, decision="cannot tell", reason=why)


def _missing(
    records: Sequence[TrialRecord], planned: Mapping[str, int], reward: float
) -> list[TrialRecord]:
    """Return the trials without a reward as if they had ended with that one."""
    scored = Counter(task_key(record) for record in records if record.outcome == "scored")
    return [
        TrialRecord(
            nodeid=f"{task}[trial-{total - number}]",
            suite="",
            domain="",
            task_id=task,
            trial=total - number,
            outcome="scored",
            reward=reward,
            ending=Ending.USER_STOP,
        )
        for task, total in planned.items()
        for number in range(total - scored[task])
    ]


def _decide_taskeval(
    gate: Gate, records: Sequence[TrialRecord], planned: Mapping[str, int]
) -> GateResult:
    """Decide by strict mode: the reference's figures leave out what could not be read."""
    from pytest_taubench.taskbench.records import overall_of_records

    graphs = [r for r in records if r.kind == "graph" and selected(gate, r)]
    result = decide(gate, records, planned, figures=overall_of_records(graphs))
    if result.value is None:
        return result
    scored = sum(record.outcome == "scored" for record in graphs)
    return replace(result, reason=f"{result.reason} in strict mode over {scored} trials")
