"""The outcome of TaskEval: metrics by group, counts, and the faults by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from pytest_taubench.taskbench.taskeval.metrics import Counts
from pytest_taubench.taskbench.taskeval.modes import Mode
from pytest_taubench.taskbench.taskeval.sample import GraphScore, SampleScore

METRICS = ("rouge1", "rouge2", "rougeL", "node_f1", "edge_f1", "ned", "t_f1", "v_f1")
"""The published metrics, by their keys in records and JSON."""

ACCURACIES = ("node_set_accuracy", "edge_set_accuracy", "graph_accuracy")
TYPES = ("single", "chain", "dag")


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The metrics of one group; None where no sample of it was scored.

    Attributes:
        samples: Samples with gold and a prediction; in strict mode all samples with gold.
        steps: Of these, how many had their steps scored.
        graphs: Of these, how many had their graph scored.
    """

    samples: int = 0
    steps: int = 0
    graphs: int = 0
    rouge1: float | None = None
    rouge2: float | None = None
    rougeL: float | None = None
    node_f1: float | None = None
    edge_f1: float | None = None
    ned: float | None = None
    t_f1: float | None = None
    v_f1: float | None = None
    node_set_accuracy: float | None = None
    edge_set_accuracy: float | None = None
    graph_accuracy: float | None = None


@dataclass(frozen=True)
class TaskEval:
    """What TaskEval found.

    Attributes:
        mode: ``reference`` or ``strict``.
        graph: The tool graph's name.
        groups: Metrics by ``overall``, ``single``, ``chain``, ``dag``, ``1`` … ``10``.
        counts: ``gold``, ``predictions``, ``scored``, ``missing``, ``unreadable``, ``faulty``.
        faults: How often each kind of fault was found in predictions.
        gold_faults: The same for annotations.
        fault_list: Each fault as (id, fault), file faults with an empty id.
    """

    mode: str
    graph: str
    groups: dict[str, GroupScore]
    counts: dict[str, int]
    faults: dict[str, int] = field(default_factory=dict)
    gold_faults: dict[str, int] = field(default_factory=dict)
    fault_list: list[tuple[str, str]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON-able data."""
        return asdict(self)


def group_scores(scores: Sequence[SampleScore], mode: Mode) -> dict[str, GroupScore]:
    """Aggregate samples by type and by number of tools; ``overall`` pools them all."""
    most = max([10, *(score.n_tools for score in scores)])
    members: dict[str, list[SampleScore]] = {"overall": list(scores)}
    members |= {name: [] for name in (*TYPES, *map(str, range(1, most + 1)))}
    for score in scores:
        for group in (score.type, str(score.n_tools)):
            if group in members:
                members[group].append(score)
    return {name: aggregate(group, mode) for name, group in members.items()}


def aggregate(scores: Sequence[SampleScore], mode: Mode) -> GroupScore:
    """Return the metrics of some samples: micro F1 over their counts, means of the rest."""
    graphs = [score.graph for score in scores if score.graph is not None]
    rouges = [score.rouge for score in scores if score.rouge is not None]
    metrics: dict[str, float] = {}
    if graphs:
        metrics = _graph_metrics(graphs, mode)
    if rouges:
        metrics |= {
            name: fmean(values)
            for name, values in zip(METRICS[:3], zip(*rouges, strict=True), strict=True)
        }
    answered = sum(score.answered or mode.unreadable_scores_zero for score in scores)
    return GroupScore(samples=answered, steps=len(rouges), graphs=len(graphs), **metrics)


def _graph_metrics(graphs: Sequence[GraphScore], mode: Mode) -> dict[str, float]:
    return {
        "node_f1": _micro_f1(graphs, lambda score: score.nodes, mode),
        "edge_f1": _micro_f1(graphs, lambda score: score.edges, mode),
        "ned": 1 - fmean(score.similarity for score in graphs),
        "t_f1": _micro_f1(graphs, lambda score: score.names, mode),
        "v_f1": _micro_f1(graphs, lambda score: score.values, mode),
        "node_set_accuracy": fmean(score.nodes.exact and not score.zero for score in graphs),
        "edge_set_accuracy": fmean(score.edges.exact and not score.zero for score in graphs),
        "graph_accuracy": fmean(score.graph for score in graphs),
    }


def _micro_f1(
    graphs: Sequence[GraphScore], counts_of: Callable[[GraphScore], Counts], mode: Mode
) -> float:
    counts = [counts_of(score) for score in graphs]
    # Where gold has nothing to find, a prediction that is missing still finds it less than one
    # that rightly says so.
    nothing = mode.nothing * fmean(not score.zero for score in graphs)
    return Counts(*map(sum, zip(*counts, strict=True))).f1(nothing)


def count_faults(faults: Iterable[Any]) -> dict[str, int]:
    """Count faults by kind, the most frequent first."""
    return dict(Counter(str(fault.kind) for fault in faults).most_common())
