"""How records get from the process that ran a trial to the one that keeps the run."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.collect.node_ids import split_trial
from pytest_taubench.plugin.options.values import OPTIONS, run_settings
from pytest_taubench.plugin.stash import AGAIN, ATTEMPTS, PENDING_RECORDS, RUNNER

if TYPE_CHECKING:
    from pytest_taubench.schema import TrialRecord

RECORDS = "tau_records"
"""Attribute of a report: the records it carries, as JSON texts."""

HEADLINE = "tau_headline"
"""Attribute of a report: why the trial did not pass, in one line."""

UNSCORED = "tau_unscored"
"""Attribute of a report: true when the trial of the item has no reward."""

DOMAINS = "tau_domains"
"""Attribute of a report: fingerprints of domains that are new in its process, as JSON texts."""

UNRECORDED = "tau_unrecorded"
"""Attribute of a report: trials whose recording is not kept, each with why, as JSON text."""

RAN_AGAIN = "tau_ran_again"
"""Attribute of a report: true when something ran the item again, which its trial was not."""

RESUMED = "tau_resumed"
"""Attribute of a report: true when the trial was not run, but taken from the stored run."""


def attach(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Move the item's pending records to its report, and let an unscored trial show as such."""
    if ATTEMPTS not in item.stash:
        return
    from pytest_taubench.plugin.run.failure import TrialFailure
    from pytest_taubench.runs.store import encode_record
    from pytest_taubench.text.environment_keys import environment_keys
    from pytest_taubench.text.foreign import uncoloured
    from pytest_taubench.text.secrets import scrubbed

    # What agents print comes from models, and must not act on the terminal that shows it.
    keys = environment_keys()
    report.sections = [(name, scrubbed(uncoloured(text), keys)) for name, text in report.sections]
    # A plugin that repeats tests may show nobody the report of an attempt, so each carries all.
    records = item.stash.get(PENDING_RECORDS, [])
    if report.when == "call":
        records = list(item.stash[ATTEMPTS].values())
    if records:
        item.stash[PENDING_RECORDS] = []
        setattr(report, RECORDS, [encode_record(record) for record in records])
        if RUNNER in item.config.stash:
            setattr(report, DOMAINS, item.config.stash[RUNNER].domains.take())
            if lost := item.config.stash[RUNNER].take_unrecorded():
                setattr(report, UNRECORDED, json.dumps(lost))
    if item.stash.get(AGAIN, False):
        setattr(report, RAN_AGAIN, True)
    if call.excinfo is None:
        return

    error = call.excinfo.value
    if isinstance(error, TrialFailure):
        setattr(report, HEADLINE, str(error))
        if error.record.outcome == "unscored":
            _show_unscored(item, call, report)


def _show_unscored(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> None:
    """Mark the report; an xfail mark expects a reward of 0, which this is not."""
    setattr(report, UNSCORED, True)
    if hasattr(report, "wasxfail"):
        del report.wasxfail
        report.outcome = "failed"
        assert call.excinfo is not None
        report.longrepr = item.repr_failure(call.excinfo)


def put_record(report: Any, record: TrialRecord) -> None:
    """Put an unscored record on a report that another plugin made."""
    from pytest_taubench.plugin.run.failure import headline
    from pytest_taubench.runs.store import encode_record

    setattr(report, RECORDS, [encode_record(record)])
    setattr(report, HEADLINE, headline(record))
    setattr(report, UNSCORED, True)


def take_records(report: Any) -> list[TrialRecord]:
    """Take the records that a report carries off it, since pytest keeps every report."""
    texts: list[str] = getattr(report, RECORDS, [])
    if not texts:
        return []
    setattr(report, RECORDS, [])
    from pytest_taubench.runs.store import decode_record

    return [decode_record(text) for text in texts]


def unrecorded_in(report: Any) -> list[tuple[str, str]]:
    """Return the trials of a report whose recording is not kept, each with why."""
    return [(nodeid, why) for nodeid, why in json.loads(getattr(report, UNRECORDED, "[]"))]


def crash_record(config: pytest.Config, nodeid: str, message: str, node: Any) -> TrialRecord | None:
    """Return an unscored record for the item that ran when a worker died, or None if no τ item.

    The controller collects nothing itself, so the task is looked up by the node id.
    """
    task_path, trial = split_trial(nodeid)
    if trial is None:
        return None
    from pytest_taubench.plugin.collect.planned import plan_trial
    from pytest_taubench.plugin.collect.tasks import find_task
    from pytest_taubench.schema import Ending, ErrorInfo

    try:
        collected = find_task(config, task_path)
    except TauBenchError:
        return None
    error = ErrorInfo(type="WorkerCrash", message=message)
    planned = plan_trial(collected, nodeid, trial)
    record = planned.unscored(run_settings(config.stash[OPTIONS]), Ending.WORKER_CRASH, error)
    record.worker = node.gateway.id
    record.started = time.time()
    return record
