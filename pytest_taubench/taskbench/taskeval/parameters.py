"""t-F1 and v-F1: which parameters a plan sets, and to which values."""

from __future__ import annotations

from pytest_taubench.taskbench.taskeval.counts import Counting, Counts
from pytest_taubench.taskbench.taskeval.plan import Plan


def count_names(gold: Plan, prediction: Plan, counting: Counting) -> Counts:
    """Compare (tool, parameter) of two plans."""
    return counting(_names(gold), _names(prediction))


def count_values(gold: Plan, prediction: Plan, counting: Counting) -> Counts:
    """Compare (tool, parameter, value) of two plans."""
    return counting(_values(gold), _values(prediction))


def _names(plan: Plan) -> list[tuple[str, str]]:
    return [
        (tool, argument.name)
        for tool, arguments in zip(plan.tools, plan.arguments, strict=True)
        for argument in arguments
    ]


def _values(plan: Plan) -> list[tuple[str, str, str]]:
    return [
        (tool, argument.name, argument.value)
        for tool, arguments in zip(plan.tools, plan.arguments, strict=True)
        for argument in arguments
    ]
