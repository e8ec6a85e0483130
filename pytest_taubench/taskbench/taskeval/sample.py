"""Score one sample; groups only add up what is found here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.faults import PlanFault, PlanFaultKind
from pytest_taubench.taskbench.taskeval.metrics import (
    Counts,
    Rouge,
    RougeScorer,
    count_edges,
    count_names,
    count_nodes,
    count_values,
    same_graph,
)
from pytest_taubench.taskbench.taskeval.modes import Mode
from pytest_taubench.taskbench.taskeval.plan import Plan, read_gold_plan, read_plan


@dataclass(frozen=True, slots=True)
class GraphScore:
    """What one sample adds to the graph metrics."""

    nodes: Counts
    edges: Counts
    names: Counts
    values: Counts
    similarity: float
    graph: bool
    zero: bool = False
    """True for a missing or unreadable prediction that scores 0."""


@dataclass(frozen=True, slots=True)
class SampleScore:
    """What one sample adds to its groups.

    Attributes:
        id: The sample's id.
        type: ``single``, ``chain`` or ``dag``, as the annotation says.
        n_tools: Tools of the gold graph.
        answered: False when there was no prediction at all.
        rouge: None when the steps were not scored.
        graph: None when the graph was not scored.
        gold_faults: What was wrong with the annotation.
        faults: What was wrong with the prediction.
    """

    id: str
    type: str
    n_tools: int
    answered: bool
    rouge: Rouge | None
    graph: GraphScore | None
    gold_faults: list[PlanFault] = field(default_factory=list)
    faults: list[PlanFault] = field(default_factory=list)


def score_sample(
    gold: Mapping[str, Any],
    result: Any,
    graph: ToolGraph,
    mode: Mode,
    scorer: RougeScorer | None,
    *,
    missing: PlanFaultKind | None = None,
) -> SampleScore:
    """Score a predicted plan against the annotation.

    Args:
        gold: The annotation, with TaskBench's fields.
        result: The predicted plan, as its file has it.
        graph: The tool graph.
        mode: Reference or strict.
        scorer: Scores the steps; None leaves ROUGE out.
        missing: Why there is no ``result``, where there is none.
    """
    gold_plan = read_gold_plan(gold, graph, mode.arguments)
    if missing is None:
        plan = read_plan(result, graph, mode.arguments)
    else:
        plan = Plan(faults=[PlanFault(missing, "no predicted plan")])
    rouge = _score_steps(gold_plan, plan, mode, scorer)
    return SampleScore(
        id=str(gold.get("id", "")),
        type=str(gold.get("type", "")),
        n_tools=len(gold_plan.tools),
        answered=missing is not PlanFaultKind.NO_PREDICTION,
        rouge=rouge,
        graph=_score_graph(gold_plan, plan, graph, mode, scorer),
        gold_faults=gold_plan.faults,
        faults=plan.faults,
    )


def _score_steps(gold: Plan, plan: Plan, mode: Mode, scorer: RougeScorer | None) -> Rouge | None:
    if scorer is None or gold.steps is None:
        return None
    if mode.unreadable_scores_zero and (plan.steps is None or plan.fault_kinds & mode.unreadable):
        return Rouge()
    return None if plan.steps is None else scorer.score(gold.steps, plan.steps)


def _score_graph(
    gold: Plan, plan: Plan, graph: ToolGraph, mode: Mode, scorer: RougeScorer | None
) -> GraphScore | None:
    if gold.fault_kinds & mode.unreadable_gold:
        return None
    unreadable = bool(plan.fault_kinds & (mode.unreadable | {PlanFaultKind.NO_PREDICTION}))
    if mode.unreadable_scores_zero:
        return score_plan(gold, Plan() if unreadable else plan, graph, mode, zero=unreadable)
    # The published code reads the steps first, and leaves a sample out that has none.
    no_steps = scorer is not None and plan.steps is None
    return None if unreadable or no_steps else score_plan(gold, plan, graph, mode)


def score_plan(
    gold: Plan, plan: Plan, graph: ToolGraph, mode: Mode, *, zero: bool = False
) -> GraphScore:
    """Compare two plans; ``zero`` stands for a prediction that is not there."""
    edges = count_edges(gold, plan, mode.counting)
    return GraphScore(
        nodes=count_nodes(gold, plan, graph, mode.counting, mode.known_tools_only),
        edges=edges,
        names=count_names(gold, plan, mode.counting),
        values=count_values(gold, plan, mode.counting),
        similarity=0.0 if zero else mode.similarity(gold, plan, graph),
        graph=not zero and same_graph(gold, plan, graph),
        zero=zero,
    )
