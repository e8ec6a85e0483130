"""All gates of a run decided together, and the exit status they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_taubench.metrics.compare import compare
from pytest_taubench.metrics.gates import TASKEVAL, Gate, GateResult, decide, selected
from pytest_taubench.schema import TrialRecord

EXIT_HOLDS = 0
EXIT_FAILS = 1
EXIT_CANNOT_TELL = 6
"""pytest's own statuses end at 5."""


def decide_all(
    gates: Sequence[Gate],
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    baseline: Sequence[TrialRecord] | None = None,
) -> list[GateResult]:
    """Decide every gate.

    Args:
        gates: The gates.
        records: The run's records.
        planned: Trials planned a task, by task key.
        baseline: Records of the run that ``no regression`` compares with.
    """
    return [_decide(gate, records, planned, baseline) for gate in gates]


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
) -> GateResult:
    chosen = [record for record in records if selected(gate, record)]
    if gate.metric == "no regression" and baseline is not None:
        before = [record for record in baseline if selected(gate, record)]
        comparison = compare(before, chosen, margin=gate.bound)
        return decide(gate, records, planned, comparison)
    if gate.metric in TASKEVAL:
        return decide(gate, records, planned, figures=_taskeval(chosen))
    return decide(gate, records, planned)


def _taskeval(records: Sequence[TrialRecord]) -> Mapping[str, float]:
    from pytest_taubench.taskbench.taskeval import overall_of_records

    graphs = [record for record in records if record.kind == "graph"]
    return overall_of_records(graphs) if graphs else {}
