"""Score one predicted plan: whether its item passes, and by how much it missed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_taubench.schema import PassBar, Sample
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.prompt import gold_plan
from pytest_taubench.taskbench.records import pack_score
from pytest_taubench.taskbench.taskeval.faults import PlanFault, PlanFaultKind, shown
from pytest_taubench.taskbench.taskeval.metrics import RougeScorer, same_graph
from pytest_taubench.taskbench.taskeval.modes import STRICT
from pytest_taubench.taskbench.taskeval.plan import read_gold_plan, read_plan
from pytest_taubench.taskbench.taskeval.result import ACCURACIES, METRICS, aggregate
from pytest_taubench.taskbench.taskeval.sample import score_sample
from pytest_taubench.text.json_values import LONGEST, extract_object, plain_object


@dataclass(frozen=True)
class PlanScore:
    """How good one predicted plan is.

    Attributes:
        passed: True when the plan is exactly gold's with its parameters, or meets its bar.
        metrics: The metrics of strict mode over this one sample.
        detail: What passing rests on.
        counts: What TaskEval counted, as a record keeps it.
        faults: What was wrong with the prediction.
        gold_faults: What is wrong with the annotation.
    """

    passed: bool
    metrics: dict[str, float]
    detail: dict[str, Any]
    counts: dict[str, Any]
    faults: list[str] = field(default_factory=list)
    gold_faults: list[str] = field(default_factory=list)


def read_answer(answer: Any) -> tuple[dict[str, Any] | None, list[PlanFault]]:
    """Return the plan that an answer holds, or None, and what is wrong with the answer."""
    if isinstance(answer, Mapping):
        return _plain(answer)
    if not isinstance(answer, str) or not answer.strip():
        return None, [PlanFault(PlanFaultKind.ANSWER_EMPTY, f"the answer is {shown(answer)}")]
    found = extract_object(answer, "task_nodes")
    if found is not None:
        return _plain(found)
    if len(answer) > LONGEST:
        detail = f"{len(answer):,} characters that are no JSON object; {LONGEST:,} are searched"
        return None, [PlanFault(PlanFaultKind.ANSWER_TOO_LONG, detail)]
    return None, [PlanFault(PlanFaultKind.ANSWER_NOT_JSON, f"no JSON object in {shown(answer)}")]


def _plain(answer: Mapping[str, Any]) -> tuple[dict[str, Any] | None, list[PlanFault]]:
    try:
        return plain_object(answer), []
    except ValueError as error:
        detail = f"an object that JSON cannot hold: {error}"
        return None, [PlanFault(PlanFaultKind.ANSWER_NOT_JSON, detail)]


def score_prediction(
    sample: Sample, graph: ToolGraph, prediction: Mapping[str, Any] | None
) -> PlanScore:
    """Score a predicted plan against its sample.

    Args:
        sample: The annotation.
        graph: The tool graph.
        prediction: The plan, or None where there is none to read.
    """
    gold = gold_plan(sample)
    missing = PlanFaultKind.NO_PREDICTION if prediction is None else None
    score = score_sample(gold, prediction, graph, STRICT, RougeScorer(), missing=missing)
    group = aggregate([score], STRICT)
    metrics = {
        name: value
        for name in (*METRICS, *ACCURACIES)
        if (value := getattr(group, name)) is not None
    }
    exact = prediction is not None and _same(gold, prediction, graph)
    passed = exact if sample.pass_bar is None else meets(sample.pass_bar, metrics)
    return PlanScore(
        passed=passed,
        metrics=metrics,
        detail=_detail(sample.pass_bar, metrics, exact),
        counts=pack_score(score),
        faults=[str(fault) for fault in score.faults],
        gold_faults=[str(fault) for fault in score.gold_faults],
    )


def _same(gold: Mapping[str, Any], prediction: Mapping[str, Any], graph: ToolGraph) -> bool:
    read = read_plan(prediction, graph, STRICT.arguments)
    if read.fault_kinds & STRICT.unreadable:
        return False
    return same_graph(read_gold_plan(gold, graph, STRICT.arguments), read, graph, arguments=True)


def meets(bar: PassBar, metrics: Mapping[str, float]) -> bool:
    """Return whether a metric reaches its bar; of NED, a distance, the similarity must."""
    value = metrics.get(bar.metric, 0.0)
    if bar.metric == "ned":
        value = 1 - metrics.get("ned", 1.0)
    return value >= bar.at_least


def _detail(bar: PassBar | None, metrics: Mapping[str, float], exact: bool) -> dict[str, Any]:
    detail: dict[str, Any] = {"exact_with_parameters": exact}
    if bar is not None:
        detail |= {"bar": bar.model_dump(), "value": metrics.get(bar.metric)}
    return detail
