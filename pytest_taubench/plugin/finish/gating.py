"""``--tau-gate`` and ``--tau-baseline``: gates decide the exit status, not single trials."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.options.values import (
    OPTIONS,
    OptionValues,
    given_on_command_line,
    origin_of,
)
from pytest_taubench.plugin.run.breaker import FATAL
from pytest_taubench.plugin.run.failure import TrialFailure
from pytest_taubench.plugin.run.transport import UNSCORED
from pytest_taubench.plugin.stash import LEFT_OUT
from pytest_taubench.text.foreign import printable

if TYPE_CHECKING:
    from pytest_taubench.gates.decision import GateResult
    from pytest_taubench.gates.metric import Gate
    from pytest_taubench.metrics.comparison import Baseline
    from pytest_taubench.plugin.finish.recorder import RunRecorder
    from pytest_taubench.schema import TrialRecord

NO_REGRESSION = "no regression"
"""The metric of a gate that a baseline decides."""

EARLY = "every gate is decided"
"""How the reason of an early stop begins; workers send it to the controller as text."""


def expect_failure(call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Show a trial that did not pass as an expected failure, since gates decide of the run."""
    if call.excinfo is not None and isinstance(call.excinfo.value, TrialFailure):
        _expected(report, str(call.excinfo.value))


def _expected(report: Any, reason: str) -> None:
    report.outcome = "skipped"
    report.wasxfail = printable(f"left to the gates: {reason}")


def baseline_of(config: pytest.Config) -> Baseline | None:
    """Return the run that ``--tau-baseline`` names, without conversations, where one is given.

    Raises:
        pytest.UsageError: It cannot be read.
    """
    name = config.stash[OPTIONS]["baseline"]
    if not name:
        return None
    from pytest_taubench.metrics.comparison import Baseline
    from pytest_taubench.plugin.options.stored import named_run, without_conversation
    from pytest_taubench.runs.store import StoreError
    from pytest_taubench.runs.stored_run import refuse_empty_baseline

    origin = origin_of(config, "baseline")
    stored = named_run(config, origin, name)
    try:
        refuse_empty_baseline(stored)
    except StoreError as error:
        raise pytest.UsageError(f"{origin}: {error}") from None
    records = [without_conversation(record) for record in stored.records]
    return Baseline(stored.folder.name, records, stored.info, stored.warnings)


class BaselineMissing:
    """Refuses a run that would compare with a run of the ini file that cannot be read.

    It is registered before ``RunPlan``, so that pytest calls it after that.
    """

    def __init__(self, recorder: RunRecorder, error: pytest.UsageError) -> None:
        self._recorder = recorder
        self._error = error

    def pytest_collection_finish(self) -> None:
        """Refuse it where trials are planned."""
        self._refuse()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Refuse it where the workers plan trials."""
        self._refuse()

    def _refuse(self) -> None:
        if self._recorder.planned:
            none = "--tau-baseline= on the command line compares with none"
            raise pytest.UsageError(f"{self._error}; {none}") from None

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Say it where a test in Python ran a task, of which no plan tells."""
        if self._recorder.records:
            terminalreporter.line(f"not compared: {self._error}")


def without_baseline(config: pytest.Config, values: OptionValues) -> OptionValues:
    """Return the values without the gates of the ini file that only a baseline decides.

    They are the project's, and meant for the runs that name one.
    """
    gates: list[Gate] = values["gate"]
    if values["baseline"] or given_on_command_line(config, "gate"):
        return values
    kept = [gate for gate in gates if gate.metric != NO_REGRESSION]
    if len(kept) < len(gates):
        config.stash[LEFT_OUT] = [gate.text for gate in gates if gate not in kept]
    return {**values, "gate": kept}


