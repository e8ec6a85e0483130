"""Grades one plan anew: what was predicted then, by today's sample and tool graph."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pytest_taubench.regrade.verdict import TASK_CHANGED, Regraded
from pytest_taubench.schema import Sample, TrialRecord
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.plan import ANNOTATION_NOTE, grade_plan, sample_hash
from pytest_taubench.taskbench.prompt import gold_plan
from pytest_taubench.taskbench.taskeval import ACCURACIES, METRICS
from pytest_taubench.taskbench.taskeval.faults import FaultKind

_OF_READING = (FaultKind.ANSWER_EMPTY, FaultKind.ANSWER_NOT_JSON, FaultKind.ANSWER_TOO_LONG)
_SAME_TASK = (
    "the task is as it was, so the tool graph or the way of counting is another than it was"
)


def regrade_plan(record: TrialRecord, sample: Sample, graph: ToolGraph) -> Regraded:
    """Grade the stored plan of a sample's trial anew.

    Args:
        record: The trial's record.
        sample: Its sample of today.
        graph: The sample's tool graph of today.
    """
    if record.graph is None or "prediction" not in record.graph:
        return Regraded(record, record, ["kept: the record does not hold the predicted plan"])
    after = _ungraded(record, sample, graph)
    grade_plan(after, sample, graph)
    reasons = list(_differences(record, after))
    if record.graph.get("request") != sample.user_request:
        reasons.insert(0, "the plan answers the request as it was, which is another one now")
    if record.task_hash not in ("", after.task_hash):
        reasons.insert(0, TASK_CHANGED)
    elif reasons:
        reasons.insert(0, _SAME_TASK)
    return Regraded(record, after, reasons)


def _ungraded(record: TrialRecord, sample: Sample, graph: ToolGraph) -> TrialRecord:
    """Return a copy that holds what was asked and answered, and what the answer is graded by."""
    assert record.graph is not None
    unread = [fault for fault in _faults(record) if fault.partition(":")[0] in _OF_READING]
    held: dict[str, Any] = {
        **record.graph,
        "type": sample.type,
        "dependency": graph.dependency,
        "gold": gold_plan(sample),
        "faults": unread,
    }
    notes = [note for note in record.notes if not note.startswith(ANNOTATION_NOTE)]
    graded_by = {"domain": graph.name, "task_hash": sample_hash(sample)}
    return record.model_copy(update={"graph": held, "notes": notes, **graded_by})


def _differences(before: TrialRecord, after: TrialRecord) -> Iterator[str]:
    if before.domain != after.domain:
        yield f"the tool graph was {before.domain} and is {after.domain}"
    bars = [_bar(record) for record in (before, after)]
    if bars[0] != bars[1]:
        yield f"it passed by {bars[0]} and passes by {bars[1]}"
    if metrics := list(_metric_changes(before.metrics, after.metrics)):
        yield ", ".join(metrics)
    was, now = (Counter(_faults(record)) for record in (before, after))
    yield from (f"no longer a fault: {fault}" for fault in was - now)
    yield from (f"a fault now: {fault}" for fault in now - was)


def _metric_changes(before: dict[str, float], after: dict[str, float]) -> Iterator[str]:
    for name in (*METRICS, *ACCURACIES):
        was, now = before.get(name), after.get(name)
        if was is None and now is None:
            continue
        if was is None or now is None or not math.isclose(was, now, abs_tol=1e-9):
            yield f"{name} {_figure(was)} -> {_figure(now)}"


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _bar(record: TrialRecord) -> str:
    component = record.component("graph")
    bar = component.detail.get("bar") if component else None
    return f"{bar['metric']} >= {bar['at_least']:g}" if bar else "exactly gold's graph"


def _faults(record: TrialRecord) -> list[str]:
    return [str(fault) for fault in (record.graph or {}).get("faults", [])]
