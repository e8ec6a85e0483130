"""Runs the trials of a process: the one an item reports, and some that follow it."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from typing import Any, Protocol

import pytest

from pytest_taubench.agents.loading import AgentSource, AgentSpecError, adapt_agent
from pytest_taubench.errors import FatalError, TauBenchError
from pytest_taubench.plugin.collect.planned import Planned
from pytest_taubench.plugin.collect.samples import PlannedSample
from pytest_taubench.plugin.options.values import OPTIONS, fault_model, run_settings
from pytest_taubench.plugin.run.breaker import FATAL, Breaker
from pytest_taubench.plugin.run.demonstrations import Demonstrations
from pytest_taubench.plugin.run.engine import Engine, EngineEndedError
from pytest_taubench.plugin.run.fault_model import FaultModel
from pytest_taubench.plugin.run.fingerprints import NotedDomains
from pytest_taubench.plugin.run.models import RunModels
from pytest_taubench.plugin.stash import RUNNER, worker_id
from pytest_taubench.schema import Ending, TrialRecord
from pytest_taubench.text.environment_keys import environment_keys, without_keys
from pytest_taubench.text.foreign import printable
from pytest_taubench.text.secrets import scrubbed
from pytest_taubench.trial.episode import describe_error
from pytest_taubench.trial.tau_trial import GoldStates, run_trial
from pytest_taubench.users.loading import UserSource, adapt_user


class Reporter(Protocol):
    """What the runner asks of the item that reports a trial."""

    session: pytest.Session

    @property
    def nodeid(self) -> str:
        """What names the trial in the run."""

    def planned(self) -> Planned:
        """Return the trial the item stands for."""

    def upcoming(self, reach: int) -> Iterator[Reporter]:
        """Return the trials among the next items that may start before their turn."""


_SECONDS_DEAF = 0.2
"""How long the main thread waits at a stretch: where another thread gets the signal, and on
Windows, Ctrl-C does not interrupt the wait for a lock."""


def runner_of(config: pytest.Config) -> TrialRunner:
    """Return the process's runner, made on first use."""
    if RUNNER not in config.stash:
        config.stash[RUNNER] = TrialRunner(config)
    runner: TrialRunner = config.stash[RUNNER]
    return runner


