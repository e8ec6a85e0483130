"""The errors that cross module borders, sorted by whose fault they are."""

from __future__ import annotations

from collections.abc import Sequence


class TauBenchError(Exception):
    """Base of every error this package raises on purpose."""


class ToolError(TauBenchError):
    """A tool refused a call; the message is what the agent reads.

    Raise it from a tool for anything the agent can act on: an unknown id, a status that
    forbids the change, a payment that does not cover the price.
    """


class AgentError(TauBenchError):
    """The agent under test broke a rule of the harness or raised; scored 0."""


class ContextLengthError(AgentError):
    """The conversation no longer fits the agent's model; scored 0."""


class InfrastructureError(TauBenchError):
    """Something outside the agent failed, so the trial has no reward.

    Attributes:
        source: What failed: ``model``, ``user``, ``environment``, ``worker`` or ``task``.
    """

    def __init__(self, message: str, *, source: str) -> None:
        super().__init__(message)
        self.source = source


class EpisodeOver(BaseException):
    """Breaks an agent's own tool loop that goes on calling after the episode's end.

    Not an Exception, since agent frameworks catch those and show them to the model, which
    would then call again.
    """


class CodeExitError(Exception):
    """Foreign code raised what is meant to end a process, a test or a task, not a call.

    ``sys.exit()``, ``KeyboardInterrupt``, ``pytest.skip()`` and the like are no exceptions of
    the usual kind: passed on, they would end the engine or take the item out of the figures.
    """


class EndpointFailedError(InfrastructureError):
    """A model's endpoint failed and went on failing, or left a request without an answer."""

    def __init__(self, message: str) -> None:
        super().__init__(message, source="model")


class EndpointDownError(EndpointFailedError):
    """Nothing answers at a model's address, so that the next trial will hardly fare better."""


class EndpointRefusedError(InfrastructureError):
    """A model's endpoint refused a request as wrong, and has answered none of its role so far.

    Once it has answered one, such a refusal is that of a single prompt: a RequestRefusedError.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, source="model")


class RequestRefusedError(InfrastructureError):
    """A model's endpoint refused a request as wrong, though it had answered others of its role."""

    def __init__(self, message: str) -> None:
        super().__init__(message, source="model")


class FatalError(TauBenchError):
    """No trial can succeed (refused key, unknown model); the run stops at once.

    Attributes:
        record: The record of the trial that found it, which was paid for up to there.
    """

    record: object = None


class DomainError(TauBenchError):
    """A domain folder is missing, incomplete or wrong."""


class TaskFileError(TauBenchError):
    """A task file is wrong; the message names file, line, task and field.

    Attributes:
        problems: Everything found wrong in the file; the message shows the first few.
    """

    def __init__(self, message: str, problems: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


def text_of(error: BaseException) -> str:
    """Return the type and message of an exception, which may be broken itself."""
    try:
        message = str(error)
    except Exception as broken:
        message = f"(its message cannot be shown: {type(broken).__name__})"
    return f"{type(error).__name__}: {message}"
