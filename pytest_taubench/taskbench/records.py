"""TaskEval of stored records: of plans, and of the write actions of failed trials."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any, Protocol

from pytest_taubench.metrics.summary import suite_label
from pytest_taubench.schema import ActionRecord, TrialRecord
from pytest_taubench.taskbench.taskeval import ACCURACIES, METRICS, TaskEval
from pytest_taubench.taskbench.taskeval.arguments import Argument
from pytest_taubench.taskbench.taskeval.faults import PlanFaultKind
from pytest_taubench.taskbench.taskeval.metrics import (
    Counts,
    Rouge,
    count_edges,
    count_multisets,
    count_names,
    count_values,
)
from pytest_taubench.taskbench.taskeval.modes import STRICT
from pytest_taubench.taskbench.taskeval.orders import longest_match
from pytest_taubench.taskbench.taskeval.plan import Link, Plan
from pytest_taubench.taskbench.taskeval.result import aggregate, group_scores
from pytest_taubench.taskbench.taskeval.sample import GraphScore, SampleScore

_COUNTED = ("nodes", "edges", "names", "values")


def pack_score(score: SampleScore) -> dict[str, Any]:
    """Return a score as JSON-able data, without what the record says elsewhere."""
    data: dict[str, Any] = {"n_tools": score.n_tools, "answered": score.answered}
    if score.rouge is not None:
        data["rouge"] = list(score.rouge)
    if score.graph is not None:
        graph = score.graph
        data |= {name: list(getattr(graph, name)) for name in _COUNTED}
        data |= {"similarity": graph.similarity, "graph": graph.graph, "zero": graph.zero}
    return data


def unpack_score(data: Mapping[str, Any], id_: str, type_: str) -> SampleScore:
    """Return the score that ``pack_score`` made the data of; its faults are not among them.

    Args:
        data: The data.
        id_: The sample's id.
        type_: The sample's type.
    """
    graph = None
    if "similarity" in data:
        nodes, edges, names, values = (Counts(*data[name]) for name in _COUNTED)
        rest = data["similarity"], data["graph"], data["zero"]
        graph = GraphScore(nodes, edges, names, values, *rest)
    rouge = Rouge(*data["rouge"]) if "rouge" in data else None
    return SampleScore(id_, type_, data["n_tools"], data["answered"], rouge, graph)


def overall_of_records(records: Iterable[TrialRecord]) -> dict[str, float]:
    """Return the metrics of strict mode over all scored samples of a run, whatever their graph.

    A metric that no sample has is left out.
    """
    group = aggregate([_score(record) for record in _scored(records)], STRICT)
    figures = {name: getattr(group, name) for name in (*METRICS, *ACCURACIES)}
    return {name: value for name, value in figures.items() if value is not None}


def run_taskeval(records: Iterable[TrialRecord]) -> dict[str, TaskEval]:
    """Return TaskEval in strict mode by tool graph, from what the records counted."""
    return {domain: _of_counts(domain, found) for domain, found in _by_domain(records).items()}


def _of_counts(domain: str, records: Sequence[TrialRecord]) -> TaskEval:
    scores = [_score(record) for record in records]
    kinds = [_fault_kinds(record) for record in records]
    unread = [PlanFaultKind.ANSWER_NOT_JSON in found or _unreadable(found) for found in kinds]
    missing = [
        not score.answered and not broken for score, broken in zip(scores, unread, strict=True)
    ]
    return TaskEval(
        mode=STRICT.name,
        graph=domain,
        groups=group_scores(scores, STRICT),
        counts={
            "gold": len(scores),
            "predictions": len(scores) - sum(missing),
            "scored": sum(score.graph is not None for score in scores),
            "missing": sum(missing),
            "unreadable": sum(unread),
            "faulty": sum(bool(found) for found in kinds),
        },
        faults=dict(Counter(kind for found in kinds for kind in found).most_common()),
    )


def _score(record: TrialRecord) -> SampleScore:
    assert record.graph is not None
    return unpack_score(record.graph["counts"], record.nodeid, record.graph.get("type") or "")


def _fault_kinds(record: TrialRecord) -> list[str]:
    """Return the kind of each fault; that there is no prediction is counted by itself."""
    assert record.graph is not None
    kinds = [str(fault).partition(":")[0] for fault in record.graph["faults"]]
    return [kind for kind in kinds if kind != PlanFaultKind.NO_PREDICTION]


def _unreadable(kinds: Iterable[str]) -> bool:
    return not STRICT.unreadable.isdisjoint(kinds)


def _by_domain(records: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    by_domain: dict[str, list[TrialRecord]] = {}
    for record in _scored(records):
        by_domain.setdefault(record.domain, []).append(record)
    return by_domain


def _scored(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    return [r for r in records if r.kind == "graph" and r.outcome == "scored" and r.graph]


class NamedCall(Protocol):
    """A tool call by name and arguments, as the annotation and the record have it."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The arguments."""
        ...


