"""Faults of the trial's actions, where the database is why the reward is 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from pytest_taubench.environment.compare import Difference, differences, same
from pytest_taubench.environment.environment import Environment
from pytest_taubench.reward.evidence import (
    FailedTrial,
    WriteCall,
    describe_call,
    different_places,
    differing_arguments,
    end_state,
)
from pytest_taubench.schema import Action, Changes, Fault, FaultKind

_MOST_TRIED = 6
"""Arguments that may differ for all their subsets to be tried: at most 2^6 runs of the gold actions."""
_MOST_SHOWN = 4


def argument_faults(
    environment: Environment,
    actions: Sequence[Action],
    expected: Changes,
    gold: WriteCall,
    made: WriteCall,
) -> list[Fault]:
    """Return the wrong arguments of a call that stands for an annotated action.

    Arguments that differ without consequence, as ids in another order may, are no fault.

    Args:
        environment: Any environment of the domain.
        actions: All annotated actions.
        expected: What they change.
        gold: The annotated action.
        made: The call.
    """
    names = _to_blame(environment, actions, expected, gold, made)
    return [fault for name in names for fault in _faults(gold, made, name)]


def _to_blame(
    environment: Environment,
    actions: Sequence[Action],
    expected: Changes,
    gold: WriteCall,
    made: WriteCall,
) -> Sequence[str]:
    differing = differing_arguments(gold, made)
    if len(differing) > _MOST_TRIED:
        return differing
    for size in range(len(differing)):
        for corrected in combinations(differing, size):
            tried = [*actions]
            tried[gold.index] = Action(name=gold.name, arguments=_mixed(gold, made, corrected))
            state = end_state(environment, tried)
            if state is not None and not any(different_places(state, expected)):
                return corrected
    return differing


def _mixed(gold: WriteCall, made: WriteCall, corrected: Sequence[str]) -> dict[str, Any]:
    """Return the call's arguments with the named ones as the annotation has them."""
    mixed = {name: value for name, value in made.arguments.items() if name not in corrected}
    for name in corrected:
        if name in gold.arguments:
            mixed[name] = gold.arguments[name]
    return mixed


def _faults(gold: WriteCall, made: WriteCall, name: str) -> Iterator[Fault]:
    sides = [
        {name: call.arguments[name]} if name in call.arguments else {} for call in (gold, made)
    ]
    found = differences(sides[0], sides[1])
    if len(found) > _MOST_SHOWN or _flat_lists(sides, name):
        found = [Difference(name, sides[0].get(name), sides[1].get(name))]
    for each in found:
        expected = None if each.added else each.before
        actual = None if each.removed else each.after
        yield Fault(
            kind=FaultKind.WRONG_ARGUMENT,
            detail=f"{_named(gold, made, name)}: {each.line('expected {before}, got {after}')}",
            tool=gold.name,
            argument=each.path,
            expected=expected,
            actual=actual,
        )


def _flat_lists(sides: Sequence[dict[str, Any]], name: str) -> bool:
    """Tell whether both values are lists of plain values, which read best as a whole."""
    return all(
        isinstance(side.get(name), list)
        and not any(isinstance(value, (dict, list)) for value in side[name])
        for side in sides
    )


def _named(gold: WriteCall, made: WriteCall, wrong: str) -> str:
    """Return the tool with the first argument that tells which call is meant."""
    for name, value in made.arguments.items():
        if name != wrong and isinstance(value, str) and gold.arguments.get(name) == value:
            return f"{gold.name} ({name} {value})"
    return gold.name


_LINES_SHOWN = 3


