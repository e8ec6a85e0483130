"""A role's cost as a reader sees it: a sum that leaves something out always says so."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_taubench.metrics.cost import RoleCost


@dataclass(frozen=True)
class CostText:
    """What the models of a role cost, in words.

    Attributes:
        total: For all.
        input: For the tokens sent.
        output: For the tokens received.
    """

    total: str
    input: str
    output: str


def cost_text(cost: RoleCost) -> CostText:
    """Return the cost of a role."""
    return CostText(
        total=_dollars(cost.cost, cost.partial, cost.incomplete),
        input=_dollars(cost.input_cost, cost.split_partial, cost.incomplete),
        output=_dollars(cost.output_cost, cost.split_partial, cost.incomplete),
    )


def _dollars(value: float | None, partial: bool, incomplete: bool) -> str:
    shown = "unknown" if value is None else f"${value:,.4f}"
    # What is unknown and never had a price is no part of anything.
    return f"{shown} (partial)" if incomplete or (partial and value is not None) else shown
