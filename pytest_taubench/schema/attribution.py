"""Why a trial failed: its faults, their classes, and whose a model says they are."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class FaultKind(StrEnum):
    """The classes of fault that are told apart without a model."""

    WRONG_TOOL = "wrong_tool"
    WRONG_ARGUMENT = "wrong_argument"
    MISSING_ACTION = "missing_action"
    EXTRA_ACTION = "extra_action"
    FORBIDDEN_WRITE = "forbidden_write"  # a write where the annotation has none at all
    WRONG_ORDER = "wrong_order"
    MISSING_INFORMATION = "missing_information"
    UNMET_ASSERTION = "unmet_assertion"
    WRONG_TRANSFER = "wrong_transfer"
    EARLY_STOP = "early_stop"  # the user left while the agent was asking
    UNFINISHED = "unfinished"  # at the step cap
    AGENT_ERROR = "agent_error"
    AGENT_TIMEOUT = "agent_timeout"
    CONTEXT_LENGTH = "context_length"
    UNEXPLAINED = "unexplained"


class PaperClass(StrEnum):
    """The classes of the failure analysis in arXiv 2406.12045, section 5."""

    WRONG_ARGUMENT = "wrong_argument"
    WRONG_INFORMATION = "wrong_information"
    WRONG_DECISION = "wrong_decision"
    PARTLY_RESOLVED = "partly_resolved"


class Fault(BaseModel):
    """One fault of a failed trial.

    Attributes:
        kind: Its class.
        detail: What happened, as a sentence.
        tool: The tool concerned, where there is one.
        argument: The argument's path, e.g. ``flights[0].date``.
        expected: What the annotation has there.
        actual: What the trial had there.
    """

    model_config = ConfigDict(extra="forbid")

    kind: FaultKind
    detail: str
    tool: str | None = None
    argument: str | None = None
    expected: Any = None
    actual: Any = None


class Verdict(BaseModel):
    """Whose fault a model says it was.

    Attributes:
        whose: ``agent``, ``user`` (the simulator) or ``task`` (the annotation); None where the
            model could not be had to say.
        why: Its reason; why it is not attributed where ``whose`` is None.
        model: The model's name as its endpoint reports it, or as it was asked for.
    """

    model_config = ConfigDict(extra="forbid")

    whose: Literal["agent", "user", "task"] | None
    why: str
    model: str | None = None


class Attribution(BaseModel):
    """Why a scored trial failed.

    Attributes:
        classes: The kinds of its faults, each once, the most telling first.
        paper_class: The one class of the paper's four that it falls under; None where the
            trial was broken off before any of them shows.
        faults: The faults.
        model: What a model says, where one was asked.
    """

    model_config = ConfigDict(extra="forbid")

    classes: list[FaultKind]
    paper_class: PaperClass | None = None
    faults: list[Fault] = Field(default_factory=list)
    model: Verdict | None = None
