"""``--tau-stop-when-decided``: end the run once no trial to come can change a gate."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.node_ids import task_of_id
from pytest_taubench.plugin.finish.gating import EARLY
from pytest_taubench.plugin.options.values import OPTIONS

if TYPE_CHECKING:
    from pytest_taubench.gates.metric import Gate
    from pytest_taubench.plugin.finish.recorder import RunRecorder

STOP_FILE = "tau_stop_file"
"""Key of ``workerinput``: the file whose existence tells a worker to stop.

xdist asks a worker to end only behind the items it has been sent already.
"""

_LOOKS = 200
"""Roughly how often over a run the gates are looked at; each look reads all records."""


class EarlyStop:
    """Looks at the gates as records come in, and ends the run when all are settled."""

    def __init__(self, config: pytest.Config, recorder: RunRecorder) -> None:
        self._config = config
        self._recorder = recorder
        self._gates: list[Gate] = config.stash[OPTIONS]["gate"]
        self._error: float | None = config.stash[OPTIONS]["stop-error"]
        self._session: pytest.Session | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._reason = ""
        self._decided_after = 0
        self._others = 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the tests that are no trial: the gates do not decide those."""
        self._count(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Count them by what the workers collected."""
        self._count(ids)

    def _count(self, ids: Iterable[str]) -> None:
        self._others = sum(task_of_id(self._config, each) is None for each in ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session, which is what can be stopped, and make a place for the file."""
        self._session = session
        self._folder = tempfile.TemporaryDirectory(prefix="tau-stop-")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker which file to watch."""
        node.workerinput[STOP_FILE] = str(self._stop_file)

    def pytest_taubench_trial_finished(self) -> None:
        """Look at the gates, now that a record is in."""
        planned = self._recorder.complete_plan()
        total, done = sum(planned.values()), len(self._recorder.records)
        if self._reason or self._others or done >= total or done % max(1, total // _LOOKS):
            return
        from pytest_taubench.gates.outcome import is_settled

        records = self._recorder.records
        if all(is_settled(gate, records, planned, self._error) for gate in self._gates):
            self._decided_after = done
            self._stop(f"{EARLY} after {done} of {total} trials")

    def pytest_sessionfinish(self) -> None:
        """Remove the file."""
        if self._folder is not None:
            self._folder.cleanup()

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was saved, or what kept the run from ending early."""
        from pytest_taubench.gates.outcome import is_open_to_the_end

        total = sum(self._recorder.complete_plan().values())
        if not total:
            return
        saved = total - len(self._recorder.records)
        if self._reason:
            were = "1 trial was" if saved == 1 else f"{saved} trials were"
            under_way = len(self._recorder.records) - self._decided_after
            ended = f"{under_way} under way ended, " if under_way else ""
            terminalreporter.line(f"stopped early: {self._reason}; {ended}{were} not run")
        if self._others:
            are = "1 test is" if self._others == 1 else f"{self._others} tests are"
            terminalreporter.line(f"no early stop: {are} no trial, and to run in any case")
        for gate in filter(is_open_to_the_end, self._gates):
            terminalreporter.line(f"no early stop: only a whole run decides {gate.text!r}")

    @property
    def _stop_file(self) -> Path:
        assert self._folder is not None, "asked for before the session"
        return Path(self._folder.name) / "stop"

    def _stop(self, reason: str) -> None:
        self._reason = reason
        self._stop_file.touch()
        distributed = self._config.pluginmanager.getplugin("dsession")
        if distributed is not None:
            distributed.shouldstop = reason
        elif self._session is not None:
            self._session.shouldstop = reason


class StopWatch:
    """Ends a worker's session when the controller says that the run is decided."""

    def __init__(self, stop_file: str) -> None:
        self._stop_file = Path(stop_file)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Leave out an item of a run that is decided."""
        if not self._stop_file.exists():
            return None
        item.session.shouldstop = EARLY
        return True
