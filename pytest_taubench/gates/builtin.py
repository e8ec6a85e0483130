"""The metrics of gates, one class each, in a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_taubench.gates.bounds import (
    Bounds,
    growing_mean_bounds,
    mean_of_scored,
    pass_bounds,
    reward_bounds,
    task_bounds,
    too_few_trials,
)
from pytest_taubench.gates.metric import (
    Figure,
    Gate,
    GateFinding,
    GateMetric,
    PlannedTasks,
    below_zero,
    no_share,
)
from pytest_taubench.gates.selection import Scope
from pytest_taubench.metrics.comparison import LEAST_TRIALS, Comparison, compare, most_trials
from pytest_taubench.metrics.cost import trial_cost
from pytest_taubench.metrics.significance import ALPHA, least_tasks, shown_p
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import Ending, TrialRecord

_PASS = re.compile(r"pass([\^@])\s*(\d+)")


@dataclass(frozen=True)
class Pass(Figure):
    """``pass^k`` and ``pass@k``."""

    kind: str
    k: int

    shown = ".3f"

    @property
    def tested_sequentially(self) -> bool:  # type: ignore[override]
        """True for the mean of the trials, which is what the test is of."""
        return self.name == "pass^1"

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Refuse no trials at all, and what is no share."""
        if self.k < 1:
            return "k must be at least 1"
        return super().refusal(operator, bound, written)

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return them where each task will have k trials."""
        return pass_bounds(scope.records, scope.planned, self.kind, self.k)

    def holds_between(self, gate: Gate, low: float, high: float) -> bool | None:
        """Return None of equality, which few of the values between the ends can meet."""
        if low != high and gate.operator == "==":
            return None
        return super().holds_between(gate, low, high)

    def unknown(self, scope: Scope) -> str:
        """Name the tasks with too few trials."""
        return too_few_trials(self.name, self.k, scope.planned)

    def out_of_plan(self, gate: Gate, plan: PlannedTasks) -> str | None:
        """Name the tasks with too few trials, whatever else runs."""
        counts = {key: task.trials for key, task in plan.tasks.items()}
        short = any(trials < self.k for trials in counts.values())
        return too_few_trials(self.name, self.k, counts) if short else None


class Count(Figure):
    """A number of trials: all, or those of one outcome."""

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Refuse a share, and what no number is below."""
        if written.endswith("%") or 0 < bound < 1:
            return (
                f"{self.name} is a number of trials and no share of them; "
                f"expected a whole number, such as '{self.name} {operator} 2'"
            )
        return below_zero(self.name, operator, bound)

    def bounds(self, scope: Scope) -> Bounds:
        """Return how many there are, and how many with all that are left."""
        now = sum(self.name in ("trials", record.outcome) for record in scope.records)
        return now, now + scope.left

    def out_of_plan(self, gate: Gate, plan: PlannedTasks) -> str | None:
        """Return why the number can never be reached, or None where it can."""
        if not plan.complete or gate.operator in ("<", "<="):
            return None
        planned = sum(task.trials for task in plan.tasks.values())
        if not (gate.bound >= planned if gate.operator == ">" else gate.bound > planned):
            return None
        of = f" of {gate.selector!r}" if gate.selector else ""
        if planned == 1:
            return f"only 1 trial{of} is planned"
        return f"only {planned} trials{of} are planned"


class EachTask(Figure):
    """pass^1 of the task that has the lowest."""

    shown = ".3f"

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Refuse what the lowest says nothing of, and what is no share."""
        if operator not in (">=", ">"):
            return f"each task is to reach a bound; expected >= or >, found {operator}"
        return super().refusal(operator, bound, written)

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return them of the lowest."""
        ends = task_bounds(scope.records, scope.planned, "^", 1)
        if not ends:
            return None
        lows, highs = zip(*ends.values(), strict=True)
        return min(lows), min(highs)

    def unknown(self, scope: Scope) -> str:
        """Say that there is no task."""
        return "no task is planned"

    def said(self, low: float, high: float, scope: Scope) -> str:
        """Name the tasks that have the lowest."""
        ends = task_bounds(scope.records, scope.planned, "^", 1) or {}
        lowest = [task for task, (_, most) in ends.items() if most == high]
        more = f" and {len(lowest) - 1} more" if len(lowest) > 1 else ""
        span = f"{low:.3f}" if low == high else f"between {low:.3f} and {high:.3f}"
        return f"the lowest pass^1 of {len(ends)} tasks is {span}, of {lowest[0]}{more}"


