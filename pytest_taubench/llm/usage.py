"""Adding up what a role's calls used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.schema import Usage


class UsageTally:
    """The model use of one role over one trial.

    A sum with an unknown part is no sum: once a call came without usage or without a price, the
    costs are None and, for missing usage, ``complete`` is False.
    """

    def __init__(self) -> None:
        self._calls: list[Usage] = []

    def add(self, reply: ChatReply) -> None:
        """Count one reply."""
        used = reply.usage or Usage(calls=1, complete=False)
        self._calls.append(used.model_copy(update={"cut": int(reply.finish_reason == "length")}))

    def total(self) -> Usage:
        """Return the sum of all calls so far."""
        return add_usage(self._calls)


def add_usage(calls: Iterable[Usage | None]) -> Usage:
    """Return the sum; a None stands for one call of unknown use."""
    parts = [Usage(calls=1, complete=False) if part is None else part for part in calls]
    counted = [part for part in parts if part.calls]
    return Usage(
        calls=sum(part.calls for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        cost=_whole_sum([part.cost for part in counted]),
        input_cost=_whole_sum([part.input_cost for part in counted]),
        output_cost=_whole_sum([part.output_cost for part in counted]),
        complete=all(part.complete for part in parts),
        cut=sum(part.cut for part in parts),
    )


def _whole_sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None
