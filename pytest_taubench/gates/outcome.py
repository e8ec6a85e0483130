"""All gates of a run decided together: whether they are settled, and their exit status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_taubench.gates.decision import GateResult, decide
from pytest_taubench.gates.metric import Gate
from pytest_taubench.gates.selection import scope_of
from pytest_taubench.gates.sequential import decide_sequentially
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
    bounds = gate.figure.bounds(scope_of(gate.selector, records, planned))
    if bounds is not None and gate.figure.holds_between(gate, *bounds) is not None:
        return True
    return error is not None and bool(decide_sequentially(gate, records, planned, error))


def is_open_to_the_end(gate: Gate) -> bool:
    """Return whether only the whole run can settle the gate, because nothing bounds its figure."""
    return not gate.figure.bounded_early


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
    result = decide(gate, records, planned, baseline)
    if result.decision == "cannot tell" and error is not None:
        return decide_sequentially(gate, records, planned, error) or result
    return result
