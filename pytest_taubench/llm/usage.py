"""Adding up what a role's calls used."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.schema import Usage


class UsageTally:
    """The model use of one role over one trial.

    A sum with an unknown part is no sum: once a call came without usage or without a price, the
    cost is None and, for missing usage, ``complete`` is False.
    """

    def __init__(self) -> None:
        self._calls: list[Usage | None] = []

    def add(self, reply: ChatReply) -> None:
        """Count one reply."""
        self._calls.append(reply.usage)

    def total(self) -> Usage:
        """Return the sum of all calls so far."""
        return add_usage(self._calls)


def add_usage(calls: Iterable[Usage | None]) -> Usage:
    """Return the sum; a None stands for one call of unknown use."""
    parts = [Usage(calls=1, complete=False) if part is None else part for part in calls]
    costs = [part.cost for part in parts if part.calls]
    known = [cost for cost in costs if cost is not None]
    return Usage(
        calls=sum(part.calls for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        cost=sum(known) if known and len(known) == len(costs) else None,
        complete=all(part.complete for part in parts),
    )
