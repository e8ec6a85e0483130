"""Faults in how a trial ended, and in what the agent told the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from pytest_taubench.reward.evidence import FailedTrial
from pytest_taubench.schema import Ending, Fault, FaultKind, Message

_BROKEN_OFF: Mapping[Ending, FaultKind] = MappingProxyType(
    {
        Ending.MAX_STEPS: FaultKind.UNFINISHED,
        Ending.AGENT_ERROR: FaultKind.AGENT_ERROR,
        Ending.AGENT_TIMEOUT: FaultKind.AGENT_TIMEOUT,
        Ending.CONTEXT_LENGTH: FaultKind.CONTEXT_LENGTH,
    }
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_REFUSAL = re.compile(
    r"\b(?:cannot|can not|can['’]t|unable|not able|could(?: not|n['’]t)|unfortunately"
    r"|not (?:possible|allowed|permitted|eligible))\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:any|some)thing else\b|\b(?:any|other|more|further) (?:\w+ )?(?:questions?|requests?|concerns?)\b"
    r"|\b(?:further|more|additional|other) (?:help|assistance)\b|\b(?:assist|help) you further\b"
    r"|\bwhat else\b",
    re.IGNORECASE,
)
_WAITING = re.compile(
    r"\?$|\blet me know (?:how|which|what|whether|if you(?:['’]d| would) like)\b"
    r"|\bplease (?:confirm|provide|reply|share|tell me|choose)\b",
    re.IGNORECASE,
)


def broken_off(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the fault of a trial that did not come to its own end."""
    record = evidence.record
    kind = _BROKEN_OFF.get(record.ending)
    if kind is None:
        return
    detail = record.error.message if record.error else ""
    if kind is FaultKind.UNFINISHED:
        detail = f"the step cap ended the trial after {record.steps} agent actions"
    yield Fault(kind=kind, detail=detail or f"the trial ended by {record.ending}")


def wrong_transfers(evidence: FailedTrial, found: Sequence[Fault]) -> Iterator[Fault]:
    """Yield a fault where the agent handed the user over with work of the annotation undone."""
    if evidence.record.ending is not Ending.TRANSFER or evidence.gold_transfers:
        return
    if _undone(found):
        last = evidence.record.actions[-1].name if evidence.record.actions else "a tool"
        detail = f"{last} ended the conversation, which the annotation does not do"
        yield Fault(kind=FaultKind.WRONG_TRANSFER, detail=detail, tool=last)


def early_stops(evidence: FailedTrial, found: Sequence[Fault]) -> Iterator[Fault]:
    """Yield a fault where the user left with work undone while the agent was asking for an answer.

    A stop after a refusal, or after the closing question whether there is more, is none: then
    the agent held the task to be done with. Nor is one after a question that was asked before:
    the user answered it, and to no avail.
    """
    if evidence.record.ending is not Ending.USER_STOP or not _undone(found):
        return
    said = _said(evidence.record.trajectory)
    if not said:
        yield Fault(kind=FaultKind.EARLY_STOP, detail="the user left before the agent spoke")
        return
    question = question_left_open(said[-1])
    if question is not None and not any(question in earlier for earlier in said[:-1]):
        detail = f"the user left while the agent was asking: {question}"
        yield Fault(kind=FaultKind.EARLY_STOP, detail=detail)


def question_left_open(text: str) -> str | None:
    """Return what a text of the agent asks of the user before it can go on.

    None where it asks nothing, refuses, or merely offers further help. The words are English, as
    nothing but a model reads others.
    """
    if _REFUSAL.search(text):
        return None
    sentences = [part.strip(" *-") for part in _SENTENCE_END.split(text.strip())]
    asking = [each for each in sentences if _WAITING.search(each) and not _CLOSING.search(each)]
    return asking[-1] if asking else None


def _undone(found: Sequence[Fault]) -> bool:
    undone = (FaultKind.MISSING_ACTION, FaultKind.MISSING_INFORMATION)
    return any(fault.kind in undone for fault in found)


def _said(trajectory: Sequence[Message]) -> list[str]:
    """Return the agent's texts to the user."""
    return [
        message.content
        for message in trajectory
        if message.role == "assistant" and message.content and not message.tool_calls
    ]


def missing_information(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the annotated outputs that the user was not told."""
    component = evidence.failing("outputs")
    for output in component.detail.get("missing", ()) if component else ():
        yield Fault(
            kind=FaultKind.MISSING_INFORMATION,
            detail=f"the user was not told {output!r}",
            expected=output,
        )


def unmet_assertions(evidence: FailedTrial) -> Iterator[Fault]:
    """Yield the statements that the judge found not met."""
    component = evidence.failing("nl_assertions")
    for verdict in component.detail.get("verdicts", ()) if component else ():
        if not verdict["met"]:
            yield Fault(
                kind=FaultKind.UNMET_ASSERTION,
                detail=f"not met: {verdict['assertion']} ({verdict['reason']})",
                expected=verdict["assertion"],
            )
