"""A run as one HTML file that needs no network: figures as markup, trials as data.

The template escapes all it is given. Trials are embedded as JSON in which no character can
end the script element, and the page's script puts their text in by ``textContent`` alone, so
that whatever an agent wrote stays text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.metrics import SuiteSummary, summarize, task_key
from pytest_taubench.metrics.breakdowns import by_ending, by_gold_writes, count_faults
from pytest_taubench.metrics.cost import cost_by_role
from pytest_taubench.metrics.gates import GateResult
from pytest_taubench.metrics.intervals import Interval
from pytest_taubench.metrics.permutation import shown_p
from pytest_taubench.report.baseline import Baseline
from pytest_taubench.report.comparison_text import detectable_line
from pytest_taubench.report.cost_text import cost_text
from pytest_taubench.report.html_data import page_data
from pytest_taubench.report.taskeval_table import count_line, title_of, tools_rows, type_rows
from pytest_taubench.schema import RunInfo, TrialRecord


def render_html(
    info: RunInfo,
    records: Sequence[TrialRecord],
    gates: Sequence[GateResult] = (),
    baseline: Baseline | None = None,
    taskeval: Sequence[Mapping[str, Any]] = (),
    warnings: Sequence[str] = (),
) -> str:
    """Return the report of a run.

    Args:
        info: The run's settings and versions.
        records: Its records.
        gates: The decided gates.
        baseline: A run to compare with.
        taskeval: TaskEval of each tool graph, as data.
        warnings: What is wrong with the files of the runs.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pytest_taubench.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    suites = summarize(records)
    comparison = baseline.compared(info, records) if baseline else None
    return environment.get_template("run.html.j2").render(
        info=info,
        gates=gates,
        suites=[_suite_view(suite) for suite in suites],
        comparison=comparison,
        baseline=baseline,
        costs=[(cost, cost_text(cost)) for cost in cost_by_role(records)],
        taskeval=[_taskeval_view(each) for each in taskeval],
        first_trials=_first_trials(records),
        detectable_line=detectable_line,
        shown_p=shown_p,
        faults=count_faults(records),
        breakdowns=[
            (name, groups)
            for name, groups in (
                ("gold writes", by_gold_writes(records)),
                ("ending", by_ending(records)),
            )
            if len(groups) > 1
        ],
        warnings=warnings,
        data=embedded_json(page_data(records, baseline, comparison)),
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


@dataclass(frozen=True)
class _SuiteView:
    summary: SuiteSummary
    interval: Interval | None
    curve: _Curve


def _suite_view(suite: SuiteSummary) -> _SuiteView:
    values = [(k, e.value) for k, e in suite.pass_hat.items() if e.value is not None]
    last = max((k for k, _ in values), default=1)
    points = [
        (k, value, 34 + (k - 1) * 190 / max(1, last - 1), 100 - 90 * value) for k, value in values
    ]
    return _SuiteView(suite, suite.interval(), _Curve(points))


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
