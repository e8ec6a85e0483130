"""Which arguments of a call are to blame: the fewest that, put right, put the end state right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from pytest_taubench.attribution.calls import Call, different_places, end_state
from pytest_taubench.attribution.matching import differing_arguments
from pytest_taubench.environment.compare import Difference, differences
from pytest_taubench.environment.environment import Environment
from pytest_taubench.schema import Action, Changes, Fault, FaultKind

_MOST_TRIED = 6
"""Arguments that may differ for all their subsets to be tried: at most 2^6 runs of the gold actions."""
_MOST_SHOWN = 4


def argument_faults(
    environment: Environment, actions: Sequence[Action], expected: Changes, gold: Call, made: Call
) -> list[Fault]:
    """Return the wrong arguments of a call that stands for an annotated action.

    Arguments that differ without consequence, as ids in another order may, are no fault.

    Args:
        environment: Any environment of the domain.
        actions: All annotated actions.
        expected: What they change.
        gold: The annotated action.
        made: The call.
    """
    names = _to_blame(environment, actions, expected, gold, made)
    return [fault for name in names for fault in _faults(gold, made, name)]


def _to_blame(
    environment: Environment, actions: Sequence[Action], expected: Changes, gold: Call, made: Call
) -> Sequence[str]:
    differing = differing_arguments(gold, made)
    if len(differing) > _MOST_TRIED:
        return differing
    for size in range(len(differing)):
        for corrected in combinations(differing, size):
            tried = [*actions]
            tried[gold.index] = Action(name=gold.name, arguments=_mixed(gold, made, corrected))
            state = end_state(environment, tried)
            if state is not None and not any(different_places(state, expected)):
                return corrected
    return differing


def _mixed(gold: Call, made: Call, corrected: Sequence[str]) -> dict[str, Any]:
    """Return the call's arguments with the named ones as the annotation has them."""
    mixed = {name: value for name, value in made.arguments.items() if name not in corrected}
    for name in corrected:
        if name in gold.arguments:
            mixed[name] = gold.arguments[name]
    return mixed


def _faults(gold: Call, made: Call, name: str) -> Iterator[Fault]:
    sides = [
        {name: call.arguments[name]} if name in call.arguments else {} for call in (gold, made)
    ]
    found = differences(sides[0], sides[1])
    if len(found) > _MOST_SHOWN or _flat_lists(sides, name):
        found = [Difference(name, sides[0].get(name), sides[1].get(name))]
    for each in found:
        expected = None if each.added else each.before
        actual = None if each.removed else each.after
        yield Fault(
            kind=FaultKind.WRONG_ARGUMENT,
            detail=f"{_named(gold, made, name)}: {each.line('expected {before}, got {after}')}",
            tool=gold.name,
            argument=each.path,
            expected=expected,
            actual=actual,
        )


def _flat_lists(sides: Sequence[dict[str, Any]], name: str) -> bool:
    """Tell whether both values are lists of plain values, which read best as a whole."""
    return all(
        isinstance(side.get(name), list)
        and not any(isinstance(value, (dict, list)) for value in side[name])
        for side in sides
    )


def _named(gold: Call, made: Call, wrong: str) -> str:
    """Return the tool with the first argument that tells which call is meant."""
    for name, value in made.arguments.items():
        if name != wrong and isinstance(value, str) and gold.arguments.get(name) == value:
            return f"{gold.name} ({name} {value})"
    return gold.name
