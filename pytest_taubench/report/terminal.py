"""The run's figures as text for a terminal; plain where colour is off."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pytest_taubench.gates.decision import GateResult
from pytest_taubench.metrics import SuiteSummary, TaskSummary
from pytest_taubench.metrics.breakdowns import Group
from pytest_taubench.metrics.cost import RoleCost
from pytest_taubench.metrics.pass_k import Estimate
from pytest_taubench.report.figures import RunFigures
from pytest_taubench.report.wording import (
    cost_text,
    counted,
    most_common,
    unscored_ends,
    why_unscored,
)
from pytest_taubench.text.foreign import visible, without_commands

_DECISION_STYLES = {"holds": "green", "fails": "red", "cannot tell": "yellow"}

LISTED = 10
"""How many flaky and failing tasks a suite lists; the stored run has them all."""


def summary_text(figures: RunFigures, *, width: int = 80, color: bool = False) -> str:
    """Return the figures of each suite.

    Args:
        figures: The run's figures.
        width: Columns of the terminal. Long ids are folded, never cut.
        color: Whether escape codes may be used.
    """
    blocks: list[RenderableType] = []
    for suite in figures.suites:
        blocks += [_title(suite), _indented(_pass_table(suite)), *_lists(suite), ""]
    return _rendered(blocks, width, color)


def breakdown_text(figures: RunFigures, *, width: int = 80, color: bool = False) -> str:
    """Return why trials failed, and pass^1 by number of gold writes where that number varies."""
    blocks: list[RenderableType] = []
    faults = figures.faults
    if faults.failed:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        for name, counts in (
            ("faults", faults.kinds),
            ("paper's class", faults.paper),
            ("whose, by a model", faults.whose),
        ):
            if counts:
                text = most_common(counts)
                table.add_row(name, Text(text))
        failed = f"why {counted(faults.failed, 'trial')} failed (one may have several faults):"
        blocks += [Text(failed), _indented(table), ""]
    if len(figures.by_gold_writes) > 1:
        title = Text("by number of write actions in gold:")
        blocks += [title, _indented(_groups(figures.by_gold_writes)), ""]
    return _rendered(blocks, width, color)


def models_text(figures: RunFigures, *, width: int = 80, color: bool = False) -> str:
    """Return what each role's models were asked and what that cost; nothing without models."""
    if not figures.costs:
        return ""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("models", "calls", "tokens", "cost"):
        table.add_column(name, justify="left" if name == "models" else "right", no_wrap=True)
    for cost in figures.costs:
        for row in _cost_rows(cost):
            table.add_row(*row)
    return _rendered([table, ""], width, color)


def _cost_rows(cost: RoleCost) -> list[list[str]]:
    text = cost_text(cost)
    tokens = cost.input_tokens + cost.output_tokens
    return [
        [cost.role, f"{cost.calls:,}", f"{tokens:,}", text.total],
        ["  input", "", f"{cost.input_tokens:,}", text.input],
        ["  output", "", f"{cost.output_tokens:,}", text.output],
    ]


def unscored_text(figures: RunFigures, *, width: int = 80, color: bool = False) -> str:
    """Return the unscored trials, each with what failed."""
    blocks: list[RenderableType] = []
    for record in figures.unscored:
        reason = why_unscored(record)
        blocks.append(Text(f"{record.nodeid} - {record.ending}", style="yellow"))
        blocks.append(_indented(Text(visible(reason))))
    return _rendered(blocks, width, color)


def gates_text(results: Sequence[GateResult], *, width: int = 80, color: bool = False) -> str:
    """Return each gate with its decision and the reason."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for result in results:
        decision = Text(result.decision, style=_DECISION_STYLES[result.decision])
        table.add_row(decision, Text(result.gate.text), Text(result.reason))
    return _rendered([Text("gates:"), _indented(table)], width, color)


def _rendered(blocks: Sequence[RenderableType], width: int, color: bool) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        markup=False,  # a task id or an error may hold [brackets]
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    for block in blocks:
        console.print(block, soft_wrap=False)
    lines = (line.rstrip() for line in stream.getvalue().splitlines())
    return "".join(f"{without_commands(line)}\n" for line in lines)  # where folding put its ends


def _title(suite: SuiteSummary) -> Text:
    counts = f"{counted(suite.tasks, 'task')}, {counted(suite.trials, 'trial')}"
    text = Text.assemble((suite.name, "bold"), f": {counts}, {suite.scored} scored")
    if suite.unscored:
        text.append(f", {suite.unscored} unscored", style="yellow")
    text.append(f", average reward {_fraction(suite.average_reward)}")
    return text


def _pass_table(suite: SuiteSummary) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("k", "pass^k", "over tasks", "pass@k", "over tasks"):
        table.add_column(name, justify="right", no_wrap=True)
    estimated = [k for k, estimate in suite.pass_hat.items() if estimate.value is not None]
    for k in estimated:
        hat, at = suite.pass_hat[k], suite.pass_at[k]
        table.add_row(str(k), *_estimate(hat, suite.tasks), *_estimate(at, suite.tasks))
    if rest := [k for k in suite.pass_hat if k not in estimated]:
        # Both estimators need k scored trials of a task, so what one lacks the other does.
        ks = str(rest[0]) if len(rest) == 1 else f"{rest[0]}-{rest[-1]}"
        none = Estimate(None, 0)
        table.add_row(ks, *_estimate(none, suite.tasks), *_estimate(none, suite.tasks))
    return table


def _groups(groups: Sequence[Group]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("gold writes", "tasks", "trials", "passed", "pass^1"):
        table.add_column(name, justify="right", no_wrap=True)
    for group in groups:
        counts = (group.tasks, group.trials, group.passed)
        table.add_row(group.name, *map(str, counts), _fraction(group.pass_1.value))
    return table


def _estimate(estimate: Estimate, tasks: int) -> tuple[str, str]:
    return _fraction(estimate.value), f"{estimate.tasks} of {tasks}"


def _fraction(value: float | None) -> str:
    return "not estimated" if value is None else f"{value:.3f}"


def _lists(suite: SuiteSummary) -> list[RenderableType]:
    endings = ", ".join(f"{name} {count}" for name, count in suite.endings.most_common())
    blocks: list[RenderableType] = [_indented(Text(line)) for line in _interval_lines(suite)]
    blocks.append(_indented(Text(f"endings: {endings}")))
    for title, tasks in (("flakiest", suite.flaky), ("failing", suite.failing)):
        if tasks:
            blocks += [_indented(Text(f"{title} tasks:")), _indented(_task_table(tasks), 4)]
    return blocks


def _interval_lines(suite: SuiteSummary) -> list[str]:
    lines = []
    if (interval := suite.pass_1_interval) is not None:
        ends = f"[{interval.low:.3f}, {interval.high:.3f}]"
        lines.append(f"pass^1, 95% interval: {ends}, {interval.method} over tasks")
    if (told := unscored_ends(suite)) is not None:
        lines.append(told)
    return lines


def _task_table(tasks: Sequence[TaskSummary]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for task in tasks[:LISTED]:
        table.add_row(f"{task.c} of {task.n}", Text(task.task))
    if len(tasks) > LISTED:
        table.add_row("", f"and {len(tasks) - LISTED} more")
    return table


def _indented(block: RenderableType, columns: int = 2) -> Padding:
    return Padding(block, (0, 0, 0, columns))
