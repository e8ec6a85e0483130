"""A sequential test of pass^1 against a gate's bound, with a stated chance of error.

What is tested is the true pass^1 of the planned tasks: the mean of the chances p_i that a trial
of task i passes. Trials are assumed independent of each other given their task. Nothing is
assumed of the p_i, however much tasks differ and whatever order they run in.

A round is one trial of every task. Over whole rounds the likelihood ratio of a pass rate q
against the bound b, (q/b)^S ((1-q)/(1-b))^(N-S) with S of N trials passed, has an expectation of
at most 1 while the mean of the p_i is on b's side: the expectation of a round is a product of
terms linear in p_i, and by concavity of the logarithm it is greatest where all p_i are equal. So
is the mean of that ratio over all q on the other side of b, and by Ville's inequality the chance
that it ever reaches 1/error is at most ``error``. Trials of a round that are missing or unscored
are counted against the decision, so that a round need not be waited for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pytest_taubench.gates.decision import GateResult
from pytest_taubench.gates.metric import Gate
from pytest_taubench.gates.selection import Scope, scope_of
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import TrialRecord


def decide_sequentially(
    gate: Gate,
    records: Sequence[TrialRecord],
    planned: Mapping[str, int],
    error: float,
) -> GateResult | None:
    """Decide a gate on pass^1 by the evidence so far, or return None where it does not suffice.

    It may be asked after every trial: the chance that it ever decides wrongly is at most
    ``error``.

    Args:
        gate: The gate.
        records: The records so far.
        planned: Trials planned a task.
        error: The chance of a wrong decision that is tolerated.
    """
    if not gate.figure.tested_sequentially or gate.operator == "==" or not 0 < gate.bound < 1:
        return None
    scope = scope_of(gate.selector, records, planned)
    plan = scope.planned
    if not plan or len(set(plan.values())) != 1:
        return None
    rounds = _rounds(scope)
    for above in (True, False):
        evidence = max((_evidence(r, len(plan), gate.bound, above) for r in rounds), default=0.0)
        if evidence >= 1 / error:
            holds = above == (gate.operator in (">=", ">"))
            side = "above" if above else "below"
            return GateResult(
                gate,
                "holds" if holds else "fails",
                None,
                f"pass^1 is {side} {gate.bound:g} by a sequential test with error {error:g}, "
                f"after {sum(map(len, rounds[-1]))} of {sum(plan.values())} trials",
            )
    return None


_Rounds = list[list[float]]


def _rounds(scope: Scope) -> list[_Rounds]:
    """Return the scored rewards of the first round, of the first two, and so on."""
    by_trial: dict[int, list[float]] = {}
    for record in scope.records:
        if task_key(record) in scope.planned and record.reward is not None:
            by_trial.setdefault(record.trial, []).append(record.reward)
    ordered = [by_trial.get(trial, []) for trial in range(1, max(by_trial, default=0) + 1)]
    return [ordered[:count] for count in range(1, len(ordered) + 1)]


def _evidence(rounds: _Rounds, tasks: int, bound: float, above: bool) -> float:
    total = tasks * len(rounds)
    passed = sum(reward == 1 for rewards in rounds for reward in rewards)
    failed = sum(map(len, rounds)) - passed
    if above:
        return evidence_above(passed, total, bound)
    return evidence_above(failed, total, 1 - bound)


def evidence_above(passed: int, trials: int, bound: float) -> float:
    """Return the mean likelihood ratio of the rates above ``bound``, all weighted alike.

    The evidence below a bound is that of the failures above 1 - bound.

    Args:
        passed: Trials that passed.
        trials: Trials.
        bound: The rate that is tested, strictly between 0 and 1.
    """
    from scipy import special

    failed = trials - passed
    share = float(special.betaincc(passed + 1, failed + 1, bound))
    if share <= 0:
        return 0.0
    logarithm = (
        float(special.betaln(passed + 1, failed + 1))
        + math.log(share)
        - math.log1p(-bound)
        - passed * math.log(bound)
        - failed * math.log1p(-bound)
    )
    return math.exp(min(logarithm, 700.0))
