"""What a metric of gates is: a figure with a range, an end it must come to, and a way of saying it.

All that distinguishes one metric from another is in its class. Whoever decides gates, checks them
against a plan or stops a run early asks the metric, and never for its name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from pytest_taubench.gates.bounds import Bounds
from pytest_taubench.gates.selection import PlannedTask, Scope

OPERATORS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        ">=": operator.ge,
        "<=": operator.le,
        "==": operator.eq,
        ">": operator.gt,
        "<": operator.lt,
    }
)
Decision = Literal["holds", "fails", "cannot tell"]


class GateFinding(NamedTuple):
    """What a metric says of a gate: the decision, the figure where there is one, and why."""

    decision: Decision
    value: float | None
    reason: str


@dataclass(frozen=True)
class Gate:
    """One condition.

    Attributes:
        text: As the user wrote it.
        figure: The metric that it is on.
        selector: A suite or domain that it is about; None for the whole run.
        operator: One of OPERATORS; empty for ``no regression``.
        bound: The threshold, or the margin of ``no regression``.
    """

    text: str
    figure: GateMetric
    selector: str | None
    operator: str
    bound: float

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.figure.name

    def meets(self, value: float) -> bool:
        """Return whether a value is as the gate asks."""
        return OPERATORS[self.operator](value, self.bound)


@dataclass(frozen=True)
class PlannedTasks:
    """The tasks of a plan that a gate is about.

    Attributes:
        tasks: The planned tasks by task key.
        complete: Whether no other task can run; a test in Python may run any.
        baseline: The tasks that have a scored trial in the run compared with.
    """

    tasks: Mapping[str, PlannedTask]
    complete: bool
    baseline: Collection[str] | None = None


class GateMetric(Protocol):
    """A figure that a gate can be on; ``Figure`` has most of it.

    Attributes:
        needs_baseline: Whether it compares with another run.
        bounded_early: Whether its end can be known before the run's.
        tested_sequentially: Whether the sequential test of pass^1 is a test of it.
    """

    @property
    def name(self) -> str:
        """How it is written."""

    @property
    def needs_baseline(self) -> bool: ...  # noqa: D102

    @property
    def bounded_early(self) -> bool: ...  # noqa: D102

    @property
    def tested_sequentially(self) -> bool: ...  # noqa: D102

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Return why no run could meet or fail such a bound, or None where one may."""

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return between what ends it will lie, or None where that is not known."""

    def holds_between(self, gate: Gate, low: float, high: float) -> bool | None:
        """Return what the gate comes to wherever it ends between two values; None for both."""

    def finding(self, gate: Gate, scope: Scope) -> GateFinding:
        """Decide a gate on it."""

    def out_of_plan(self, gate: Gate, plan: PlannedTasks) -> str | None:
        """Return why no outcome of a plan decides a gate on it, or None where some may."""


@dataclass(frozen=True)
class Figure:
    """A metric that is decided by its bounds: the base of all but ``no regression``.

    Attributes:
        name: How it is written.
    """

    name: str

    needs_baseline = False
    bounded_early = True
    tested_sequentially = False
    shown = ".4g"

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Refuse what is no share, as most figures are."""
        return no_share(self.name, operator, bound, written)

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return between what ends it will lie."""
        raise NotImplementedError

    def holds_between(self, gate: Gate, low: float, high: float) -> bool | None:
        """Return what the gate comes to at both ends, where equality is not between them."""
        if low != high and gate.operator == "==":
            return None if low <= gate.bound <= high else False
        return gate.meets(low) if gate.meets(low) == gate.meets(high) else None

    def finding(self, gate: Gate, scope: Scope) -> GateFinding:
        """Decide by what the trials that are missing could bring."""
        if scope.elsewhere:
            why = f"no trial of {scope.elsewhere} has run, which may be of {gate.selector!r} too"
            return GateFinding("cannot tell", None, why)
        bounds = self.bounds(scope)
        if bounds is None:
            return GateFinding("cannot tell", None, self.unknown(scope))
        low, high = bounds
        what = self.said(low, high, scope)
        holds = self.holds_between(gate, low, high)
        if holds is None:
            return GateFinding("cannot tell", None, f"{what}: {scope.missing()}")
        return GateFinding("holds" if holds else "fails", low if low == high else None, what)

    def unknown(self, scope: Scope) -> str:
        """Return why it has no bounds."""
        return f"{self.name} is known not for every trial"

    def said(self, low: float, high: float, scope: Scope) -> str:
        """Return it in words."""
        if low == high:
            return f"{self.name} is {low:{self.shown}}"
        return f"{self.name} is between {low:{self.shown}} and {high:{self.shown}}"

    def out_of_plan(self, gate: Gate, plan: PlannedTasks) -> str | None:
        """Return None: any plan may decide it."""
        return None


def no_share(what: str, operator: str, bound: float, written: str) -> str | None:
    """Refuse a bound outside of 0 to 1, where every figure but counts and amounts lies."""
    if not 0 <= bound <= 1:
        per_cent = not written.endswith("%") and 1 < bound <= 100
        hint = f"; did you mean {written.lstrip('+')}%?" if per_cent else ""
        return f"{what} lies between 0 and 1 (100%){hint}"
    if (operator, bound) in ((">", 1.0), ("<", 0.0)):
        return f"it can never hold: {what} lies between 0 and 1; did you mean {operator + '='!r}?"
    return None


def below_zero(what: str, operator: str, bound: float) -> str | None:
    """Refuse a bound that an amount never comes below."""
    if bound < 0 or (operator, bound) == ("<", 0.0):
        return f"{what} is never below 0"
    return None
