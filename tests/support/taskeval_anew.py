"""TaskEval of a run's records, scored anew from their plans: what the stored counts must add up to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytest_taubench import TrialRecord
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval import TaskEval, evaluate


def taskeval_anew(
    records: Sequence[TrialRecord], graph_of: Callable[[str], ToolGraph]
) -> dict[str, TaskEval]:
    """TaskEval in strict mode by tool graph, over the scored trials of samples."""
    scored = [each for each in records if each.outcome == "scored" and each.graph]
    return {
        domain: _evaluate([each for each in scored if each.domain == domain], graph_of(domain))
        for domain in {each.domain for each in scored}
    }


def _evaluate(records: Sequence[TrialRecord], graph: ToolGraph) -> TaskEval:
    gold: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    for number, record in enumerate(records):
        assert record.graph is not None
        # The number keeps apart what suites may name alike.
        id_ = f"{number}:{record.task_id}[trial-{record.trial}]"
        gold.append({**record.graph["gold"], "id": id_, "type": record.graph.get("type") or ""})
        if record.graph.get("prediction") is not None:
            predictions.append({"id": id_, "result": record.graph["prediction"]})
    return evaluate(gold, predictions, graph, "strict")
