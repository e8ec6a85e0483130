"""What can be wrong with a prediction or an annotation, by name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PlanFaultKind(StrEnum):
    """The kinds of fault; each says what was found where."""

    LINE_NOT_JSON = "line-not-json"
    LINE_NOT_OBJECT = "line-not-object"
    NO_ID = "no-id"
    DUPLICATE_ID = "duplicate-id"  # the last one counts
    NO_GOLD = "no-gold"
    NO_PREDICTION = "no-prediction"

    ANSWER_EMPTY = "answer-empty"
    ANSWER_NOT_JSON = "answer-not-json"
    ANSWER_TOO_LONG = "answer-too-long"
    RESULT_MISSING = "result-missing"
    RESULT_NOT_OBJECT = "result-not-object"
    STEPS_MISSING = "steps-missing"
    STEPS_EMPTY = "steps-empty"
    STEPS_NOT_LIST = "steps-not-list"
    STEP_NOT_TEXT = "step-not-text"

    NODES_MISSING = "nodes-missing"
    NODES_NOT_LIST = "nodes-not-list"
    NODE_NOT_OBJECT = "node-not-object"
    TASK_MISSING = "task-missing"
    TASK_NOT_TEXT = "task-not-text"
    UNKNOWN_TOOL = "unknown-tool"

    ARGUMENTS_MISSING = "arguments-missing"
    ARGUMENTS_NOT_LIST = "arguments-not-list"
    ARGUMENTS_TEXT = "arguments-text"
    ARGUMENTS_OBJECT = "arguments-object"
    ARGUMENT_NOT_TEXT = "argument-not-text"
    ARGUMENT_NOT_OBJECT = "argument-not-object"
    ARGUMENT_EMPTY = "argument-empty"
    ARGUMENT_NAME_MISSING = "argument-name-missing"
    ARGUMENT_VALUE_MISSING = "argument-value-missing"
    VALUE_NOT_TEXT = "value-not-text"
    REFERENCE_BROKEN = "reference-broken"
    REFERENCE_OUT_OF_RANGE = "reference-out-of-range"
    REFERENCE_TO_ITSELF = "reference-to-itself"

    LINKS_MISSING = "links-missing"
    LINKS_NOT_LIST = "links-not-list"
    LINK_NOT_OBJECT = "link-not-object"
    LINK_END_MISSING = "link-end-missing"
    LINK_END_NOT_TEXT = "link-end-not-text"
    LINK_TO_NO_NODE = "link-to-no-node"
    CYCLE = "cycle"


@dataclass(frozen=True, slots=True)
class PlanFault:
    """One fault of one sample."""

    kind: PlanFaultKind
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long."""
    return bounded_repr(value, 60)


def bounded_repr(value: object, longest: int) -> str:
    """Return a value's repr, cut where it is long, or its type where it has none."""
    try:
        text = repr(value)
    except Exception:  # too deep, an integer too long, or whatever a user's own repr raises
        text = f"<{type(value).__name__} that cannot be shown>"
    return text if len(text) <= longest else text[: longest - 3] + "..."
