"""What a run plans and what its domains are made of, kept in ``run.json`` from early on.

A run that is killed then still knows how many trials it lacks, and what the others ran on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.node_ids import task_of_id
from pytest_taubench.plugin.run.transport import DOMAINS, RECORDS

if TYPE_CHECKING:
    from pytest_taubench.plugin.finish.recorder import RunRecorder
    from pytest_taubench.schema import DomainFingerprint


class RunPlan:
    """Counts the planned trials of each task and tells the recorder of them."""

    def __init__(self, config: pytest.Config, recorder: RunRecorder) -> None:
        self._config = config
        self._recorder = recorder
        self._known = False

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take the plan from the items."""
        self._take(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Take the plan from the first worker; all collect the same."""
        if not self._known:
            self._take(ids)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take a trial that is skipped on purpose out of the plan: it will never have a reward."""
        if not report.skipped or hasattr(report, "wasxfail") or hasattr(report, RECORDS):
            return
        task = task_of_id(self._config, report.nodeid)
        planned = dict(self._recorder.planned)
        if task in planned:
            planned[task] -= 1
            self._recorder.set_fields(
                planned={task: trials for task, trials in planned.items() if trials}
            )

    def _take(self, nodeids: Iterable[str]) -> None:
        self._known = True
        tasks = [task_of_id(self._config, nodeid) for nodeid in nodeids]
        planned = Counter(task for task in tasks if task is not None)
        for task, trials in self._recorder.planned.items():  # of the run that is resumed
            planned[task] = max(planned[task], trials)
        if planned:
            self._recorder.set_fields(planned=dict(planned))


class RunDomains:
    """Keeps the fingerprints in ``run.json``, and says where a domain changed meanwhile."""

    def __init__(self, recorder: RunRecorder) -> None:
        self._recorder = recorder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take the fingerprints that a report carries, before its record is stored."""
        for text in getattr(report, DOMAINS, ()):
            from pytest_taubench.schema import DomainFingerprint

            self._add(DomainFingerprint.model_validate_json(text))

    def _add(self, new: DomainFingerprint) -> None:
        from pytest_taubench.metrics.breakdowns import changed_parts

        known: list[DomainFingerprint] = self._recorder.fields.get("domains", [])
        if new in known:
            return
        for part in changed_parts(known, [new]):
            self._recorder.problems.append(f"{part} changed while the run went on")
        domains = sorted([*known, new], key=lambda each: each.model_dump_json())
        self._recorder.set_fields(domains=domains)