class Reward(Figure):
    """The mean reward."""

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return it with all missing trials failed, and with all passed."""
        return reward_bounds(scope)


class _Amount(Figure):
    """A mean of what trials took; it is no share of anything."""

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Refuse a share, and what no amount is below."""
        if written.endswith("%"):
            return f"{self.name} is no share of anything; expected a number without %"
        return below_zero(self.name, operator, bound)

    def unknown(self, scope: Scope) -> str:
        """Say what has not run, or that it is not known of all that has."""
        return scope.missing() if scope.left else super().unknown(scope)


class Steps(_Amount):
    """The mean number of steps."""

    bounded_early = False

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return it where no trial is left."""
        mean = mean_of_scored(scope, lambda record: float(record.steps))
        return None if mean is None or scope.left else (mean, mean)


class CostPerTrial(_Amount):
    """The mean cost of a trial."""

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return what it is at least; no cost is the greatest."""
        mean = mean_of_scored(scope, trial_cost)
        return None if mean is None else growing_mean_bounds(scope, mean)


class TaskEvalFigure(Figure):
    """A figure of TaskEval, in strict mode: the reference's leave out what could not be read."""

    bounded_early = False

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return it where no trial is left."""
        from pytest_taubench.taskbench.records import overall_of_records

        if scope.left:
            return None
        value = overall_of_records(_graphs(scope)).get(self.name)
        return None if value is None else (value, value)

    def unknown(self, scope: Scope) -> str:
        """Say what has not run, or that nothing was scored."""
        return scope.missing() if scope.left else f"{self.name} is known of no scored trial"

    def said(self, low: float, high: float, scope: Scope) -> str:
        """Return it with the trials it is over."""
        scored = sum(record.outcome == "scored" for record in _graphs(scope))
        return f"{super().said(low, high, scope)} in strict mode over {scored} trials"

    def out_of_plan(self, gate: Gate, plan: PlannedTasks) -> str | None:
        """Refuse a plan without samples."""
        if not plan.complete or any(task.is_sample for task in plan.tasks.values()):
            return None
        return f"{self.name} is a figure of TaskBench samples, and none is collected"


def _graphs(scope: Scope) -> list[TrialRecord]:
    return [record for record in scope.records if record.kind == "graph"]


class NoRegression(Figure):
    """Whether pass^1 fell below a baseline's: a test, which no bounds of a figure decide."""

    needs_baseline = True
    bounded_early = False

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Refuse a margin that is no share."""
        return no_share("a margin", operator, bound, written)

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return None: it is no figure."""
        return None

    def finding(self, gate: Gate, scope: Scope) -> GateFinding:
        """Decide by what was scored, unless what was not might have decided otherwise."""
        before = scope.baseline
        if before is None:
            return GateFinding("cannot tell", None, "there is no run to compare with")
        found = _regression(compare(before, scope.records, margin=gate.bound))
        missing = sum(scope.planned.values()) - len(scope.scored)
        if missing <= 0 or found.decision == "cannot tell":
            return found
        for reward in (0.0, 1.0):
            whole = [*scope.records, *_missing(scope, reward)]
            other = _regression(compare(before, whole, margin=gate.bound))
            if other.decision != found.decision:
                planned = sum(scope.planned.values())
                why = f"{found.reason}; {missing} of {planned} planned trials have no reward"
                return found._replace(decision="cannot tell", reason=why)
        return found

    def out_of_plan(self, gate: Gate, plan: PlannedTasks) -> str | None:
        """Refuse a plan of which the baseline has no task."""
        if not plan.complete or plan.baseline is None or plan.tasks.keys() & plan.baseline:
            return None
        return "the baseline has no scored trial of any task that is collected"


