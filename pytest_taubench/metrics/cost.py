"""What a run's models were asked and what that cost, by role."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_taubench.schema import TrialRecord, Usage


@dataclass(frozen=True)
class RoleCost:
    """The model use of one role over a run.

    Attributes:
        role: ``agent``, ``user`` or ``judge``.
        calls: Model calls.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost: US dollars over the trials whose cost is known; None where none is.
        partial: True where a response came without usage or a price is unknown.
        incomplete: True where a response came without usage, so that the tokens are partial too.
        input_cost: What the tokens sent cost, over the trials where that is known; None where it
            is known of none.
        output_cost: Likewise the tokens received.
        split_partial: True where the two leave out a trial.
    """

    role: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    partial: bool
    incomplete: bool = False
    input_cost: float | None = None
    output_cost: float | None = None
    split_partial: bool = False


def cost_by_role(records: Iterable[TrialRecord]) -> list[RoleCost]:
    """Return the use of each role, in order of appearance."""
    uses: dict[str, list[Usage]] = {}
    for record in records:
        for role, usage in record.usage.items():
            uses.setdefault(role, []).append(usage)
    return [_role_cost(role, members) for role, members in uses.items()]


def trial_cost(record: TrialRecord) -> float | None:
    """Return what all models of a trial cost, or None where the cost of one is not known."""
    costs = [usage.cost for usage in record.usage.values() if _used(usage)]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _used(usage: Usage) -> bool:
    """Return False of a trial that ended before its first call: it cost nothing, at any price."""
    return usage != Usage()


def _role_cost(role: str, uses: list[Usage]) -> RoleCost:
    uses = [usage for usage in uses if _used(usage)]
    incomplete = not all(usage.complete for usage in uses)
    split = [usage for usage in uses if None not in (usage.input_cost, usage.output_cost)]
    return RoleCost(
        role=role,
        calls=sum(usage.calls for usage in uses),
        input_tokens=sum(usage.input_tokens for usage in uses),
        output_tokens=sum(usage.output_tokens for usage in uses),
        cost=_known_sum(usage.cost for usage in uses),
        partial=incomplete or any(usage.cost is None for usage in uses),
        incomplete=incomplete,
        input_cost=_known_sum(usage.input_cost for usage in split),
        output_cost=_known_sum(usage.output_cost for usage in split),
        split_partial=incomplete or len(split) < len(uses),
    )


def _known_sum(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None