def tau_taskeval(
    gold: Sequence[NamedCall],
    executed: Sequence[ActionRecord],
    write_tools: Collection[str] | None = None,
) -> dict[str, float]:
    """Return node F1, edge F1, NED, t-F1 and v-F1 of a trial's write actions, by strict rules.

    Tools are the nodes, an edge leads from each action to the next, and arguments are the
    parameters. Only calls that succeeded are actions; a call that was refused changed nothing.

    Args:
        gold: The annotated actions.
        executed: The calls of the trial.
        write_tools: The names of write tools, by which annotated reads are left out; by default
            all annotated actions count.
    """
    wanted = [call for call in gold if write_tools is None or call.name in write_tools]
    done = [call for call in executed if call.ok and call.kind == "write"]
    mine, its = _plan(wanted), _plan(done)
    size = len(wanted) + len(done)
    matched = longest_match(mine.tools, mine.order, its.tools)
    return {
        "node_f1": count_multisets(mine.tools, its.tools).f1(1.0),
        "edge_f1": count_edges(mine, its, count_multisets).f1(1.0),
        "ned": 1 - 2 * matched / size if size else 0.0,
        "t_f1": count_names(mine, its, count_multisets).f1(1.0),
        "v_f1": count_values(mine, its, count_multisets).f1(1.0),
    }


def _plan(calls: Sequence[NamedCall]) -> Plan:
    tools = [call.name for call in calls]
    return Plan(
        tools=tools,
        links=[Link(*pair) for pair in pairwise(tools)],
        arguments=[
            [Argument(name, _text(value)) for name, value in (call.arguments or {}).items()]
            for call in calls
        ],
        order=list(pairwise(range(len(tools)))),
    )


def _text(value: Any) -> str:
    """Return a text that is the same for values that mean the same: 25 and 25.0."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, default=str)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


DISTANCES = ("node_f1", "edge_f1", "ned", "t_f1", "v_f1")
"""The metrics of a τ trial's write actions, by their names in records."""


@dataclass(frozen=True)
class Distance:
    """The means of the failed trials of one suite.

    Attributes:
        suite: The suite.
        failed: Scored trials of reward 0 whose write actions were compared.
        means: Mean of each metric over them.
    """

    suite: str
    failed: int
    means: dict[str, float]


def distance_of_failed(records: Iterable[TrialRecord]) -> list[Distance]:
    """Return how far the failed τ trials of each suite were, suites without any left out."""
    suites: dict[str, list[TrialRecord]] = {}
    for record in records:
        compared = record.metrics.keys() >= set(DISTANCES)
        if record.kind == "tau" and record.reward == 0 and compared:
            suites.setdefault(suite_label(record), []).append(record)
    return [_distance(suite, failed) for suite, failed in suites.items()]


def _distance(suite: str, failed: Sequence[TrialRecord]) -> Distance:
    means = {name: fmean(each.metrics[name] for each in failed) for name in DISTANCES}
    return Distance(suite, len(failed), means)