class TrialRunner:
    """Starts trials on the engine and hands each record to the item that reports it.

    Attributes:
        domains: What the domains of its trials are made of.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.domains = NotedDomains(config.rootpath)
        self._config = config
        self._engine = Engine()
        self._settings = run_settings(config.stash[OPTIONS])
        self._fault_model = FaultModel(fault_model(config.stash[OPTIONS]))
        self._at_a_time: int = config.stash[OPTIONS]["concurrency"]
        self._gold_states = GoldStates()
        self._models = RunModels(config)
        self._demonstrations = Demonstrations(config)
        self._breaker = Breaker()
        self._started: dict[str, Future[TrialRecord]] = {}
        self._unrecorded: list[tuple[str, str]] = []
        self._hopeless = ""
        self._ahead = 0

    def run(self, item: Reporter, agent: object, user: object) -> TrialRecord:
        """Return the record of an item's trial, started before or now."""
        sources = adapt_agent(agent), adapt_user(user)
        self._models.prepare(item.session)
        planned = item.planned()
        future = self._started.pop(item.nodeid, None) or self._start(planned, *sources)
        while not future.done() and self._engine.alive:
            if self._at_a_time > 1:
                self._start_followers(item, *sources)
            self._wait_a_little([future, *self._running()])
        return self._result(future, planned, item.session)

    def run_one(
        self, planned: Planned, agent: object, user: object, session: pytest.Session
    ) -> TrialRecord:
        """Return the record of a trial that no item stands for."""
        self._models.prepare(session)
        future = self._start(planned, adapt_agent(agent), adapt_user(user))
        while not future.done() and self._engine.alive:
            self._wait_a_little([future])
        return self._result(future, planned, session)

    def add_metrics(self, record: TrialRecord) -> None:
        """Add the figures that the metrics hook computes; the first of a name stands."""
        for figures in self._config.hook.pytest_taubench_metrics(record=record):
            for name, value in figures.items():
                if name in record.metrics:
                    record.notes.append(f"metric {name!r} was given twice; the first is kept")
                record.metrics.setdefault(name, value)

    def take_unrecorded(self) -> list[tuple[str, str]]:
        """Return the trials, since the last call, whose recording is not kept, each with why."""
        taken, self._unrecorded = self._unrecorded, []
        return taken

    def close(self) -> None:
        """Cancel the trials that were started ahead and end the engine."""
        self._engine.close()
        self._models.close()

    def _start_followers(self, item: Reporter, agent: AgentSource, user: UserSource) -> None:
        """Keep the engine busy while ``item`` is waited for.

        What is started may never be reported, should the run end here, so that no more than
        twice what runs at a time is ahead of its item.
        """
        if self._hopeless:
            return
        for follower in item.upcoming(self._at_a_time * 2):
            if len(self._running()) + 1 >= self._at_a_time:
                return
            if follower.nodeid not in self._started:
                self._started[follower.nodeid] = self._start(follower.planned(), agent, user)

    def _wait_a_little(self, futures: Sequence[Future[TrialRecord]]) -> None:
        try:
            wait(futures, _SECONDS_DEAF, FIRST_COMPLETED)
        except KeyboardInterrupt:
            self.close()  # before pytest takes its time to describe where it was interrupted
            raise

    def _waited(self, future: Future[TrialRecord]) -> TrialRecord:
        if not future.done() and not self._engine.alive:
            raise EngineEndedError("the thread that runs trials has ended")
        return future.result()

    def _running(self) -> list[Future[TrialRecord]]:
        return [future for future in self._started.values() if not future.done()]

    def _start(self, planned: Planned, agent: AgentSource, user: UserSource) -> Future[TrialRecord]:
        try:
            trial = self._coroutine(planned, agent, user)
        except Exception as error:
            failed: Future[TrialRecord] = Future()
            failed.set_exception(error)
            return failed
        return self._engine.submit(trial)

    def _coroutine(
        self, planned: Planned, agent: AgentSource, user: UserSource
    ) -> Coroutine[Any, Any, TrialRecord]:
        if isinstance(planned, PlannedSample):
            shown = self._demonstrations.of(planned.collected)
            sample = planned.spec(self._settings, shown)
            self.domains.note(planned.collected, planned.nodeid)
            return planned.run(replace(sample, options=self._models.options(planned)), agent)
        spec = planned.spec(self._settings)
        self.domains.note(planned.collected, planned.nodeid)
        asked = self._fault_model.settings
        spec = replace(spec, options=self._models.options(planned), fault_model=asked)
        return run_trial(spec, self._models.agent(agent), user, self._gold_states)

    def _result(
        self, future: Future[TrialRecord], planned: Planned, session: pytest.Session
    ) -> TrialRecord:
        try:
            record = self._waited(future)
        except (AgentSpecError, KeyboardInterrupt, pytest.exit.Exception):
            raise  # an agent of the wrong kind was given: there is no trial to keep a record of
        except BaseException as error:
            if isinstance(error, FatalError) and not self._hopeless:
                # What was started ahead is reported first: it may be done, and was paid for.
                self._hopeless, self._ahead = f"{FATAL}: {error}", len(self._started) + 1
            record = self._left_of(planned, error)
        if why := self._models.why_not_recorded(planned):
            self._unrecorded.append((planned.nodeid, why))
        self._fault_model.take(record)
        if reason := self._breaker.take(record, session.items) or self._out_of_hope():
            session.shouldstop = scrubbed(printable(reason), environment_keys())  # pytest prints it
        record.notes = [*planned.collected.notes, *record.notes]
        record.worker = worker_id(self._config)
        # Here, since files, reports and terminal are all made of what this returns.
        return without_keys(record, environment_keys())

    def _left_of(self, planned: Planned, error: BaseException) -> TrialRecord:
        """Return the record of a trial that ended by an error: what it was up to there, if known."""
        if isinstance(error, FatalError) and isinstance(error.record, TrialRecord):
            return error.record
        return planned.unscored(self._settings, _ending(error), describe_error(error))

    def _out_of_hope(self) -> str:
        """Return why the run ends, once what had been started when that was known is reported."""
        self._ahead -= bool(self._hopeless)
        return self._hopeless if self._ahead <= 0 else ""


def _ending(error: BaseException) -> Ending:
    """Return the ending of a trial of which only its error is left."""
    if isinstance(error, EngineEndedError):
        return Ending.WORKER_CRASH
    if isinstance(error, FatalError):
        return Ending.MODEL_ERROR
    # Of code that was not expected to raise anything else: a tool that exits, say.
    return Ending.TASK_ERROR if isinstance(error, TauBenchError) else Ending.ENVIRONMENT_ERROR
