"""Keeps the run: takes records from reports, stores them, and tells of them at the end."""

from __future__ import annotations

import platform
import subprocess
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.options.stored import without_conversation
from pytest_taubench.plugin.options.tables import DEFAULT_RUN_DIR
from pytest_taubench.plugin.options.values import OPTIONS, run_dir, run_settings
from pytest_taubench.plugin.run import transport
from pytest_taubench.plugin.run.agent_and_user import NO_AGENT
from pytest_taubench.plugin.run.models import folder_of
from pytest_taubench.text.foreign import without_commands

if TYPE_CHECKING:
    from pytest_taubench.runs.store import RunStore
    from pytest_taubench.schema import RunInfo, TrialRecord

_SECONDS_FOR_GIT = 5


def versions() -> dict[str, str]:
    """Return the versions of Python, pytest and this package."""
    try:
        own = version("pytest-taubench")
    except PackageNotFoundError:  # run from a source tree that was never installed
        own = "unknown"
    return {
        "python": platform.python_version(),
        "pytest": pytest.__version__,
        "pytest-taubench": own,
    }


def git_commit(folder: Path) -> str | None:
    """Return the commit of the repository the folder is in, or None where there is none."""
    return _git(folder, "rev-parse", "HEAD") or None


def is_dirty(folder: Path) -> bool | None:
    """Return whether tracked files differ from the commit; None where there is none."""
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return None if changed is None else bool(changed)


def _git(folder: Path, *command: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *command],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS_FOR_GIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


_NAMED = 20


