"""The test item: one trial of one task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.metrics.cost import trial_cost
from pytest_taubench.plugin.failure import TrialFailure
from pytest_taubench.plugin.resume import scored_before
from pytest_taubench.plugin.running import Planned, plan_trial, runner_of
from pytest_taubench.plugin.stash import PENDING_RECORDS
from pytest_taubench.plugin.tasks import Collected
from pytest_taubench.schema import TrialRecord


def play_trial(tau_agent: object, tau_user: object) -> None:
    """Name the fixtures every trial asks for; the item runs the trial itself."""


class TrialItem(pytest.Function):
    """One trial of one task. It passes when the reward is 1.

    A Function, so that fixtures work as for any test: autouse ones, and a ``tau_agent`` or
    ``tau_user`` that a conftest overrides.

    Attributes:
        collected: The task or sample with its suite and domain.
        trial: 1-based number.
    """

    def __init__(
        self,
        name: str,
        parent: pytest.Collector,
        collected: Collected,
        trial: int,
        fixtureinfo: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, parent, callobj=play_trial, fixtureinfo=fixtureinfo, **kwargs)
        self.collected = collected
        self.trial = trial
        _split_id(self)

    def planned(self) -> Planned:
        """Return the trial the item stands for."""
        return plan_trial(self.collected, self.nodeid, self.trial)

    def runtest(self) -> None:
        """Run the trial, keep its record for the report, and fail unless the reward is 1."""
        record = scored_before(self) or self._run()
        self.user_properties += _figures(record)
        if record.reward != 1:
            raise TrialFailure(record)

    def _run(self) -> TrialRecord:
        runner = runner_of(self.config)
        record = runner.run(self, self.funcargs["tau_agent"], self.funcargs["tau_user"])
        self.stash.setdefault(PENDING_RECORDS, []).append(record)
        runner.add_metrics(record)
        return record

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return why the trial failed, for people; faults of the code keep pytest's own form."""
        if isinstance(excinfo.value, TrialFailure):
            return excinfo.value.text(full=self.config.get_verbosity() >= 2)
        if isinstance(excinfo.value, TauBenchError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the item comes from."""
        return self.path, 0, self.name


def _split_id(item: pytest.Item) -> None:
    """Read the node id by its parts, as pytest does with the ids it kept for ``--lf``.

    Newer versions compare ids part by part, and take a name with brackets that no
    parametrization made for one part.
    """
    identifier: Any = getattr(item, "_id", None)
    if identifier is not None:
        item._id = type(identifier).parse(item.nodeid)


def _figures(record: TrialRecord) -> list[tuple[str, object]]:
    figures: list[tuple[str, object]] = [
        ("tau_outcome", record.outcome),
        ("tau_ending", str(record.ending)),
        ("tau_steps", record.steps),
    ]
    if record.reward is not None:
        figures.append(("tau_reward", record.reward))
    if (cost := trial_cost(record)) is not None:
        figures.append(("tau_cost", cost))
    return figures