class GatesLeftOut:
    """Says which gates of the ini file do not count."""

    def __init__(self, recorder: RunRecorder, gates: list[str]) -> None:
        self._recorder = recorder
        self._gates = gates

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Say it where trials ran."""
        if self._recorder.records:
            named = ", ".join(map(repr, self._gates))
            terminalreporter.line(
                f"left out, as there is no --tau-baseline: {named} (tau_gate in the ini file)"
            )


class GatesOfRun:
    """The gates of a run, and what they are about.

    Args:
        config: The run's configuration, which holds the gates.
        recorder: The run's plan and records.
        baseline: The run to compare with, where one is given.
    """

    def __init__(
        self, config: pytest.Config, recorder: RunRecorder, baseline: Baseline | None
    ) -> None:
        self._config = config
        self._recorder = recorder
        self._baseline = baseline
        self._gates: list[Gate] = config.stash[OPTIONS]["gate"]


class GateKeeper(GatesOfRun):
    """Decides the gates once the run is over, and with them the exit status."""

    _refused = False

    @cached_property
    def results(self) -> list[GateResult]:
        """The decided gates; asked for when every record is in."""
        from pytest_taubench.gates.outcome import decide_all

        records: list[TrialRecord] = self._recorder.records
        before = None if self._baseline is None else self._baseline.records
        error = self._config.stash[OPTIONS]["stop-error"]
        return decide_all(self._gates, records, self._recorder.complete_plan(), before, error)

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, report: Any) -> None:
        """Leave a trial that a worker died in to the gates too."""
        if getattr(report, UNSCORED, False):
            _expected(report, str(report.longrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Set the exit status, unless pytest has a reason of its own to fail."""
        from pytest_taubench.gates.outcome import EXIT_CANNOT_TELL, exit_status

        self._refused = session.exitstatus == pytest.ExitCode.USAGE_ERROR
        if self._has_nothing_to_decide():
            return
        reason = stop_reason(session)
        stopped = reason.startswith((EARLY, FATAL)) and not session.testsfailed
        if session.exitstatus == pytest.ExitCode.OK or (
            session.exitstatus == pytest.ExitCode.INTERRUPTED and stopped
        ):
            status = exit_status(self.results)
            if reason.startswith(FATAL):  # what holds so far says nothing of the agent
                status = status or EXIT_CANNOT_TELL
            session.exitstatus = status or int(bool(self._recorder.problems))

    def _has_nothing_to_decide(self) -> bool:
        """Return whether no trial was planned, and nobody asked for gates on this very run."""
        recorder = self._recorder
        meant = bool(recorder.planned or recorder.records or recorder.skipped_for_no_agent)
        return not (meant or given_on_command_line(self._config, "gate"))

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Print each gate with its decision, where there was a run to decide on."""
        if self._refused or self._has_nothing_to_decide():
            return
        from pytest_taubench.report.terminal import gates_text

        writer = self._config.get_terminal_writer()
        text = gates_text(self.results, width=writer.fullwidth, color=writer.hasmarkup)
        terminalreporter.write(text)
        if self._config.stash[OPTIONS]["shard"]:
            terminalreporter.line("the gates were decided on this shard alone")


class BaselineSummary:
    """Prints what changed since the baseline, by the margin that the gates give."""

    def __init__(
        self, recorder: RunRecorder, baseline: Baseline, gates: Sequence[Gate] = ()
    ) -> None:
        self._recorder = recorder
        self._baseline = baseline
        whole = [gate.bound for gate in gates if gate.metric == "no regression"]
        self._margin = max(whole, default=0.0)

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the comparison."""
        if not self._recorder.records:
            return
        from pytest_taubench.report.wording import run_comparison_lines

        store = self._recorder.store
        info = store.info if store else None
        comparison = self._baseline.compared(self._recorder.records, info, self._margin)
        margin = f" (margin {self._margin:g})" if self._margin else ""
        terminalreporter.line(f"against {self._baseline.name}: {comparison.verdict}{margin}")
        terminalreporter.line(printable(f"  made {self._baseline.made(info)}"))
        for warning in self._baseline.warnings:
            terminalreporter.line(f"  warning: {warning}")
        for line in run_comparison_lines(comparison):
            terminalreporter.line(printable(f"  {line}"))


def stop_reason(session: pytest.Session) -> str:
    """Return why the run was cut short, or an empty text; under xdist its controller knows."""
    distributed = session.config.pluginmanager.getplugin("dsession")
    reason = session.shouldstop or getattr(distributed, "shouldstop", False)
    return reason if isinstance(reason, str) else ""
