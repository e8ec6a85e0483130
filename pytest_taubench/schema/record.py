"""The record: all that is kept of one trial, JSON-able and independent of the code that ran it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pytest_taubench.schema.attribution import Attribution
from pytest_taubench.schema.message import Message

RECORD_VERSION: Literal[1] = 1


def _nought_or_one(value: float) -> float:
    if value not in (0, 1):
        raise ValueError(f"{value} is neither 0 nor 1")
    return value


NoughtOrOne = Annotated[float, AfterValidator(_nought_or_one)]


class Ending(StrEnum):
    """How a trial ended. Terminated, truncated by a limit, or broken off by a fault."""

    USER_STOP = "user_stop"
    TRANSFER = "transfer"
    ANSWERED = "answered"  # a TaskBench plan was given
    MAX_STEPS = "max_steps"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_ERROR = "agent_error"
    CONTEXT_LENGTH = "context_length"
    MODEL_ERROR = "model_error"
    USER_ERROR = "user_error"
    ENVIRONMENT_ERROR = "environment_error"
    TASK_ERROR = "task_error"
    WORKER_CRASH = "worker_crash"
    CANCELLED = "cancelled"

    @property
    def terminated(self) -> bool:
        """True when the task itself came to its end."""
        return self in (Ending.USER_STOP, Ending.TRANSFER, Ending.ANSWERED)

    @property
    def scored(self) -> bool:
        """True when a trial with this ending has a reward; infrastructure faults have none."""
        return self in _SCORED


_SCORED = frozenset(
    {
        Ending.USER_STOP,
        Ending.TRANSFER,
        Ending.ANSWERED,
        Ending.MAX_STEPS,
        Ending.AGENT_TIMEOUT,
        Ending.AGENT_ERROR,
        Ending.CONTEXT_LENGTH,
    }
)


class ErrorInfo(BaseModel):
    """What went wrong, for a person to read."""

    type: str
    message: str
    traceback: str | None = None


class ActionRecord(BaseModel):
    """One tool call as it was executed.

    Attributes:
        name: The tool's name.
        arguments: The parsed arguments; None where they did not parse.
        kind: ``read``, ``write`` or ``generic``; None for an unknown tool.
        ok: False when the agent was answered with an error.
        message_index: Index in the trajectory of the assistant message that made the call.
    """

    name: str
    arguments: dict[str, Any] | None = None
    kind: Literal["read", "write", "generic"] | None = None
    ok: bool = True
    message_index: int | None = None


class RecordChange(BaseModel):
    """One database record that differs from the start.

    Attributes:
        before: The record at the start; None where it was created.
        after: The record at the end; None where it was deleted.
    """

    before: Any = None
    after: Any = None


Changes = dict[str, dict[str, RecordChange]]
"""Changed records by table and key."""


class Component(BaseModel):
    """One factor of a reward.

    Attributes:
        name: ``database``, ``outputs``, ``actions`` or ``nl_assertions``.
        value: 0 or 1.
        detail: What the value rests on, e.g. found and missing outputs.
        vacuous: True when there was nothing to grade.
    """

    name: str
    value: NoughtOrOne
    detail: dict[str, Any] = Field(default_factory=dict)
    vacuous: bool = False


Count = Annotated[int, Field(ge=0, le=2**53)]
"""A number of things: no larger than a float holds exactly, so that means can be taken."""

_Count = Annotated[Count, Field(strict=True)]


class Usage(BaseModel):
    """Model use of one role over a trial.

    Attributes:
        calls: Model calls.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cached_tokens: Of those sent, tokens that the endpoint had in its cache.
        cost: US dollars, None where unknown.
        input_cost: What of it the tokens sent cost; None where unknown, as in older records.
        output_cost: Likewise the tokens received.
        complete: False when some response came without usage, so that the figures are partial.
        cut: Replies that were cut at the model's length limit.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    calls: Count = 0
    input_tokens: Count = 0
    output_tokens: Count = 0
    cached_tokens: Count = 0
    cost: float | None = None
    input_cost: float | None = None
    output_cost: float | None = None
    complete: bool = True
    cut: Count = 0


