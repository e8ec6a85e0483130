"""All gates of a run decided together, and the exit status they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from pytest_taubench.errors import DomainError
from pytest_taubench.metrics.compare import compare
from pytest_taubench.metrics.gates import TASKEVAL, Gate, GateResult, decide, selected
from pytest_taubench.metrics.sequential import decide_sequentially
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
    chosen = [record for record in records if selected(gate, record)]
    if gate.metric == "no regression" and baseline is not None:
        before = [record for record in baseline if selected(gate, record)]
        comparison = compare(before, chosen, margin=gate.bound)
        return decide(gate, records, planned, comparison)
    if gate.metric in TASKEVAL:
        return _decide_taskeval(gate, records, planned)
    result = decide(gate, records, planned)
    if result.decision == "cannot tell" and error is not None:
        return decide_sequentially(gate, records, planned, error) or result
    return result


def _decide_taskeval(
    gate: Gate, records: Sequence[TrialRecord], planned: Mapping[str, int]
) -> GateResult:
    """Decide by strict mode: the reference's figures leave out what could not be read."""
    graphs = [r for r in records if r.kind == "graph" and selected(gate, r)]
    names = sorted({record.domain for record in graphs if record.outcome == "scored"})
    if len(names) > 1:
        what = f"there are the tool graphs {', '.join(names)}; name one: {gate.metric}[{names[0]}]"
        return GateResult(gate, "cannot tell", None, what)
    figures, how = _taskeval(graphs, gate.metric)
    result = decide(gate, records, planned, figures=figures)
    if result.value is None:
        return result
    return replace(result, reason=f"{result.reason} {how}")


def _taskeval(
    records: Sequence[TrialRecord], metric: str
) -> tuple[Mapping[str, float | None], str]:
    from pytest_taubench.taskbench.graph_file import load_tool_graph
    from pytest_taubench.taskbench.records import taskeval_of_records

    try:
        results = taskeval_of_records(records, load_tool_graph)
    except DomainError:
        # A project's own tool graph is known by its folder's name alone.
        values = [record.metrics[metric] for record in records if metric in record.metrics]
        mean = sum(values) / len(values) if values else None
        return {metric: mean}, "as the mean of the trials in TaskEval's strict mode"
    figures = (asdict(each.groups["overall"]) for each in results.values())
    return next(figures, {}), "in TaskEval's strict mode"
