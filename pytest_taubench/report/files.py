"""Which report a file's name asks for, and how it gets there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

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


def write_report(path: Path, text: str) -> None:
    """Write a report in one step: where that fails, on a full disk say, the old one stays.

    Raises:
        OSError: It cannot be written.
    """
    path = path.resolve()  # a link goes on to point where it did
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():  # a pipe or a device, which nothing can replace
        path.write_text(text, encoding="utf-8")
        return
    draft = NamedTemporaryFile(  # noqa: SIM115 - closed before it takes the report's place
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    )
    try:
        with draft:
            draft.write(text)
            draft.flush()
            os.fsync(draft.fileno())
        os.chmod(draft.name, path.stat().st_mode & 0o777 if path.exists() else _usual_mode())
        os.replace(draft.name, path)
    except BaseException:
        Path(draft.name).unlink(missing_ok=True)
        raise


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
