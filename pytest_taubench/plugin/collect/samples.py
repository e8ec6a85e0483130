"""TaskBench samples as items: what is collected of one, and its trial before it runs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.schema import Ending, ErrorInfo, RunSettings, Sample, TrialRecord

if TYPE_CHECKING:
    from pytest_taubench.agents.loading import AgentSource
    from pytest_taubench.taskbench.graph import ToolGraph
    from pytest_taubench.taskbench.graph_file import GraphLibrary
    from pytest_taubench.taskbench.plan_trial import SampleSpec


GRAPHS: pytest.StashKey[GraphLibrary] = pytest.StashKey()
"""The tool graphs this process has loaded."""


def graph_library(config: pytest.Config) -> GraphLibrary:
    """Return the process's tool graphs."""
    if GRAPHS not in config.stash:
        from pytest_taubench.taskbench.graph_file import GraphLibrary

        config.stash[GRAPHS] = GraphLibrary()
    return config.stash[GRAPHS]


@dataclass(frozen=True, slots=True)
class CollectedSample:
    """A sample as it was collected; see ``CollectedTask``, which has the same names.

    Attributes:
        sample: The annotation.
        label: What names it in its file or folder.
        suite: The suite its figures are grouped under.
        load_graph: Gives its tool graph, from the process's library.
        notes: What a reader of its records must know.
    """

    sample: Sample
    label: str
    suite: str
    load_graph: Callable[[], ToolGraph]
    notes: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        """The name or path of the tool graph, as the annotation has it."""
        return self.sample.domain

    @property
    def marks(self) -> Sequence[str]:
        """The marks of its items."""
        return self.sample.marks

    def annotation_hash(self) -> str:
        """Return the hash that its records carry."""
        from pytest_taubench.taskbench.plan_trial import sample_hash

        return sample_hash(self.sample)


@dataclass(frozen=True)
class PlannedSample:
    """A sample's trial that has not run yet; see ``PlannedTrial``.

    Attributes:
        collected: The sample.
        nodeid: What names the trial in the run.
        trial: 1-based number.
    """

    collected: CollectedSample
    nodeid: str
    trial: int

    def spec(self, settings: RunSettings, demonstrations: Sequence[Sample] = ()) -> SampleSpec:
        """Return what the trial needs to run; raises DomainError where its graph is wrong."""
        from pytest_taubench.taskbench.plan_trial import SampleSpec

        return SampleSpec(
            sample=self.collected.sample,
            graph=self.collected.load_graph(),
            nodeid=self.nodeid,
            suite=self.collected.suite,
            trial=self.trial,
            settings=settings,
            demonstrations=demonstrations,
        )

    def run(self, spec: SampleSpec, agent: AgentSource) -> Coroutine[Any, Any, TrialRecord]:
        """Return what runs the trial; raises AgentSpecError where the agent cannot plan."""
        from pytest_taubench.taskbench.plan_trial import run_sample
        from pytest_taubench.taskbench.planners import planner_source

        return run_sample(spec, planner_source(agent.name, agent.target))

    def unscored(self, settings: RunSettings, ending: Ending, error: ErrorInfo) -> TrialRecord:
        """Return the record of the trial where all that is left of it is its error."""
        from pytest_taubench.taskbench.plan_trial import sample_hash

        sample = self.collected.sample
        return TrialRecord(
            kind="graph",
            nodeid=self.nodeid,
            suite=self.collected.suite,
            domain=Path(sample.domain).name,
            task_id=sample.id,
            task_hash=sample_hash(sample),
            trial=self.trial,
            seed=settings.seed,
            agent=settings.agent,
            outcome="unscored",
            ending=ending,
            error=error,
        )
