"""The trials that the run to go on with has scored: not run again, but reported from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.run.transport import HEADLINE, RESUMED

if TYPE_CHECKING:
    from pytest_taubench.runs.store import ScoredRecords
    from pytest_taubench.schema import TrialRecord

_SCORED: pytest.StashKey[ScoredRecords | None] = pytest.StashKey()


def scored_before(item: pytest.Item) -> TrialRecord | None:
    """Return the record of an item's trial where the run that is resumed has scored it."""
    scored = _scored(item.config)
    return None if scored is None else scored.get(item.nodeid)


def is_scored_before(item: pytest.Item) -> bool:
    """Return whether the item's trial will not run, since it is scored already."""
    scored = _scored(item.config)
    return scored is not None and item.nodeid in scored


def _scored(config: pytest.Config) -> ScoredRecords | None:
    if _SCORED not in config.stash:
        config.stash[_SCORED] = _open_records(config)
    return config.stash[_SCORED]


def _open_records(config: pytest.Config) -> ScoredRecords | None:
    from pytest_taubench.plugin.options.stored import shared_folder

    folder = shared_folder(config, "resume")
    if folder is None:
        return None
    from pytest_taubench.runs.store import ScoredRecords

    return ScoredRecords(folder)


def mark_resumed(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    """Say on the report of a trial that it was taken from the stored run."""
    if report.when != "call" or not is_scored_before(item):
        return
    setattr(report, RESUMED, True)
    if call.excinfo is not None:
        setattr(report, HEADLINE, str(call.excinfo.value))


def resumed_status(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]]:
    """Return how a trial that was taken from the stored run is shown."""
    if hasattr(report, "wasxfail"):
        return "xfailed", "x", ("XFAIL (resumed)", {"yellow": True})
    if report.passed:
        return "passed", ".", ("PASSED (resumed)", {"green": True})
    return "failed", "F", ("FAILED (resumed)", {"red": True})
