"""The pytest plugin. Hooks delegate at once, and import what they need when they need it.

The plugin is loaded in every pytest run of an environment that has it installed, so a project
without task files must not pay for it.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin import hookspecs
from pytest_taubench.plugin.collect.arguments import set_collection_arguments, unknown_tasks_named
from pytest_taubench.plugin.collect.node_ids import TASK_FILE_SUFFIXES
from pytest_taubench.plugin.finish.recorder import RunRecorder
from pytest_taubench.plugin.finish.summary import RunSummary, header_lines
from pytest_taubench.plugin.options.values import OPTIONS, add_options, read_options
from pytest_taubench.plugin.run.fixtures import tau_agent, tau_run, tau_user
from pytest_taubench.plugin.run.models import register_models
from pytest_taubench.plugin.run.preflight import Preflight
from pytest_taubench.plugin.run.transport import RESUMED, UNSCORED, attach
from pytest_taubench.plugin.session import register_run_plugins, register_worker_plugins
from pytest_taubench.plugin.stash import BAD_FILES, COLLECTED, DATA, NEXT_ITEM, RUNNER, is_worker

if TYPE_CHECKING:
    from pytest_taubench.plugin.collect.items import TaskCollector

__all__ = ["tau_agent", "tau_run", "tau_user"]


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the hooks of ``hookspecs``."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ``tau-bench`` options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and say what to collect."""
    values = read_options(config)
    if values["gate"]:
        from pytest_taubench.plugin.finish.gating import without_baseline

        values = without_baseline(config, values)
    config.stash[OPTIONS] = values
    config.addinivalue_line("markers", "tau: a trial of a task file.")
    set_collection_arguments(config, values)
    register_models(config)
    if is_worker(config):
        register_worker_plugins(config)
        return
    recorder = RunRecorder(config)
    config.pluginmanager.register(recorder, "tau-bench-recorder")
    config.pluginmanager.register(RunSummary(recorder), "tau-bench-summary")
    if not config.getoption("collectonly", False):
        config.pluginmanager.register(Preflight(config), "tau-bench-preflight")
    register_run_plugins(config, recorder)
    if values["lint"]:
        from pytest_taubench.plugin.collect.lint import LintSummary

        config.pluginmanager.register(LintSummary(), "tau-bench-lint")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say how the run is set."""
    return header_lines(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker how tests are handed out, which its own options do not say."""
    node.workerinput["tau_dist"] = node.config.getoption("dist", "no")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Name the nearest task where a node id names none."""
    with unknown_tasks_named(session.config):
        return (yield)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect task files by their name, and files of upstream data that are named."""
    if (
        not file_path.name.endswith(TASK_FILE_SUFFIXES)
        and file_path not in parent.config.stash[DATA]
        and not _is_typed_data(file_path, parent)
    ):
        return None
    return _collector(parent.config).at(parent, file_path)


def _is_typed_data(path: Path, parent: pytest.Collector) -> bool:
    """Return whether the path was given to pytest, and is a file of published samples."""
    if path.suffix not in (".json", ".jsonl") or not parent.session.isinitpath(path):
        return False
    from pytest_taubench.task_files.upstream.taskbench import samples_file

    return samples_file(path) is not None


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the folders that ``--tau-data`` names."""
    if path not in parent.config.stash[DATA]:
        return None
    return _collector(parent.config).at(parent, path)


def _collector(config: pytest.Config) -> type[TaskCollector]:
    if config.stash[OPTIONS]["lint"]:
        from pytest_taubench.plugin.collect.lint import LintCollector

        return LintCollector
    from pytest_taubench.plugin.collect.items import TaskCollector

    return TaskCollector


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put trial 1 of every task before trial 2 of any."""
    if COLLECTED in config.stash:
        from pytest_taubench.plugin.collect.items import order_by_trial

        order_by_trial(items)
    if config.stash[OPTIONS]["shard"] is not None:
        from pytest_taubench.plugin.collect.sharding import keep_shard

        keep_shard(config, items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the good files run where only task files could not be read, as xdist does anyway."""
    bad = session.config.stash.get(BAD_FILES, None)
    if bad and session.testsfailed == len(bad):
        session.config.option.continue_on_collection_errors = True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Note what runs next, so that its trial may start ahead."""
    if COLLECTED in item.config.stash:
        item.config.stash[NEXT_ITEM] = nextitem


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send the records of a test along with its report."""
    report = yield
    attach(item, call, report)
    if item.config.stash[OPTIONS]["resume"] is not None:
        from pytest_taubench.plugin.run.scored_before import mark_resumed

        mark_resumed(item, call, report)
    if item.config.stash[OPTIONS]["gate"]:
        from pytest_taubench.plugin.finish.gating import expect_failure

        expect_failure(call, report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Show a trial whose infrastructure failed apart from those that the agent failed."""
    if report.outcome not in ("passed", "failed", "skipped"):
        return None  # of an attempt that another plugin makes again: that plugin names it
    if getattr(report, UNSCORED, False):
        return "unscored", "U", ("UNSCORED", {"yellow": True})
    if getattr(report, RESUMED, False):
        from pytest_taubench.plugin.run.scored_before import resumed_status

        return resumed_status(report)
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: Any, config: pytest.Config
) -> Generator[None, None, None]:
    """Print the figures behind pytest's own summary, which names every trial that failed."""
    yield
    config.hook.pytest_taubench_terminal_summary(terminalreporter=terminalreporter, config=config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Cancel the trials that were started ahead."""
    if RUNNER in session.config.stash:
        session.config.stash[RUNNER].close()
