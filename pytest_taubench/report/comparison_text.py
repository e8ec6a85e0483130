"""A comparison of two runs as plain lines: for the command line and pytest's summary."""

from __future__ import annotations

from pytest_taubench.metrics.compare import Comparison
from pytest_taubench.metrics.permutation import shown_p

_SHOWN = 10


def comparison_lines(comparison: Comparison) -> list[str]:
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
        lines += [f"  {task}" for task in changed[:_SHOWN]]
        lines += [f"  and {len(changed) - _SHOWN} more"] if len(changed) > _SHOWN else []
    shown = [detectable_line(comparison)] if comparison.differences else []
    return [*lines, *shown, *comparison.warnings]


def detectable_line(comparison: Comparison) -> str:
    """Return what a comparison of so many tasks and trials can show."""
    if comparison.detectable is None:
        return "so few tasks cannot show any difference in pass^1 (two-sided level 0.05)"
    return (
        f"the smallest difference in pass^1 such runs show is {comparison.detectable:.3f} "
        "(two-sided level 0.05, power 0.8)"
    )
