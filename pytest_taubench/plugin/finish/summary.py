"""What the terminal says of a run, before and after."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.options.values import OPTIONS, OptionValues, any_given
from pytest_taubench.plugin.run.agent_and_user import NO_AGENT
from pytest_taubench.text.foreign import printable
from pytest_taubench.text.names import counted

if TYPE_CHECKING:
    from pytest_taubench.plugin.finish.recorder import RunRecorder
    from pytest_taubench.report.figures import RunFigures
    from pytest_taubench.schema import TrialRecord

_LISTED = 5


def header_lines(config: pytest.Config) -> list[str]:
    """Return the header's lines about the run, where any option of the plugin is set."""
    if not any_given(config):
        return []
    from pytest_taubench.plugin.run.asked_models import models_line

    values = config.stash[OPTIONS]
    parts = [f"agent {values['agent'] or 'none'}", f"user {values['user']}", *_options(values)]
    models = models_line(values)
    return [f"tau-bench: {', '.join(parts)}", *([printable(models)] if models else [])]


def _options(values: OptionValues) -> list[str]:
    parts = [f"trials {values['trials']}", f"seed {values['seed']}"]
    if values["no-policy"]:
        parts.append("no policy")
    if values["concurrency"] > 1:
        parts.append(f"concurrency {values['concurrency']}")
    parts += [f"suite {name}" for name in values["suite"]]
    return parts + [f"data {name}" for name in values["data"]]


def print_summary(recorder: RunRecorder, terminalreporter: Any) -> None:
    """Print the unscored trials, the figures by suite, and where the run is stored."""
    from pytest_taubench.report.figures import run_figures
    from pytest_taubench.report.terminal import (
        breakdown_text,
        models_text,
        summary_text,
        unscored_text,
    )

    writer = recorder.config.get_terminal_writer()
    width, color = writer.fullwidth, writer.hasmarkup
    figures = run_figures(recorder.records)
    if figures.unscored:
        terminalreporter.section("unscored trials")
        terminalreporter.write(unscored_text(figures, width=width, color=color))
    terminalreporter.section("tau-bench")
    terminalreporter.write(summary_text(figures, width=width, color=color))
    terminalreporter.write(breakdown_text(figures, width=width, color=color))
    terminalreporter.write(models_text(figures, width=width, color=color))
    for line in _vacuous_lines(recorder.records):
        terminalreporter.line(line, yellow=True)
    for text in _taskeval_texts(figures, width):
        terminalreporter.write(f"{text}\n\n")
    if recorder.skipped_for_no_agent:
        terminalreporter.line(f"{recorder.skipped_for_no_agent} skipped: {NO_AGENT}", yellow=True)
    if recorder.ran_again:
        terminalreporter.line(
            f"{counted(len(recorder.ran_again), 'trial')} asked for again by another plugin: a trial "
            "is one attempt, so the first one stands",
            yellow=True,
        )
    for problem in dict.fromkeys(recorder.problems):
        terminalreporter.line(printable(f"problem: {problem}"), red=True)
    if recorder.store is not None and recorder.store.folder.is_dir():
        terminalreporter.line(f"run stored in {_shown(recorder.store.folder)}")


class RunSummary:
    """Prints the figures of the run where there are any."""

    def __init__(self, recorder: RunRecorder) -> None:
        self._recorder = recorder

    def pytest_taubench_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the figures of the run."""
        if self._recorder.records or self._recorder.skipped_for_no_agent:
            print_summary(self._recorder, terminalreporter)


def _vacuous_lines(records: Sequence[TrialRecord]) -> Iterator[str]:
    """Yield the tasks that passed although nothing in their reward basis asks for anything."""
    from pytest_taubench.metrics import task_key
    from pytest_taubench.reward.reward import proves_nothing

    passed = [each for each in records if each.reward == 1 and each.kind == "tau"]
    tasks = list(
        dict.fromkeys(task_key(each) for each in passed if proves_nothing(each.components))
    )
    if tasks:
        count = "1 task" if len(tasks) == 1 else f"{len(tasks)} tasks"
        yield f"{count} passed with nothing to grade, as an agent that does nothing would:"
        yield from (f"    {task}" for task in tasks[:_LISTED])
    if len(tasks) > _LISTED:
        yield f"    and {len(tasks) - _LISTED} more"


def _taskeval_texts(figures: RunFigures, width: int) -> Iterator[str]:
    """Yield TaskEval's tables by tool graph, and how far failed τ trials were."""
    from pytest_taubench.report.taskeval_table import render_distances, render_taskeval

    for result in figures.taskeval:
        yield printable(render_taskeval(result, width))
    if figures.distances:
        yield printable(render_distances(figures.distances))


def _shown(folder: Path) -> str:
    relative = os.path.relpath(folder)
    return str(folder) if relative.startswith("..") else relative