class Broke(Figure):
    """How many tasks passed in a baseline and fail now, beyond what chance explains."""

    needs_baseline = True
    bounded_early = False

    def refusal(self, operator: str, bound: float, written: str) -> str | None:
        """Refuse a share, and what no number is below."""
        if written.endswith("%") or 0 < bound < 1:
            return f"{self.name} is a number of tasks; expected a whole number"
        return below_zero(self.name, operator, bound)

    def bounds(self, scope: Scope) -> Bounds | None:
        """Return it with all missing trials passed, and with all failed."""
        before = scope.baseline or ()
        ends = [compare(before, [*scope.records, *_missing(scope, r)]) for r in (1.0, 0.0)]
        if any(most_trials(each) < LEAST_TRIALS for each in ends):
            return None
        least, most = (len(each.broke) for each in ends)
        return least, most

    def unknown(self, scope: Scope) -> str:
        """Say what of the two runs is too little."""
        if scope.baseline is None:
            return "there is no run to compare with"
        return (
            f"no task can be said to have broken by fewer than {LEAST_TRIALS} trials a side "
            "of an unchanged task"
        )

    def said(self, low: float, high: float, scope: Scope) -> str:
        """Return it with the tasks it is over, and the first that broke."""
        comparison = compare(scope.baseline or (), scope.records)
        named = f", such as {comparison.broke[0]}" if comparison.broke else ""
        number = f"{low:g}" if low == high else f"between {low:g} and {high:g}"
        return f"{number} of {len(comparison.by_task)} tasks broke{named}"

    def out_of_plan(self, gate: Gate, plan: PlannedTasks) -> str | None:
        """Refuse a plan of which the baseline has no task, or with too few trials."""
        if (why := NO_REGRESSION.out_of_plan(gate, plan)) is not None:
            return why
        if all(task.trials < LEAST_TRIALS for task in plan.tasks.values()) and plan.complete:
            return f"{self.name} needs {LEAST_TRIALS} trials a task to tell that one broke"
        return None


def _regression(comparison: Comparison) -> GateFinding:
    """A regression that the data do not support does not fail the gate; that is said.

    Unless no data of so few tasks could support one: such a gate could not fail.
    """
    if "pass^1" not in comparison.differences:
        return GateFinding("cannot tell", None, "no unchanged task has a scored trial in both runs")
    difference = comparison.differences["pass^1"]
    tasks = "1 task" if difference.tasks == 1 else f"{difference.tasks} tasks"
    what = (
        f"pass^1 {difference.before:.3f} → {difference.after:.3f} over {tasks} "
        f"(one-sided p {shown_p(difference.p_worse)})"
    )
    if comparison.verdict == "regression":
        return GateFinding("fails", difference.value, what)
    if comparison.verdict == "no regression":
        return GateFinding("holds", difference.value, what)
    if difference.tasks < (fewest := least_tasks(ALPHA)):
        too_few = f"no drop can be shown over fewer than {fewest} tasks, however large"
        return GateFinding("cannot tell", difference.value, f"{what}; {too_few}")
    open_still = "cannot tell: no drop is shown, but it is not shown either that there is none"
    return GateFinding("holds", difference.value, f"{what}; {open_still}")


def _missing(scope: Scope, reward: float) -> list[TrialRecord]:
    """Return the trials without a reward as if they had ended with that one."""
    scored = Counter(task_key(record) for record in scope.scored)
    return [
        TrialRecord(
            nodeid=f"{task}[trial-{total - number}]",
            suite="",
            domain="",
            task_id=task,
            trial=total - number,
            outcome="scored",
            reward=reward,
            ending=Ending.USER_STOP,
        )
        for task, total in scope.planned.items()
        for number in range(total - scored[task])
    ]


TASKEVAL = ("rouge1", "rouge2", "rougeL", "node_f1", "edge_f1", "ned", "t_f1", "v_f1")

NO_REGRESSION = NoRegression("no regression")
"""The one metric that is written without an operator."""

_FIGURES: Sequence[GateMetric] = (
    *map(Count, ("scored", "unscored", "trials")),
    Reward("reward"),
    EachTask("each task"),
    Broke("broke"),
    CostPerTrial("cost_per_trial"),
    Steps("steps"),
    *map(TaskEvalFigure, TASKEVAL),
)
METRICS: Mapping[str, GateMetric] = MappingProxyType({each.name: each for each in _FIGURES})
"""By name; ``pass^k`` and ``pass@k`` are read for any k."""


def metric_of(name: str) -> GateMetric | None:
    """Return the metric of a name, or None where there is none."""
    if match := _PASS.fullmatch(name):
        return Pass(name, match[1], int(match[2]))
    return METRICS.get(name)
