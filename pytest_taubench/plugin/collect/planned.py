"""A trial before it runs, of a task or of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_taubench.plugin.collect.samples import CollectedSample, PlannedSample
from pytest_taubench.plugin.collect.tasks import Collected, CollectedTask
from pytest_taubench.schema import Ending, ErrorInfo, RunSettings, TrialRecord
from pytest_taubench.trial.tau_trial import TrialSpec, task_hash


@dataclass(frozen=True)
class PlannedTrial:
    """A trial that has not run yet.

    Attributes:
        collected: The task.
        nodeid: What names the trial in the run.
        trial: 1-based number.
    """

    collected: CollectedTask
    nodeid: str
    trial: int

    def spec(self, settings: RunSettings) -> TrialSpec:
        """Return what the trial needs to run; raises DomainError where its domain is wrong."""
        return TrialSpec(
            task=self.collected.task,
            domain=self.collected.load_domain(),
            nodeid=self.nodeid,
            suite=self.collected.suite,
            trial=self.trial,
            settings=settings,
        )

    def unscored(self, settings: RunSettings, ending: Ending, error: ErrorInfo) -> TrialRecord:
        """Return the record of the trial where all that is left of it is its error."""
        return TrialRecord(
            nodeid=self.nodeid,
            suite=self.collected.suite,
            domain=self._domain_name(),
            task_id=self.collected.task.id,
            task_hash=task_hash(self.collected.task),
            trial=self.trial,
            seed=settings.seed,
            agent=settings.agent,
            user=settings.user,
            outcome="unscored",
            ending=ending,
            error=error,
        )

    def _domain_name(self) -> str:
        """Return the name that the trial's record would have got; a task may give a path."""
        try:
            return self.collected.load_domain().name
        except Exception:  # of a domain's own code, of which the trial may have ended
            return Path(self.collected.task.domain).name or self.collected.task.domain


Planned = PlannedTrial | PlannedSample


def plan_trial(collected: Collected, nodeid: str, trial: int) -> Planned:
    """Return the trial of a task or sample under the id that names it in the run."""
    if isinstance(collected, CollectedSample):
        return PlannedSample(collected, nodeid, trial)
    return PlannedTrial(collected, nodeid, trial)