_ThreeCounts = Annotated[list[_Count], Field(min_length=3, max_length=3)]
_Share = Annotated[float, Field(ge=0, le=1)]


class GraphCounts(BaseModel):
    """What TaskEval counted of one plan; a graph that was not scored has the first two alone.

    Attributes:
        n_tools: Tools of the gold graph.
        answered: False where there was no prediction at all.
        rouge: ROUGE-1, -2 and -L of the steps.
        nodes: In both, in the prediction alone, and in gold alone; so are the next three.
        edges: Links.
        names: Parameter names.
        values: Parameter values.
        similarity: 1 - the normalized edit distance.
        graph: True where the graphs are the same.
        zero: True for a prediction that is missing or unreadable.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    n_tools: _Count
    answered: Annotated[bool, Field(strict=True)]
    rouge: Annotated[list[_Share], Field(min_length=3, max_length=3)] | None = None
    nodes: _ThreeCounts | None = None
    edges: _ThreeCounts | None = None
    names: _ThreeCounts | None = None
    values: _ThreeCounts | None = None
    similarity: _Share | None = None
    graph: Annotated[bool, Field(strict=True)] | None = None
    zero: Annotated[bool, Field(strict=True)] | None = None


class TrialRecord(BaseModel):
    """All that is kept of a trial.

    Attributes:
        version: The record format.
        kind: ``tau`` or ``graph`` (a TaskBench sample).
        nodeid: The pytest node id of the item.
        suite: The suite the task was collected under.
        domain: The domain's name.
        task_id: The task's id.
        task_hash: Stable hash of the annotation, to notice that a task changed.
        trial: 1-based trial number.
        seed: The run's seed.
        agent: The agent's name, as given.
        user: The user's name, as given.
        outcome: ``scored`` or ``unscored``.
        reward: 0 or 1 when scored, else None.
        components: The factors of the reward.
        ending: How the trial ended.
        steps: Agent actions taken.
        error: The fault, where one ended the trial.
        trajectory: The messages, system message left out when it is the policy.
        actions: The tool calls as executed.
        expected_changes: Records the gold actions change.
        actual_changes: Records the trial changed.
        metrics: Further figures, by name.
        graph: TaskBench: request, gold, prediction and what was read of it.
        notes: Things a reader must know, e.g. a gold action that fails.
        attribution: Which faults, of which classes and whose, for a trial of reward 0.
        gold_writes: Write actions of the annotation; None where it is not known.
        usage: Model use by role (``agent``, ``user``, ``judge``).
        started: Start, seconds since the epoch.
        duration: Seconds.
        worker: The xdist worker, or None.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    version: Literal[1] = RECORD_VERSION
    kind: Literal["tau", "graph"] = "tau"
    nodeid: str
    suite: str
    domain: str
    task_id: str
    task_hash: str = ""
    trial: Count = Field(ge=1)
    seed: int = 0
    agent: str = ""
    user: str = ""
    outcome: Literal["scored", "unscored"]
    reward: NoughtOrOne | None = None
    components: list[Component] = Field(default_factory=list)
    ending: Ending
    steps: Count = 0
    error: ErrorInfo | None = None
    trajectory: list[Message] = Field(default_factory=list)
    actions: list[ActionRecord] = Field(default_factory=list)
    expected_changes: Changes = Field(default_factory=dict)
    actual_changes: Changes = Field(default_factory=dict)
    metrics: dict[str, float] = Field(default_factory=dict)
    graph: dict[str, Any] | None = None
    notes: list[str] = Field(default_factory=list)
    attribution: Attribution | None = None
    gold_writes: Count | None = None
    usage: dict[str, Usage] = Field(default_factory=dict)
    started: float = 0.0
    duration: float = 0.0
    worker: str | None = None

    def component(self, name: str) -> Component | None:
        """Return the reward component of that name, or None."""
        return next((c for c in self.components if c.name == name), None)
