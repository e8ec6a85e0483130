"""Which gates are settled, whatever the trials that are still to come bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_taubench.metrics.gate_bounds import value_bounds
from pytest_taubench.metrics.gate_selection import plan_of, selected
from pytest_taubench.metrics.gate_syntax import COUNTS, OPERATORS, PASS, Gate
from pytest_taubench.metrics.gates import decide
from pytest_taubench.metrics.sequential import decide_sequentially
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import TrialRecord


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
