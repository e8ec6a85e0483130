"""A run as one HTML file that needs no network: figures as markup, trials as data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.environment.compare import differences, short
from pytest_taubench.gates.decision import GateResult
from pytest_taubench.metrics import SuiteSummary, suite_label, task_key
from pytest_taubench.metrics.comparison import Baseline
from pytest_taubench.metrics.significance import shown_p
from pytest_taubench.report import plan_comparison
from pytest_taubench.report.figures import RunFigures
from pytest_taubench.report.taskeval_table import count_line, title_of, tools_rows, type_rows
from pytest_taubench.report.wording import cost_text, detectable_line
from pytest_taubench.schema import Component, Message, RecordChange, RunInfo, TrialRecord

_START = RecordChange()


def page_data(records: Sequence[TrialRecord], figures: RunFigures) -> dict[str, Any]:
    """Return what the page's script shows: the trials, and how their tasks fared before.

    Args:
        records: The run's records.
        figures: Its figures.
    """
    comparison = figures.comparison
    return {
        "trials": [_trial(record) for record in sorted(records, key=_reading_order)],
        "baseline": _rates(figures.baseline) if figures.baseline else None,
        "changed": {
            task: kind
            for kind in ("broke", "mended", "flicker")
            for task in (getattr(comparison, kind) if comparison else ())
        },
    }


def _reading_order(record: TrialRecord) -> tuple[object, ...]:
    """Order as a person counts, task-2 before task-10; records come as workers finish."""
    parts = re.split(r"(\d+)", task_key(record))
    return (
        suite_label(record),
        tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts),
        record.trial,
    )


def _rates(baseline: Baseline) -> dict[str, list[int]]:
    return {t.task: [t.c, t.n] for suite in baseline.suites for t in suite.by_task}


def _trial(record: TrialRecord) -> dict[str, Any]:
    outputs = record.component("outputs")
    return {
        "id": record.nodeid,
        "task": task_key(record),
        "name": record.task_id,
        "suite": suite_label(record),
        "trial": record.trial,
        "result": _result(record),
        "reward": record.reward,
        "ending": str(record.ending),
        "steps": record.steps,
        "seconds": round(record.duration, 2),
        "cost": _cost(record),
        "error": record.error.model_dump() if record.error else None,
        "notes": record.notes,
        "components": [[c.name, c.value, _remark(c)] for c in record.components],
        "found": outputs.detail.get("found", []) if outputs else [],
        "missing": outputs.detail.get("missing", []) if outputs else [],
        "changes": _change_rows(record),
        "attribution": record.attribution.model_dump(mode="json") if record.attribution else None,
        "plan": _plan(record),
        "messages": [_message(message) for message in record.trajectory],
    }


def _remark(component: Component) -> str:
    if not component.detail.get("counted", True):
        return "not counted"
    return "nothing to grade" if component.vacuous else ""


def _plan(record: TrialRecord) -> dict[str, Any] | None:
    if record.graph is None:
        return None
    nodes, links = plan_comparison.plan_rows(record)
    gold, predicted = (record.graph.get(name) for name in ("gold", "prediction"))
    return {
        "request": record.graph.get("request"),
        "differences": plan_comparison.differences(record),
        "nodes": [[*row, row.same] for row in nodes],
        "links": [[*row, row.same] for row in links],
        "faults": record.graph.get("faults", []),
        "metrics": [[name, round(value, 4)] for name, value in record.metrics.items()],
        "gold": gold,
        "predicted": predicted,
    }


def _result(record: TrialRecord) -> str:
    if record.outcome == "unscored":
        return "unscored"
    return "passed" if record.reward == 1 else "failed"


def _cost(record: TrialRecord) -> float | None:
    known = [usage.cost for usage in record.usage.values() if usage.cost is not None]
    return sum(known) if known else None


def _message(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "name": message.name,
        "text": message.content,
        "thought": message.thought,
        "calls": [
            [call.function.name, call.function.arguments] for call in message.tool_calls or ()
        ],
    }


def _change_rows(record: TrialRecord) -> list[list[Any]]:
    """Return record, field, start, expected, actual and whether the last two are the same."""
    rows = []
    expected, actual = record.expected_changes, record.actual_changes
    for table in dict.fromkeys([*expected, *actual]):
        wanted, found = expected.get(table, {}), actual.get(table, {})
        for key in dict.fromkeys([*wanted, *found]):
            rows += _record_rows(f"{table}/{key}", wanted.get(key), found.get(key))
    return rows


def _record_rows(
    place: str, wanted: RecordChange | None, found: RecordChange | None
) -> list[list[Any]]:
    start = (wanted or found or _START).before
    sides = [_by_path(start, side) for side in (wanted, found)]
    paths = dict.fromkeys([*sides[0], *sides[1]])
    rows = []
    for path in paths:
        before = next(side[path][0] for side in sides if path in side)
        after = [side[path][1] if path in side else "" for side in sides]
        rows.append([place, path, before, *after, after[0] == after[1]])
    return rows


def _by_path(start: Any, change: RecordChange | None) -> Mapping[str, tuple[str, str]]:
    if change is None:
        return {}
    return {
        each.path: (short(each.before, 400), short(each.after, 400))
        for each in differences(start, change.after)
    }


def render_html(
    info: RunInfo,
    figures: RunFigures,
    records: Sequence[TrialRecord],
    gates: Sequence[GateResult] = (),
) -> str:
    """Return the report of a run.

    Args:
        info: The run's settings and versions.
        figures: Its figures.
        records: Its records, of which the page shows each trial.
        gates: The decided gates.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pytest_taubench.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("run.html.j2").render(
        info=info,
        gates=gates,
        figures=figures,
        curves=[_curve(suite) for suite in figures.suites],
        costs=[(cost, cost_text(cost)) for cost in figures.costs],
        taskeval=[_taskeval_view(each) for each in figures.taskeval],
        first_trials=_first_trials(records),
        detectable_line=detectable_line,
        shown_p=shown_p,
        data=embedded_json(page_data(records, figures)),
    )


def embedded_json(data: Any) -> str:
    """Return JSON that may stand inside a script element, whatever texts it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # A lone surrogate, which JSON text may hold, cannot be written as UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class _Curve:
    """pass^k over k as points of an SVG of 240 by 120."""

    points: list[tuple[int, float, float, float]]

    @property
    def path(self) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for _, _, x, y in self.points)


def _curve(suite: SuiteSummary) -> _Curve:
    values = [(k, e.value) for k, e in suite.pass_hat.items() if e.value is not None]
    last = max((k for k, _ in values), default=1)
    points = [
        (k, value, 34 + (k - 1) * 190 / max(1, last - 1), 100 - 90 * value) for k, value in values
    ]
    return _Curve(points)


def _first_trials(records: Sequence[TrialRecord]) -> dict[str, str]:
    """Return the trial that a task's name links to: the first that did not pass, else the first."""
    found: dict[str, TrialRecord] = {}
    for record in sorted(records, key=lambda record: record.trial):
        known = found.setdefault(task_key(record), record)
        if known.reward == 1 and record.reward != 1:
            found[task_key(record)] = record
    return {task: record.nodeid for task, record in found.items()}


def _taskeval_view(result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "title": title_of(result),
        "counts": count_line(result["counts"], result["mode"]),
        "types": type_rows(result["groups"]),
        "sizes": tools_rows(result["groups"]),
        "faults": result.get("faults", {}),
    }
