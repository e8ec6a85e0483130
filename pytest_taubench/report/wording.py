"""What every form of a report says in the same words: counts, costs, reasons, a comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pytest_taubench.metrics import SuiteSummary
from pytest_taubench.metrics.comparison import Comparison
from pytest_taubench.metrics.cost import RoleCost
from pytest_taubench.metrics.significance import shown_p
from pytest_taubench.schema import TrialRecord

_SHOWN = 10


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts: ``1 trial``, ``2 trials``."""
    return f"{number} {noun if number == 1 else noun + 's'}"


def most_common(counts: Counter[str]) -> str:
    """Return names with their counts, the most frequent first."""
    return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in counts.most_common())


def why_unscored(record: TrialRecord) -> str:
    """Return what kept a trial from being scored."""
    return record.error.message if record.error else "no reason was recorded"


def unscored_ends(suite: SuiteSummary) -> str | None:
    """Return what unscored trials could make of a suite's pass^1, or None without any."""
    if suite.pass_1_ends is None:
        return None
    low, high = suite.pass_1_ends
    one = suite.unscored == 1
    trials = "unscored trial" if one else f"{suite.unscored} unscored trials"
    return f"pass^1 with its {trials} failed: {low:.3f}, passed: {high:.3f}"


def run_comparison_lines(comparison: Comparison) -> list[str]:
    """Return the differences, the tasks that changed, and what limits the comparison."""
    lines = []
    for each in comparison.differences.values():
        interval = each.interval
        tasks = "1 task" if each.tasks == 1 else f"{each.tasks} tasks"
        ends = f" [{interval.low:+.3f}, {interval.high:+.3f}]" if interval else ""
        lines.append(
            f"{each.name} {each.before:.3f} -> {each.after:.3f}, difference {each.value:+.3f}"
            f"{ends}, two-sided p {shown_p(each.p_value)}, over {tasks}"
        )
    for name in ("broke", "mended", "flicker"):
        changed: list[str] = getattr(comparison, name)
        lines += [f"{name}: {len(changed)}"] if changed else []
        lines += [f"  {_before_and_after(comparison, task)}{task}" for task in changed[:_SHOWN]]
        lines += [f"  and {len(changed) - _SHOWN} more"] if len(changed) > _SHOWN else []
    shown = [detectable_line(comparison)] if comparison.differences else []
    return [*lines, *shown, *comparison.warnings]


def _before_and_after(comparison: Comparison, task: str) -> str:
    counts = comparison.by_task.get(task)
    if counts is None:
        return ""
    before, passed_before, after, passed_after = counts
    return f"{passed_before} of {before} → {passed_after} of {after}  "


def detectable_line(comparison: Comparison) -> str:
    """Return what a comparison of so many tasks and trials can show."""
    if comparison.detectable is None:
        return "so few tasks cannot show any difference in pass^1 (two-sided level 0.05)"
    return (
        f"the smallest difference in pass^1 such runs show is {comparison.detectable:.3f} "
        "(two-sided level 0.05, power 0.8)"
    )


@dataclass(frozen=True)
class CostText:
    """What the models of a role cost, in words.

    Attributes:
        total: For all.
        input: For the tokens sent.
        output: For the tokens received.
    """

    total: str
    input: str
    output: str


def cost_text(cost: RoleCost) -> CostText:
    """Return the cost of a role."""
    return CostText(
        total=_dollars(cost.cost, cost.partial, cost.incomplete),
        input=_dollars(cost.input_cost, cost.split_partial, cost.incomplete),
        output=_dollars(cost.output_cost, cost.split_partial, cost.incomplete),
    )


def _dollars(value: float | None, partial: bool, incomplete: bool) -> str:
    shown = "unknown" if value is None else f"${value:,.4f}"
    # What is unknown and never had a price is no part of anything.
    return f"{shown} (partial)" if incomplete or (partial and value is not None) else shown
