"""Registers what the run's options ask for, in the process that keeps the run and in workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_taubench.plugin.finish.not_run import TrialsNotRun
from pytest_taubench.plugin.finish.planning import RunDomains, RunPlan
from pytest_taubench.plugin.options.stored import SharedFolders
from pytest_taubench.plugin.options.values import OPTIONS, given_on_command_line, origin_of
from pytest_taubench.plugin.stash import LEFT_OUT

if TYPE_CHECKING:
    from pytest_taubench.metrics.comparison import Baseline
    from pytest_taubench.plugin.finish.recorder import RunRecorder


def register_run_plugins(config: pytest.Config, recorder: RunRecorder) -> None:
    """Register the parts of the process that keeps the run.

    They are called in this order where the run ends and where they print their lines.

    Raises:
        pytest.UsageError: An option lacks another, or names a run that cannot be read.
    """
    values = config.stash[OPTIONS]
    register = config.pluginmanager.register
    baseline = _register_gate_check(config, recorder)
    register(RunPlan(config, recorder), "tau-bench-plan")
    register(RunDomains(recorder), "tau-bench-domains")
    register(SharedFolders(), "tau-bench-shared-folders")
    if values["resume"] is not None:
        from pytest_taubench.plugin.finish.resume import Resumption

        register(Resumption(config, recorder), "tau-bench-resumption")
    if values["shard"] is not None:
        from pytest_taubench.plugin.finish.shard_keeper import ShardKeeper, prepare_shard

        prepare_shard(config, recorder)
        register(ShardKeeper(config, recorder), "tau-bench-shard")
    _register_early_stop(config, recorder)
    if not _only_collects(config):
        register(TrialsNotRun(recorder), "tau-bench-not-run")
    _register_conclusions(config, recorder, baseline)


def register_worker_plugins(config: pytest.Config) -> None:
    """Register the parts of an xdist worker."""
    from pytest_taubench.plugin.collect.unplanned import UNPLANNED_FOLDER, UnplannedReport
    from pytest_taubench.plugin.finish.early_stop import STOP_FILE, StopWatch

    sent: dict[str, str] = getattr(config, "workerinput", {})
    if STOP_FILE in sent:
        config.pluginmanager.register(StopWatch(sent[STOP_FILE]), "tau-bench-stop-watch")
    if UNPLANNED_FOLDER in sent:
        report = UnplannedReport(sent[UNPLANNED_FOLDER], sent["workerid"])
        config.pluginmanager.register(report, "tau-bench-unplanned")


def _register_gate_check(config: pytest.Config, recorder: RunRecorder) -> Baseline | None:
    values = config.stash[OPTIONS]
    if not (values["baseline"] or values["gate"]):
        return None
    from pytest_taubench.plugin.finish.gate_check import GateCheck
    from pytest_taubench.plugin.finish.gating import BaselineMissing, baseline_of

    baseline, missing = None, None
    try:
        baseline = baseline_of(config)
    except pytest.UsageError as error:
        if given_on_command_line(config, "baseline"):
            raise
        missing = BaselineMissing(recorder, error)
    if values["gate"] and not _only_collects(config):
        config.pluginmanager.register(GateCheck(config, recorder, baseline), "tau-bench-gate-check")
    if missing and not _only_collects(config):  # asked before the gates
        config.pluginmanager.register(missing, "tau-bench-baseline-missing")
    return baseline


def _only_collects(config: pytest.Config) -> bool:
    return bool(config.getoption("collectonly", False))


def _register_early_stop(config: pytest.Config, recorder: RunRecorder) -> None:
    values = config.stash[OPTIONS]
    if not (values["stop-when-decided"] or values["stop-error"]):
        return
    if LEFT_OUT in config.stash and not values["gate"]:
        return
    if not values["gate"]:
        name = "stop-when-decided" if values["stop-when-decided"] else "stop-error"
        raise pytest.UsageError(f"{origin_of(config, name)}: there is no --tau-gate to decide")
    if _only_collects(config):
        return
    from pytest_taubench.plugin.finish.early_stop import EarlyStop

    config.pluginmanager.register(EarlyStop(config, recorder), "tau-bench-early-stop")


def _register_conclusions(
    config: pytest.Config, recorder: RunRecorder, baseline: Baseline | None
) -> None:
    from pytest_taubench.plugin.finish.reports import Reports, wants_reports

    values = config.stash[OPTIONS]
    register = config.pluginmanager.register
    keeper = None
    if values["baseline"] or values["gate"]:
        from pytest_taubench.plugin.finish.gating import BaselineSummary, GateKeeper

        if baseline is not None:
            summary = BaselineSummary(recorder, baseline, values["gate"])
            register(summary, "tau-bench-baseline")
        if values["gate"] and not _only_collects(config):
            keeper = GateKeeper(config, recorder, baseline)
            register(keeper, "tau-bench-gates")
    if LEFT_OUT in config.stash:
        from pytest_taubench.plugin.finish.gating import GatesLeftOut

        register(GatesLeftOut(recorder, config.stash[LEFT_OUT]), "tau-bench-gates-left-out")
    if wants_reports(config):
        register(Reports(config, recorder, keeper, baseline), "tau-bench-reports")
