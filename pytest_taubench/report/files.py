"""Which report a file's name asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_taubench.errors import TauBenchError
from pytest_taubench.gates.decision import GateResult
from pytest_taubench.report.comparison_text import Baseline
from pytest_taubench.schema import RunInfo, TrialRecord

SUFFIXES = (".html", ".md", ".json")


class ReportNameError(TauBenchError):
    """A report's file name has no ending that says what it is."""


def check_report_name(name: str) -> None:
    """Raise ReportNameError where the name ends on none of SUFFIXES."""
    if not name.endswith(SUFFIXES):
        raise ReportNameError(
            f"report {name!r}: expected a name that ends on {', '.join(SUFFIXES)}"
        )


def report_text(
    suffix: str,
    info: RunInfo,
    records: Sequence[TrialRecord],
    gates: Sequence[GateResult] = (),
    baseline: Baseline | None = None,
    taskeval: Sequence[Mapping[str, Any]] = (),
    warnings: Sequence[str] = (),
) -> str:
    """Return a run's report.

    Args:
        suffix: One of SUFFIXES.
        info: The run's settings.
        records: Its records.
        gates: The decided gates.
        baseline: A run to compare with.
        taskeval: TaskEval of each tool graph, as data.
        warnings: What is wrong with the files of the runs.

    Raises:
        ReportNameError: The suffix is none of SUFFIXES.
    """
    check_report_name(suffix)
    if suffix == ".html":
        from pytest_taubench.report.html import render_html

        return render_html(info, records, gates, baseline, taskeval, warnings)
    comparison = baseline.compared(info, records) if baseline else None
    if suffix == ".md":
        from pytest_taubench.report.markdown import render_markdown

        return render_markdown(info, records, gates, comparison, taskeval, warnings)
    from pytest_taubench.report.run_json import run_report

    report = run_report(info, records, gates, comparison, taskeval, warnings)
    return report.model_dump_json(indent=2)
