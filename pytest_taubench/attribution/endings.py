"""Faults in how a trial ended: broken off, handed over, or left by the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from pytest_taubench.attribution.evidence import Evidence
from pytest_taubench.schema import Ending, Fault, FaultKind, Message

_BROKEN_OFF: Mapping[Ending, FaultKind] = MappingProxyType(
    {
        Ending.MAX_STEPS: FaultKind.UNFINISHED,
        Ending.AGENT_ERROR: FaultKind.AGENT_ERROR,
        Ending.AGENT_TIMEOUT: FaultKind.AGENT_TIMEOUT,
        Ending.CONTEXT_LENGTH: FaultKind.CONTEXT_LENGTH,
    }
)
_REFUSAL = re.compile(
    r"\b(cannot|can not|can['’]t|unable|not able|could(?: not|n['’]t)|not (?:possible|allowed|permitted"
    r"|eligible|available)|unfortunately|won['’]t be able)\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(anything|something) else\b|\belse (?:can )?i\b|\b(any|other) (?:other |more |further )?"
    r"(questions?|requests?|concerns?)\b|\b(further|more|additional) (?:help|assistance)\b"
    r"|\bassist you further\b|\bhelp you further\b",
    re.IGNORECASE,
)


def broken_off(evidence: Evidence) -> Iterator[Fault]:
    """Yield the fault of a trial that did not come to its own end."""
    record = evidence.record
    kind = _BROKEN_OFF.get(record.ending)
    if kind is None:
        return
    detail = record.error.message if record.error else ""
    if kind is FaultKind.UNFINISHED:
        detail = f"the step cap ended the trial after {record.steps} agent actions"
    yield Fault(kind=kind, detail=detail or f"the trial ended by {record.ending}")


def wrong_transfers(evidence: Evidence, found: Sequence[Fault]) -> Iterator[Fault]:
    """Yield a fault where the agent handed the user over with work of the annotation undone."""
    if evidence.record.ending is not Ending.TRANSFER or evidence.gold_transfers:
        return
    if _undone(found):
        last = evidence.record.actions[-1].name if evidence.record.actions else "a tool"
        detail = f"{last} ended the conversation, which the annotation does not do"
        yield Fault(kind=FaultKind.WRONG_TRANSFER, detail=detail, tool=last)


def early_stops(evidence: Evidence, found: Sequence[Fault]) -> Iterator[Fault]:
    """Yield a fault where the user left with work undone while the agent was asking for an answer.

    A stop after a refusal, or after the closing question whether there is more, is none: then
    the agent held the task to be done with.
    """
    if evidence.record.ending is not Ending.USER_STOP or not _undone(found):
        return
    said = _last_said(evidence.record.trajectory)
    if said is None:
        yield Fault(kind=FaultKind.EARLY_STOP, detail="the user left before the agent spoke")
    elif asks_to_go_on(said):
        question = re.split(r"(?<=[.!?])\s+|\n+", said.strip())[-1]
        detail = f"the user left while the agent was asking: {question}"
        yield Fault(kind=FaultKind.EARLY_STOP, detail=detail)


def asks_to_go_on(text: str) -> bool:
    """Tell whether a text asks the user for an answer that the work waits for."""
    last = re.split(r"(?<=[.!?])\s+|\n+", text.strip())[-1]
    return last.endswith("?") and not _CLOSING.search(last) and not _REFUSAL.search(text)


def _undone(found: Sequence[Fault]) -> bool:
    undone = (FaultKind.MISSING_ACTION, FaultKind.MISSING_INFORMATION)
    return any(fault.kind in undone for fault in found)


def _last_said(trajectory: Sequence[Message]) -> str | None:
    """Return the agent's last text to the user."""
    texts = (
        message.content
        for message in reversed(trajectory)
        if message.role == "assistant" and message.content and not message.tool_calls
    )
    return next(texts, None)
