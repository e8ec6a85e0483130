"""Faults of the trial's actions, where the database is why the reward is 0."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_taubench.attribution.arguments import argument_faults
from pytest_taubench.attribution.calls import Call, describe_call
from pytest_taubench.attribution.evidence import Evidence
from pytest_taubench.attribution.matching import differing_arguments
from pytest_taubench.environment.compare import same
from pytest_taubench.schema import Fault, FaultKind

_LINES_SHOWN = 3


def wrong_tools(evidence: Evidence) -> Iterator[Fault]:
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


def wrong_arguments(evidence: Evidence) -> Iterator[Fault]:
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


def missing_actions(evidence: Evidence) -> Iterator[Fault]:
    """Yield the annotated writes that no call of the trial stands for."""
    for gold in evidence.writes.missing:
        if evidence.concerns(gold):
            yield _missing(gold.name, f"never done: {gold}{_tried(evidence, gold)}")


def missing_calls(evidence: Evidence) -> Iterator[Fault]:
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


def extra_actions(evidence: Evidence) -> Iterator[Fault]:
    """Yield the writes that the annotation does not have, though it has others."""
    if evidence.gold:
        for made in _extra(evidence):
            detail = f"done, though the annotation does not: {made}"
            yield Fault(kind=FaultKind.EXTRA_ACTION, detail=detail, tool=made.name)


def forbidden_writes(evidence: Evidence) -> Iterator[Fault]:
    """Yield the writes of a trial whose annotation leaves the database alone.

    Without a model no rule can read a policy. But where the annotation writes nothing, whatever
    the user asked to have written was to be refused, or was not asked for at all.
    """
    if not evidence.gold:
        instead = "hands the user over" if evidence.gold_transfers else "changes nothing"
        for made in _extra(evidence):
            detail = f"done, though the annotation {instead}: {made}"
            yield Fault(kind=FaultKind.FORBIDDEN_WRITE, detail=detail, tool=made.name)


def wrong_order(evidence: Evidence) -> Iterator[Fault]:
    """Yield a fault where the very calls of the annotation, in another order, lead elsewhere."""
    pairs, matched = evidence.writes.pairs, evidence.writes
    if not evidence.wrong or matched.missing or matched.extra or not _all_same(pairs):
        return
    ordered = sorted(pairs, key=lambda pair: pair[1].index)
    if [gold.index for gold, _ in ordered] != sorted(gold.index for gold, _ in pairs):
        calls = ", ".join(str(made) for _, made in ordered)
        detail = f"the expected calls were made in another order, which leads elsewhere: {calls}"
        yield Fault(kind=FaultKind.WRONG_ORDER, detail=detail)


def unexplained(evidence: Evidence) -> Fault:
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


def _all_same(pairs: list[tuple[Call, Call]]) -> bool:
    return all(g.name == m.name and not differing_arguments(g, m) for g, m in pairs)


def _extra(evidence: Evidence) -> list[Call]:
    return [call for call in evidence.writes.extra if evidence.concerns(call)]


def _missing(tool: str, detail: str) -> Fault:
    return Fault(kind=FaultKind.MISSING_ACTION, detail=detail, tool=tool)


def _tried(evidence: Evidence, gold: Call) -> str:
    """Say which refused calls of the same tool tried to do it."""
    tried = [call for call in evidence.refused if call.name == gold.name]
    if not tried:
        return ""
    last = describe_call(tried[-1].name, tried[-1].arguments)
    times = "once" if len(tried) == 1 else f"{len(tried)} times"
    return f"; the tool refused {times}, at last {last}"
