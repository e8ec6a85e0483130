"""Which report a file's name asks for."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_taubench.errors import TauBenchError
from pytest_taubench.gates.decision import GateResult
from pytest_taubench.report.figures import RunFigures
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
    figures: RunFigures,
    records: Sequence[TrialRecord],
    gates: Sequence[GateResult] = (),
) -> str:
    """Return a run's report.

    Args:
        suffix: One of SUFFIXES.
        info: The run's settings.
        figures: Its figures.
        records: Its records, with the conversations that the page shows.
        gates: The decided gates.

    Raises:
        ReportNameError: The suffix is none of SUFFIXES.
    """
    check_report_name(suffix)
    if suffix == ".html":
        from pytest_taubench.report.html import render_html

        return render_html(info, figures, records, gates)
    if suffix == ".md":
        from pytest_taubench.report.markdown import render_markdown

        return render_markdown(info, figures, gates)
    from pytest_taubench.report.run_json import run_report

    return run_report(info, figures, gates).model_dump_json(indent=2)
