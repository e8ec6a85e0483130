"""A run as Markdown, for a pull request or a CI job's summary page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pytest_taubench.gates.decision import GateResult
from pytest_taubench.metrics import Estimate, SuiteSummary, suite_label, task_key
from pytest_taubench.metrics.breakdowns import FaultCounts, Group
from pytest_taubench.metrics.comparison import Comparison
from pytest_taubench.metrics.cost import RoleCost
from pytest_taubench.metrics.significance import shown_p
from pytest_taubench.report.figures import RunFigures
from pytest_taubench.report.taskeval_table import render_taskeval
from pytest_taubench.report.wording import (
    cost_text,
    counted,
    detectable_line,
    most_common,
    unscored_ends,
    why_unscored,
)
from pytest_taubench.schema import RunInfo, TrialRecord
from pytest_taubench.text.foreign import visible
from pytest_taubench.text.names import natural_key

LISTED = 20
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~@!])")


def render_markdown(
    info: RunInfo,
    figures: RunFigures,
    gates: Sequence[GateResult] = (),
) -> str:
    """Return the run's gates, figures, changes and failing tasks as GitHub's Markdown.

    Args:
        info: The run's settings.
        figures: Its figures.
        gates: The decided gates.
    """
    blocks = [
        [f"## tau-bench: {escape(info.settings.agent or 'no agent')}", ""],
        [line for warning in figures.warnings for line in (f"⚠️ {escape(warning)}", "")],
        _gates(gates),
        _figures(figures.suites),
        _comparison(figures.comparison),
        _faults(figures.faults),
        *[_breakdown(name, groups) for name, groups in figures.breakdowns],
        *[["```text", render_taskeval(each), "```", ""] for each in figures.taskeval],
        _costs(figures.costs),
        *[_failing(suite) for suite in figures.suites],
        _unscored(figures.unscored, figures.suites),
        [f"{escape(info.run_id)}, user {escape(info.settings.user)}, seed {info.settings.seed}."],
    ]
    # Whatever it was that named or said something: no control character gets on the page.
    return visible("\n".join(line for block in blocks for line in block)) + "\n"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]


def _gates(gates: Sequence[GateResult]) -> list[str]:
    if not gates:
        return []
    marks = {"holds": "✅ holds", "fails": "❌ fails", "cannot tell": "⚠️ cannot tell"}
    rows = [[escape(g.gate.text), marks[g.decision], escape(g.reason)] for g in gates]
    return _table(["gate", "decision", "why"], rows)


def _figures(suites: Sequence[SuiteSummary]) -> list[str]:
    if not suites:
        return ["No trial was run.", ""]
    last = max(len(suite.pass_hat) for suite in suites)
    head = ["suite", "tasks", "scored", "unscored", *[f"pass^{k}" for k in range(1, last + 1)]]
    return _table(head, [_figure_row(suite, last) for suite in suites])


def _figure_row(suite: SuiteSummary, last: int) -> list[str]:
    interval = suite.pass_1_interval
    cells = [_estimate(suite, suite.pass_hat.get(k)) for k in range(1, last + 1)]
    if interval is not None:
        cells[0] += f" [{interval.low:.3f}, {interval.high:.3f}]"
    return [escape(suite.name), *map(str, (suite.tasks, suite.scored, suite.unscored)), *cells]


def _estimate(suite: SuiteSummary, estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "not estimated"
    over = "" if estimate.tasks == suite.tasks else f" (over {estimate.tasks} tasks)"
    return f"{estimate.value:.3f}{over}"


def _comparison(comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return []
    rows = [
        [
            each.name,
            f"{each.before:.3f}",
            f"{each.after:.3f}",
            f"{each.value:+.3f}",
            f"[{each.interval.low:+.3f}, {each.interval.high:+.3f}]" if each.interval else "–",
            shown_p(each.p_value).removeprefix("= "),
            str(each.tasks),
        ]
        for each in comparison.differences.values()
    ]
    head = ["", "before", "after", "difference", "95% interval", "p", "tasks"]
    lines = [f"**Against the baseline: {comparison.verdict}.**", "", *_table(head, rows)]
    for name in ("broke", "mended", "flicker"):
        tasks: list[str] = getattr(comparison, name)
        if tasks:
            lines.append(f"- {len(tasks)} {name}: {_listed(tasks)}")
    if comparison.differences:
        lines.append(f"- {detectable_line(comparison)}")
    return [*lines, *[f"- {escape(warning)}" for warning in comparison.warnings], ""]


def _listed(tasks: Sequence[str]) -> str:
    shown = ", ".join(escape(task) for task in tasks[:LISTED])
    return shown + (f" and {len(tasks) - LISTED} more" if len(tasks) > LISTED else "")


def _costs(costs: Sequence[RoleCost]) -> list[str]:
    if not costs:
        return []
    rows = []
    for cost in costs:
        text = cost_text(cost)
        counts = (cost.calls, cost.input_tokens, cost.output_tokens)
        row = [cost.role, *(f"{count:,}" for count in counts), text.input, text.output, text.total]
        rows.append(row)
    head = ["role", "calls", "input tokens", "output tokens", "input cost", "output cost", "cost"]
    return _table(head, rows)


def _faults(faults: FaultCounts) -> list[str]:
    if not faults.failed:
        return []
    rows = [
        [name, most_common(counts)]
        for name, counts in (
            ("faults", faults.kinds),
            ("the paper's class", faults.paper),
            ("whose, by a model", faults.whose),
        )
        if counts
    ]
    head = [f"why {counted(faults.failed, 'trial')} failed", "trials (one may have several faults)"]
    return _table(head, rows)


def _breakdown(name: str, groups: Sequence[Group]) -> list[str]:
    rows = [
        [
            escape(group.name),
            str(group.tasks),
            f"{group.passed} of {group.trials}",
            "not estimated" if group.pass_1.value is None else f"{group.pass_1.value:.3f}",
        ]
        for group in groups
    ]
    return _table([name, "tasks", "trials passed", "pass^1"], rows)


def _failing(suite: SuiteSummary) -> list[str]:
    weak = [task for task in suite.by_task if task.c < task.n]
    if not weak:
        return []
    weak.sort(key=lambda task: task.c / task.n)
    rows = [[escape(task.task), f"{task.c} of {task.n}"] for task in weak[:LISTED]]
    more = [f"and {len(weak) - LISTED} more", ""] if len(weak) > LISTED else []
    return [
        f"<details><summary>{counted(len(weak), 'task')} of {_plain(suite.name)} "
        "that failed a trial</summary>",
        "",
        *_table(["task", "passed"], rows),
        *more,
        "</details>",
        "",
    ]


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unscored(lost: Sequence[TrialRecord], suites: Sequence[SuiteSummary]) -> list[str]:
    if not lost:
        return []
    are = "1 trial is" if len(lost) == 1 else f"{len(lost)} trials are"
    lines = [f"**{are} unscored**, and in no figure:", ""]
    for record in lost[:LISTED]:
        reason = why_unscored(record)
        lines.append(f"- {escape(record.nodeid)}: {record.ending}, {escape(reason)}")
    ends = [(suite.name, told) for suite in suites if (told := unscored_ends(suite)) is not None]
    lines += ["", *(escape(f"{name}: {told}") for name, told in ends)]
    return [*lines, ""]


def github_annotations(records: Sequence[TrialRecord]) -> Iterator[str]:
    """Yield a GitHub workflow command for each task that failed, put on its task file.

    They are in natural order: GitHub shows the first ten of a step.
    """
    failed: dict[str, list[TrialRecord]] = {}
    for record in records:
        if record.outcome == "scored" and record.reward != 1:
            failed.setdefault(task_key(record), []).append(record)
    for task in sorted(failed, key=natural_key):
        trials = failed[task]
        path = task.partition("::")[0]
        text = f"{trials[0].task_id} of {suite_label(trials[0])} failed {counted(len(trials), 'trial')}"
        yield f"::warning file={_property(path)},title={_property('tau-bench')}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
