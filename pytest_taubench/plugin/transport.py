"""How records get from the process that ran a trial to the one that keeps the run.

A record travels as JSON text on the test report. pytest turns reports into plain data for
xdist with whatever attributes they carry, and the text is plain ASCII: what an agent wrote may
hold lone surrogates, which no other way to the controller would survive.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.stash import PENDING_RECORDS, RUNNER

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

RESUMED = "tau_resumed"
"""Attribute of a report: true when the trial was not run, but taken from the stored run."""


def attach(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Move the item's pending records to its report, and let an unscored trial show as such."""
    records = item.stash.get(PENDING_RECORDS, [])
    if not records:
        return
    from pytest_taubench.plugin.failure import TrialFailure
    from pytest_taubench.store import encode_record

    item.stash[PENDING_RECORDS] = []
    setattr(report, RECORDS, [encode_record(record) for record in records])
    if RUNNER in item.config.stash:
        setattr(report, DOMAINS, item.config.stash[RUNNER].domains.take())
        if lost := item.config.stash[RUNNER].take_unrecorded():
            setattr(report, UNRECORDED, json.dumps(lost))
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
    from pytest_taubench.plugin.failure import headline
    from pytest_taubench.store import encode_record

    setattr(report, RECORDS, [encode_record(record)])
    setattr(report, HEADLINE, headline(record))
    setattr(report, UNSCORED, True)


def take_records(report: Any) -> list[TrialRecord]:
    """Take the records that a report carries off it, since pytest keeps every report."""
    texts: list[str] = getattr(report, RECORDS, [])
    if not texts:
        return []
    setattr(report, RECORDS, [])
    from pytest_taubench.store import decode_record

    return [decode_record(text) for text in texts]


def unrecorded_in(report: Any) -> list[tuple[str, str]]:
    """Return the trials of a report whose recording is not kept, each with why."""
    return [(nodeid, why) for nodeid, why in json.loads(getattr(report, UNRECORDED, "[]"))]