def wrong_tools(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the calls that did something else to a record than the annotation does."""
    for gold, made in evidence.writes.pairs:
        if gold.name != made.name and evidence.concerns(gold, made):
            yield Fault(
                kind=FaultKind.WRONG_TOOL,
                detail=f"called {made} where {gold} was expected",
                tool=made.name,
                expected=gold.name,
                actual=made.name,
            )


def wrong_arguments(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the wrong arguments of calls of the right tool."""
    for gold, made in evidence.writes.pairs:
        if gold.name == made.name and evidence.concerns(gold, made):
            yield from argument_faults(
                evidence.environment,
                evidence.task.actions,
                evidence.record.expected_changes,
                gold,
                made,
            )


def missing_actions(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the annotated writes that no call of the trial stands for."""
    for gold in evidence.writes.missing:
        if evidence.concerns(gold):
            yield _missing(gold.name, f"never done: {gold}{_tried(evidence, gold)}")


def missing_calls(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the annotated calls that were not made, where the basis asks for the calls.

    Where the database counts and is wrong too, the rules about it speak of the writes.
    """
    if evidence.failing("actions") is None:
        return
    tools, left_out = evidence.environment.tools, evidence.failing("database") is not None
    for action in evidence.task.actions:
        if left_out and action.name in tools and tools[action.name].kind == "write":
            continue
        made = (
            each.ok and each.name == action.name and same(each.arguments, action.arguments)
            for each in evidence.record.actions
        )
        if not any(made):
            call = describe_call(action.name, action.arguments)
            yield _missing(action.name, f"never called so: {call}")


def extra_actions(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the writes that the annotation does not have, though it has others."""
    if evidence.gold:
        for made in _extra(evidence):
            detail = f"done, though the annotation does not: {made}"
            yield Fault(kind=FaultKind.EXTRA_ACTION, detail=detail, tool=made.name)


def forbidden_writes(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the writes of a trial whose annotation leaves the database alone.

    Without a model no rule can read a policy. But where the annotation writes nothing, whatever
    the user asked to have written was to be refused, or was not asked for at all.
    """
    if not evidence.gold:
        instead = "hands the user over" if evidence.gold_transfers else "changes nothing"
        for made in _extra(evidence):
            detail = f"done, though the annotation {instead}: {made}"
            yield Fault(kind=FaultKind.FORBIDDEN_WRITE, detail=detail, tool=made.name)


def wrong_order(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield a fault where the very calls of the annotation, in another order, lead elsewhere."""
    pairs, matched = evidence.writes.pairs, evidence.writes
    if not evidence.wrong or matched.missing or matched.extra or not _all_same(pairs):
        return
    ordered = sorted(pairs, key=lambda pair: pair[1].index)
    if [gold.index for gold, _ in ordered] != sorted(gold.index for gold, _ in pairs):
        calls = ", ".join(str(made) for _, made in ordered)
        detail = f"the expected calls were made in another order, which leads elsewhere: {calls}"
        yield Fault(kind=FaultKind.WRONG_ORDER, detail=detail)


def unexplained(evidence: FailedTrial) -> Fault:
    """Return the fault of a trial on which no rule says anything: what the components say."""
    lines = [
        str(line)
        for component in evidence.record.components
        if evidence.failing(component.name)
        for name in ("wrong", "missing", "unexpected")
        for line in component.detail.get(name, ())
    ]
    what = "; ".join(lines[:_LINES_SHOWN]) or "no component says why the reward is 0"
    return Fault(kind=FaultKind.UNEXPLAINED, detail=what)


def _all_same(pairs: list[tuple[WriteCall, WriteCall]]) -> bool:
    return all(g.name == m.name and not differing_arguments(g, m) for g, m in pairs)


def _extra(evidence: FailedTrial) -> list[WriteCall]:
    return [call for call in evidence.writes.extra if evidence.concerns(call)]


def _missing(tool: str, detail: str) -> Fault:
    return Fault(kind=FaultKind.MISSING_ACTION, detail=detail, tool=tool)


def _tried(evidence: FailedTrial, gold: WriteCall) -> str:
    """Say which refused calls of the same tool tried to do it."""
    tried = [call for call in evidence.refused if call.name == gold.name]
    if not tried:
        return ""
    last = describe_call(tried[-1].name, tried[-1].arguments)
    times = "once" if len(tried) == 1 else f"{len(tried)} times"
    return f"; the tool refused {times}, at last {last}"
