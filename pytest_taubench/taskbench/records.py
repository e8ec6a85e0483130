"""TaskEval from the records of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pytest_taubench.schema import TrialRecord
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval import TaskEval, evaluate


def taskeval_of_records(
    records: Iterable[TrialRecord],
    graph_of: Callable[[str], ToolGraph],
    mode: str = "strict",
) -> dict[str, TaskEval]:
    """Score the scored trials of TaskBench samples, by domain.

    Each trial counts as a sample of its own; a trial that infrastructure broke counts nowhere,
    and one whose answer could not be read is a prediction that is missing.

    Args:
        records: The records of a run; those of other kinds are passed over.
        graph_of: Gives the tool graph of a domain.
        mode: ``strict`` or ``reference``.
    """
    by_domain: dict[str, list[TrialRecord]] = {}
    for record in records:
        if record.kind == "graph" and record.outcome == "scored" and record.graph is not None:
            by_domain.setdefault(record.domain, []).append(record)
    return {
        domain: _evaluate(members, graph_of(domain), mode) for domain, members in by_domain.items()
    }


def _evaluate(records: Sequence[TrialRecord], graph: ToolGraph, mode: str) -> TaskEval:
    gold: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    for number, record in enumerate(records):
        assert record.graph is not None
        # The number keeps apart what suites may name alike.
        id_ = f"{number}:{record.task_id}[trial-{record.trial}]"
        gold.append({**record.graph["gold"], "id": id_, "type": record.graph.get("type") or ""})
        if record.graph.get("prediction") is not None:
            predictions.append({"id": id_, "result": record.graph["prediction"]})
    return evaluate(gold, predictions, graph, mode)