class RunRecorder:
    """Takes the records of a run as their reports come in.

    Attributes:
        records: The records so far, each without its conversation and database records, which
            are on disk: a large run would not fit in memory.
        store: Where they are written, once there is one.
        problems: What a reader of the run must know, e.g. that it could not be stored.
        ran_again: Items that something ran again, such as a plugin that repeats failed tests.
        skipped_for_no_agent: Trials that were skipped because there was no agent.
        fields: Further fields of ``run.json``, from those who know them.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.records: list[TrialRecord] = []
        self.store: RunStore | None = None
        self.problems: list[str] = []
        self.skipped_for_no_agent = 0
        self.fields: dict[str, Any] = {}
        self._unstored: dict[str, list[str]] = {}
        self._unrecorded: dict[str, list[str]] = {}
        self.ran_again: set[str] = set()
        self._taken: dict[str, float] = {}
        self._seen: set[str] = set()
        self._replaceable: set[str] = set()

    @property
    def planned(self) -> dict[str, int]:
        """Trials planned a task, as far as the collection told."""
        planned: dict[str, int] = self.fields.get("planned", {})
        return planned

    def complete_plan(self) -> dict[str, int]:
        """Return the plan with the tasks that Python tests ran."""
        from pytest_taubench.runs.stored_run import complete_plan

        return complete_plan(self.planned, self.records)

    def set_fields(self, **fields: Any) -> None:
        """Set fields of ``run.json``, which is written again where it is there already."""
        self.fields |= fields
        if self.store is not None:
            with suppress(OSError):  # it is written again when the store is closed
                self.store.update(**fields)

    def adopt(self, store: RunStore, records: list[TrialRecord]) -> None:
        """Go on with a stored run; its unscored records stand until a new one comes."""
        self.store = store
        self.fields["planned"] = store.info.planned
        for record in records:
            known = self._seen if record.outcome == "scored" else self._replaceable
            known.add(record.nodeid)
            self.records.append(without_conversation(record))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take the records that a report carries."""
        if getattr(report, transport.RAN_AGAIN, False):
            self.ran_again.add(report.nodeid)
        for record in transport.take_records(report):
            self.take(record)
        for nodeid, why in transport.unrecorded_in(report):
            self._unrecorded.setdefault(why, []).append(nodeid)
        if report.skipped and NO_AGENT in str(report.longrepr):
            self.skipped_for_no_agent += 1
        if hasattr(report, transport.RECORDS):
            report.sections = [(name, without_commands(text)) for name, text in report.sections]
        headline = getattr(report, transport.HEADLINE, None)
        if headline is not None and isinstance(report.longrepr, str):
            from pytest_taubench.plugin.run.failure import FailureText

            report.longrepr = FailureText(report.longrepr, headline, report.location[0])

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """Give the trial that a worker died in an unscored record."""
        from pytest_taubench.plugin.run.transport import crash_record

        if crashitem in self._seen:
            return  # the worker died after it had reported the trial
        record = crash_record(self.config, crashitem, str(report.longrepr), report.node)
        if record is not None:
            transport.put_record(report, record)

    def take(self, record: TrialRecord) -> None:
        """Store a record and tell the hook of it; a second one of the same trial is left out."""
        if self._taken.get(record.nodeid) == record.started:
            return  # the same report came twice: plugins that repeat tests say it before and after
        if record.nodeid in self._seen:
            self.problems.append(f"a second record of {record.nodeid} was left out")
            return
        self._seen.add(record.nodeid)
        self._taken[record.nodeid] = record.started
        self._write(record)
        if record.nodeid in self._replaceable:
            self.records = [each for each in self.records if each.nodeid != record.nodeid]
        self.records.append(without_conversation(record))
        self.config.hook.pytest_taubench_trial_finished(config=self.config, record=record)

    def _write(self, record: TrialRecord) -> None:
        if self.store is None and self._unstored:  # there is no place for a run
            next(iter(self._unstored.values())).append(record.nodeid)
            return
        try:
            self.store = self.store or self._new_store(record.agent)
            self.store.append(record)
        except OSError as error:
            self._unstored.setdefault(str(error), []).append(record.nodeid)

    def store_empty(self) -> None:
        """Store the run although no trial ran: of a part, ``merge`` must know that it did."""
        try:
            self.store = self._new_store("")
        except OSError as error:
            self.problems.append(f"the run is not stored: {error}")

    def _new_store(self, ran: str) -> RunStore:
        from pytest_taubench.runs.store import RunStore, new_run_folder

        now = time.time()
        values = self.config.stash[OPTIONS]
        stamp = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(now))
        agent = values["agent"] or ran
        parent = run_dir(self.config, values)
        if values["run-dir"] == DEFAULT_RUN_DIR and not parent.exists():
            _make_ignored(parent)
        folder = new_run_folder(parent, f"{stamp}-{agent}")
        return RunStore.create(folder, self._info(folder.name, agent, now))

    def _info(self, run_id: str, agent: str, now: float) -> RunInfo:
        from pytest_taubench.schema import RunInfo
        from pytest_taubench.text.secrets import without_secrets

        settings = without_secrets(run_settings(self.config.stash[OPTIONS]))
        return RunInfo(
            run_id=run_id,
            started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
            settings=settings.model_copy(update={"agent": agent}),
            versions=versions(),
            commit=git_commit(self.config.rootpath),
            dirty=is_dirty(self.config.rootpath),
            **self.fields,
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Close the store; a run that could not be kept does not count as a success."""
        self._close()
        if self.problems and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _close(self) -> None:
        for error, trials in self._unstored.items():
            self.problems.append(f"{_are('trial', trials)} not stored: {error}: {_named(trials)}")
        for why, trials in self._unrecorded.items():
            kept = f"not kept in {folder_of(self.config, 'record')}"
            self.problems.append(f"{_are('recording', trials)} {kept}: {why}: {_named(trials)}")
        try:
            if self.store is not None:
                self.store.close()
        except OSError as error:
            if str(error) not in self._unstored:
                self.problems.append(f"the run is not stored whole: {error}")


def _are(what: str, trials: list[str]) -> str:
    return f"1 {what} is" if len(trials) == 1 else f"{len(trials)} {what}s are"


def _named(trials: list[str]) -> str:
    more = f" and {len(trials) - _NAMED} more" if len(trials) > _NAMED else ""
    return f"{', '.join(trials[:_NAMED])}{more}"


def _make_ignored(folder: Path) -> None:
    """Make a folder that git leaves alone, as pytest does with its cache."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("# Made by pytest-taubench.\n*\n", encoding="utf-8")
