"""TaskEval from the records of a run, by what was counted when they were made.

Each trial counts as a sample of its own; a trial that infrastructure broke counts nowhere, and
one whose answer could not be read scores 0 in strict mode.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_taubench.schema import TrialRecord
from pytest_taubench.taskbench.stored_score import unpack_score
from pytest_taubench.taskbench.taskeval import ACCURACIES, METRICS, TaskEval
from pytest_taubench.taskbench.taskeval.faults import FaultKind
from pytest_taubench.taskbench.taskeval.result import aggregate, group_scores
from pytest_taubench.taskbench.taskeval.sample import SampleScore
from pytest_taubench.taskbench.taskeval.strict import STRICT


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
    unread = [FaultKind.ANSWER_NOT_JSON in found or _unreadable(found) for found in kinds]
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
    return [kind for kind in kinds if kind != FaultKind.NO_PREDICTION]


def _unreadable(kinds: Iterable[str]) -> bool:
    return not STRICT.unreadable.isdisjoint(kinds)


def _by_domain(records: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    by_domain: dict[str, list[TrialRecord]] = {}
    for record in _scored(records):
        by_domain.setdefault(record.domain, []).append(record)
    return by_domain


def _scored(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    return [r for r in records if r.kind == "graph" and r.outcome == "scored" and r.graph]
