"""``--tau-report``, and what a run under GitHub Actions shows there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.options.values import OPTIONS
from pytest_taubench.text.foreign import under_actions

if TYPE_CHECKING:
    from pytest_taubench.metrics.comparison import Baseline
    from pytest_taubench.plugin.finish.gating import GateKeeper
    from pytest_taubench.plugin.finish.recorder import RunRecorder
    from pytest_taubench.report.figures import RunFigures
    from pytest_taubench.schema import RunInfo, TrialRecord

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


def wants_reports(config: pytest.Config, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the run has anything to write beside its terminal summary."""
    return bool(
        config.stash[OPTIONS]["report"] or environ.get(STEP_SUMMARY) or under_actions(environ)
    )


class Reports:
    """Writes the reports when the run is stored and its gates are decided."""

    def __init__(
        self,
        config: pytest.Config,
        recorder: RunRecorder,
        gates: GateKeeper | None,
        baseline: Baseline | None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._config = config
        self._recorder = recorder
        self._gates = gates
        self._baseline = baseline
        self._environ = environ
        self._lines: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the reports; one that cannot be written keeps the run from being a success."""
        if self._recorder.store is None:
            return
        for path, write in self._targets():
            try:
                write(path)
            except OSError as error:
                self._lines.append(f"the report is not written: {error}")
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Say where the reports are, and print annotations for GitHub."""
        for line in self._lines:
            terminalreporter.line(line)
        if not under_actions(self._environ):
            return
        from pytest_taubench.report.markdown import github_annotations

        for line in github_annotations(self._recorder.records):
            terminalreporter.line(line)

    def _targets(self) -> Iterator[tuple[Path, Callable[[Path], None]]]:
        for name in self._config.stash[OPTIONS]["report"]:
            yield self._config.invocation_params.dir / name, self._write
        if summary := self._environ.get(STEP_SUMMARY):
            yield Path(summary), self._append

    def _write(self, path: Path) -> None:
        from pytest_taubench.report.files import write_report

        write_report(path, self._text(path.suffix))
        self._lines.append(f"report written to {path}")

    def _append(self, path: Path) -> None:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(self._text(".md"))

    def _text(self, suffix: str) -> str:
        from pytest_taubench.report.files import report_text

        info, records = self._whole_run() if suffix == ".html" else self._run()
        results = self._gates.results if self._gates else ()
        return report_text(suffix, info, self._figures, records, results)

    @cached_property
    def _figures(self) -> RunFigures:
        """The figures of all reports; asked for when every record is in."""
        from pytest_taubench.report.figures import run_figures

        info, records = self._run()
        warnings = self._baseline.warnings if self._baseline else ()
        return run_figures(records, info, self._baseline, warnings)

    def _run(self) -> tuple[RunInfo, list[TrialRecord]]:
        assert self._recorder.store is not None
        return self._recorder.store.info, self._recorder.records

    def _whole_run(self) -> tuple[RunInfo, list[TrialRecord]]:
        """Return the run with its conversations, which are on disk alone.

        A trial that could not be stored is there without its own.
        """
        from pytest_taubench.runs.store import StoreError, read_run

        info, records = self._run()
        assert self._recorder.store is not None
        try:
            info, stored, _ = read_run(self._recorder.store.folder)
        except StoreError:  # a problem that the run names
            stored = []
        known = {record.nodeid for record in stored}
        return info, [*stored, *(each for each in records if each.nodeid not in known)]
