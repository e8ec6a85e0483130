"""What a part of a run keeps: which part it is, and that it ran although it has no trials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.collect.sharding import CUT, WORKEROUTPUT, durations_name, durations_run
from pytest_taubench.plugin.options.stored import share_folder
from pytest_taubench.plugin.options.values import OPTIONS

if TYPE_CHECKING:
    from pytest_taubench.plugin.finish.recorder import RunRecorder

_TO_BE_JOINED = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)


def prepare_shard(config: pytest.Config, recorder: RunRecorder) -> None:
    """Choose the durations that balance the shards, and keep in ``run.json`` which these are.

    Raises:
        pytest.UsageError: ``--tau-durations`` names no run.
    """
    stored = durations_run(config)
    if stored is not None:
        share_folder(config, "durations", stored.folder)
    balanced_by = durations_name(stored) if stored else None
    shard = config.stash[OPTIONS]["shard"]
    recorder.set_fields(shard=shard.model_copy(update={"balanced_by": balanced_by}))


class ShardKeeper:
    """Keeps a part that has no trials as well, and says which part of the items this run is."""

    def __init__(self, config: pytest.Config, recorder: RunRecorder) -> None:
        self._config = config
        self._recorder = recorder

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker found; all collect the same."""
        cut = getattr(node, "workeroutput", {}).get(WORKEROUTPUT)  # none of one that crashed
        if cut is not None:
            self._config.stash[CUT] = cut

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Store a run without records where no trial ran; that none fell to it is no failure."""
        cut = self._config.stash.get(CUT, None)
        if cut is None or self._config.getoption("collectonly", False):
            return
        if cut["trials"] and session.exitstatus in _TO_BE_JOINED and self._lacks_run():
            self._recorder.store_empty()
        if cut["empty"] and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def _lacks_run(self) -> bool:
        recorder = self._recorder
        return recorder.store is None and not (recorder.problems or recorder.skipped_for_no_agent)

    @pytest.hookimpl(trylast=True)
    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the shard."""
        shard, store = self._recorder.fields["shard"], self._recorder.store
        by = f"the durations of {shard.balanced_by}" if shard.balanced_by else "number of items"
        terminalreporter.line(f"shard {shard.number} of {shard.of}, balanced by {by}")
        if store is not None and not self._recorder.records:
            terminalreporter.line(f"no trial of this part ran; its run in {store.folder} is empty")
