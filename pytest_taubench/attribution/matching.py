"""Which call of the trial stands for which annotated action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_taubench.attribution.assignment import cheapest_assignment
from pytest_taubench.attribution.calls import Call
from pytest_taubench.environment.compare import same

_UNMATCHED = 1.0
"""Of one call without a partner: a pair is made where it costs less than two of these."""
_OTHER_TOOL = 1.5
_NEVER = 1e6


@dataclass(frozen=True)
class Matching:
    """Annotated actions and calls of a trial, matched.

    Attributes:
        pairs: An annotated action and the call that stands for it.
        missing: Annotated actions that no call stands for.
        extra: Calls that stand for no annotated action.
    """

    pairs: list[tuple[Call, Call]]
    missing: list[Call]
    extra: list[Call]


def match_calls(gold: Sequence[Call], made: Sequence[Call]) -> Matching:
    """Match so that the pairs differ as little as they can over all.

    A pair costs the share of arguments that differ; two tools make a pair only where both
    changed the same record, and then more than any pair of one tool.
    """
    chosen = [(g, m) for g, m in _assign(gold, made) if pair_cost(g, m) < 2 * _UNMATCHED]
    taken = {g.index for g, _ in chosen}, {m.index for _, m in chosen}
    return Matching(
        pairs=chosen,
        missing=[call for call in gold if call.index not in taken[0]],
        extra=[call for call in made if call.index not in taken[1]],
    )


def pair_cost(gold: Call, made: Call) -> float:
    """Return how ill a call stands for an annotated action; 0 where it is the same call."""
    differing = differing_arguments(gold, made)
    count = len({*gold.arguments, *made.arguments})
    if gold.name == made.name:
        # A call that shares nothing but the tool is another deed, unless it has but one argument.
        return len(differing) / count if len(differing) < count or count < 2 else _NEVER
    if not _same_subject(gold, made):
        return _NEVER
    return _OTHER_TOOL + 0.4 * len(differing) / max(1, count)


def differing_arguments(gold: Call, made: Call) -> list[str]:
    """Return the names of the arguments that differ by meaning, those not given included."""
    names = [*gold.arguments, *(name for name in made.arguments if name not in gold.arguments)]
    return [
        name
        for name in names
        if name not in gold.arguments
        or name not in made.arguments
        or not same(gold.arguments[name], made.arguments[name])
    ]


def _same_subject(gold: Call, made: Call) -> bool:
    """Tell whether two calls of different tools did something to the same record.

    A record that both merely change besides, as a user's balance is, does not make them alike:
    at least half of the changed records must be common, and a call that creates a record is not
    like one that changes what is there.
    """
    common = gold.changed & made.changed
    return gold.creates == made.creates and 2 * len(common) >= len(gold.changed | made.changed) > 0


def _assign(gold: Sequence[Call], made: Sequence[Call]) -> list[tuple[Call, Call]]:
    # What no pair should be made of costs as much as leaving both alone, so none is forced.
    costs = [[min(pair_cost(g, m), 2 * _UNMATCHED) for m in made] for g in gold]
    return [(gold[row], made[column]) for row, column in cheapest_assignment(costs)]
