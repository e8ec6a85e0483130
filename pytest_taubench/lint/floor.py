"""The floor and the ceiling: doing nothing and transferring at once fail, the annotation passes."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_taubench.lint.case import Case
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.floor_trials import ORACLE, RECITAL, SILENT, TRANSFER

CHECK = "floor"
_OWN_WORDS = {
    SILENT: "an agent that does nothing",
    TRANSFER: "an agent that transfers at once",
    RECITAL: "an agent that recites every amount",
}


def check_floor(case: Case) -> Iterable[Finding]:
    """Find tasks that are passed for nothing, or failed by their own annotation."""
    if case.gold.failures and not case.task.ignore_failing_gold:
        return  # said by the check of gold actions; no trial of it is scored
    floor = case.floor
    for name, words in _OWN_WORDS.items():
        if floor.rewards.get(name) == 1:
            message = f"{words} has reward 1: nothing in the reward asks for more"
            yield Finding(CHECK, "error", message, frozenset({name}))
    for name, error in floor.errors.items():
        message = f"the trial of {name} could not be scored: {error}"
        yield Finding(CHECK, "error", message, notable=False)
    if floor.rewards[ORACLE] == 0:
        message = "playing the gold actions and outputs has reward 0"
        yield Finding(CHECK, "error", message, notable=False)
