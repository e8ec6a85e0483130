"""Why a trial failed, by rules, without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from itertools import chain

from pytest_taubench.environment.environment import Environment
from pytest_taubench.errors import InfrastructureError
from pytest_taubench.reward.action_faults import (
    extra_actions,
    forbidden_writes,
    missing_actions,
    missing_calls,
    unexplained,
    wrong_arguments,
    wrong_order,
    wrong_tools,
)
from pytest_taubench.reward.ending_faults import (
    broken_off,
    early_stops,
    missing_information,
    unmet_assertions,
    wrong_transfers,
)
from pytest_taubench.reward.evidence import FailedTrial, gather, pair_cost
from pytest_taubench.schema import Attribution, Fault, FaultKind, PaperClass, Task, TrialRecord

BREAKS_OFF = frozenset(
    {
        FaultKind.UNFINISHED,
        FaultKind.AGENT_ERROR,
        FaultKind.AGENT_TIMEOUT,
        FaultKind.CONTEXT_LENGTH,
        FaultKind.EARLY_STOP,
    }
)
_DECISIONS = frozenset(
    {
        FaultKind.WRONG_TOOL,
        FaultKind.FORBIDDEN_WRITE,
        FaultKind.WRONG_TRANSFER,
        FaultKind.WRONG_ORDER,
    }
)
_UNDONE = frozenset({FaultKind.MISSING_ACTION, FaultKind.MISSING_INFORMATION})


def paper_class(kinds: Set[FaultKind], *, part_done: bool) -> PaperClass | None:
    """Return the class of a failed trial, or None where none of the four shows.

    Args:
        kinds: The kinds of its faults.
        part_done: Whether a part of what was asked for was done right.
    """
    if kinds & BREAKS_OFF:
        kinds = kinds - _UNDONE
    if kinds & _DECISIONS:
        return PaperClass.WRONG_DECISION
    if FaultKind.WRONG_ARGUMENT in kinds:
        return PaperClass.WRONG_ARGUMENT
    if FaultKind.EXTRA_ACTION in kinds:
        return PaperClass.WRONG_DECISION
    if FaultKind.MISSING_ACTION in kinds:
        return PaperClass.PARTLY_RESOLVED if part_done else PaperClass.WRONG_DECISION
    if FaultKind.MISSING_INFORMATION in kinds:
        return PaperClass.WRONG_INFORMATION
    return None


Rule = Callable[[FailedTrial], Iterable[Fault]]

DATABASE_RULES: tuple[Rule, ...] = (
    wrong_tools,
    forbidden_writes,
    wrong_arguments,
    extra_actions,
    missing_actions,
    wrong_order,
)
"""Asked only where the database is why the reward is 0: several ways may lead to one state."""

OTHER_RULES: tuple[Rule, ...] = (missing_calls, missing_information, unmet_assertions)


def attribute(record: TrialRecord, task: Task, environment: Environment) -> Attribution | None:
    """Return why a trial failed, or None where it passed, is unscored, or is of another kind.

    Args:
        record: The graded record.
        task: Its annotation.
        environment: Any environment of the domain; left as it is.

    Returns:
        The attribution. Where the trial's calls cannot be made again, since a tool is broken or
        not the same twice, its one fault says so: the reward stands all the same.
    """
    if record.kind != "tau" or record.outcome != "scored" or record.reward == 1:
        return None
    try:
        evidence = gather(record, task, environment)
    except InfrastructureError as error:
        detail = f"the calls could not be made again to see what each did: {error}"
        fault = Fault(kind=FaultKind.UNEXPLAINED, detail=detail)
        return Attribution(classes=[fault.kind], faults=[fault])
    faults = list(_faults(evidence)) or [unexplained(evidence)]
    kinds = list(dict.fromkeys(fault.kind for fault in faults))
    return Attribution(
        classes=kinds,
        paper_class=paper_class(frozenset(kinds), part_done=_part_done(evidence)),
        faults=faults,
    )


def _faults(evidence: FailedTrial) -> Iterator[Fault]:
    database = DATABASE_RULES if evidence.failing("database") else ()
    found = list(chain.from_iterable(rule(evidence) for rule in (*database, *OTHER_RULES)))
    # How the trial ended comes first where it explains what was left undone.
    yield from broken_off(evidence)
    yield from wrong_transfers(evidence, found)
    yield from early_stops(evidence, found)
    yield from found


def _part_done(evidence: FailedTrial) -> bool:
    """Tell whether a part of what was asked for was done: an annotated write, or an output told."""
    outputs = evidence.record.component("outputs")
    told = bool(outputs and outputs.detail.get("found"))
    return told or any(pair_cost(gold, made) == 0 for gold, made in evidence.writes.pairs)
