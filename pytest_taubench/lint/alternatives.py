"""Other calls in the place of a gold write action: one choice changed, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_taubench.environment.environment import ToolResult
from pytest_taubench.lint.case import Case, Reached, Write
from pytest_taubench.lint.leaves import Path, at, leaves, replaced, shown, without
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.schema import Action

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Alternative:
    """A call that differs from a gold write action in one choice.

    Attributes:
        kind: ``other`` value, ``dropped`` or ``added`` element of a list.
        path: Where in the arguments the choice stands.
        arguments: The arguments with the other choice.
        gold: The value the annotation has.
        value: The other value.
        mine: What is known of the annotation's value.
        other: What is known of the other value.
    """

    kind: str
    path: Path
    arguments: dict[str, Any]
    gold: Any
    value: Any
    mine: Any = None
    other: Any = None

    @property
    def argument(self) -> str:
        """The argument's name."""
        return str(self.path[0])

    @property
    def where(self) -> str:
        """The place in the arguments, for people."""
        return shown(self.path)


def alternatives(case: Case, write: Write, around: Surroundings) -> Iterator[Alternative]:
    """Yield the alternatives to a gold write action, accepted by the tool or not.

    Args:
        case: The task.
        write: The action.
        around: Where its values stand in what an agent can look up.
    """
    arguments = write.action.arguments
    whole: set[Path] = set()
    for path, value in _object_lists(arguments):
        for found in _object_swaps(arguments, path, value, around):
            size = len(found.value)
            first = int(found.path[-1])
            whole.update((*path, first + step) for step in range(size))
            yield found
    for path, value in leaves(arguments):
        choices = _choices(case, write, path)
        if choices:
            yield from _choice_swaps(arguments, path, value, choices)
        elif isinstance(value, str) and path[:-1] not in whole:
            yield from _value_swaps(arguments, path, value, around)
    yield from _shorter(arguments)
    yield from _longer(arguments, around)


def accepted(case: Case, write: Write, found: Alternative) -> Reached | None:
    """Return where the gold actions lead with the alternative, or None where a tool refuses it.

    Where the refusal names other amounts, they are tried as an agent would.
    """
    fitted = fit(case, write, found.arguments)
    return None if fitted is None else fitted[1]


def fit(
    case: Case, write: Write, arguments: dict[str, Any]
) -> tuple[dict[str, Any], Reached] | None:
    """Return arguments that the tool takes in the gold action's place, and where they lead.

    They are the ones given, with other amounts where a refusal names them, or None.
    """
    reached = _with(case, write, arguments)
    if reached.results[write.index].ok:
        return arguments, reached
    for repaired in _repaired(arguments, reached.results[write.index]):
        reached = _with(case, write, repaired)
        if reached.results[write.index].ok:
            return repaired, reached
    return None


def _with(case: Case, write: Write, arguments: dict[str, Any]) -> Reached:
    actions = list(case.task.actions)
    actions[write.index] = Action(name=write.action.name, arguments=arguments)
    return case.run(actions)


def _repaired(arguments: dict[str, Any], refusal: ToolResult) -> Iterator[dict[str, Any]]:
    named = [float(number) for number in _NUMBER.findall(refusal.content)]
    for path, value in leaves(arguments):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        for due in named:
            for paid in named:
                if due != paid and value + due - paid > 0 and _is_sum_of(arguments, path, paid):
                    yield replaced(arguments, path, value + due - paid)


def _is_sum_of(arguments: dict[str, Any], path: Path, total: float) -> bool:
    """Tell whether the numbers in this place of all objects of the list add up to the total."""
    last, holder = path[-1], at(arguments, path[:-2]) if len(path) > 2 else None
    if not isinstance(holder, list):
        return bool(at(arguments, path) == total)
    return bool(sum(each[last] for each in holder if isinstance(each, Mapping)) == total)


def _choices(case: Case, write: Write, path: Path) -> list[Any]:
    schema = case.domain.tools[write.action.name].parameters
    for step in path:
        inner = schema.get("items") if isinstance(step, int) else None
        schema = inner or schema.get("properties", {}).get(step, {})
    if schema.get("type") == "boolean":
        return [True, False]
    return list(schema.get("enum", []))


def _choice_swaps(
    arguments: dict[str, Any], path: Path, value: Any, choices: list[Any]
) -> Iterator[Alternative]:
    for other in choices:
        if other != value:
            new = replaced(arguments, path, other)
            name = str(path[-1])
            yield Alternative("other", path, new, value, other, {name: value}, {name: other})


def _value_swaps(
    arguments: dict[str, Any], path: Path, value: str, around: Surroundings
) -> Iterator[Alternative]:
    held = at(arguments, path[:1])
    for each in around.of_value(value):
        if len(path) > 2 and any(other.get(path[2]) == each.value for other in held):
            continue  # another object of the list has it already
        new = replaced(arguments, path, each.value)
        yield Alternative("other", path, new, value, each.value, each.mine, each.other)


def _object_lists(arguments: dict[str, Any]) -> Iterator[tuple[Path, list[Any]]]:
    for name, value in arguments.items():
        if isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):
            yield (name,), value


def _object_swaps(
    arguments: dict[str, Any], path: Path, chosen: list[Any], around: Surroundings
) -> Iterator[Alternative]:
    for start in range(len(chosen)):
        for size, each in around.of_entry(chosen, start):
            new = [*chosen[:start], *each.value, *chosen[start + size :]]
            old = chosen[start : start + size]
            yield Alternative(
                "other",
                (*path, start),
                replaced(arguments, path, new),
                old,
                each.value,
                each.mine,
                each.other,
            )


def _shorter(arguments: dict[str, Any]) -> Iterator[Alternative]:
    """Leave one element out, of all lists that go side by side."""
    for paths in _parallel(arguments):
        chosen = at(arguments, paths[0])
        for index in range(len(chosen)) if len(chosen) > 1 else ():
            new = arguments
            for path in paths:
                new = without(new, (*path, index))
            yield Alternative("dropped", (*paths[0], index), new, chosen[index], None)


def _longer(arguments: dict[str, Any], around: Surroundings) -> Iterator[Alternative]:
    """Add what stands beside an element; beside each other list's, what could go with it."""
    for paths in _parallel(arguments):
        chosen = at(arguments, paths[0])
        if not all(isinstance(each, str) for each in chosen):
            continue
        for each in (each for value in chosen for each in around.of_value(value)):
            if each.value not in chosen:
                for new in _extended(arguments, paths, each.value, around):
                    place = (*paths[0], len(chosen))
                    yield Alternative(
                        "added", place, new, chosen, each.value, each.mine, each.other
                    )


def _extended(
    arguments: dict[str, Any], paths: list[Path], value: str, around: Surroundings
) -> Iterator[dict[str, Any]]:
    """Yield the arguments with a value more; in lists beside it stands one of its siblings."""
    first, *others = paths
    longer = replaced(arguments, first, [*at(arguments, first), value])
    if not others:
        yield longer
    for partner in around.of_value(value) if others else ():
        new = longer
        for path in others:
            new = replaced(new, path, [*at(arguments, path), partner.value])
        yield new


def _parallel(arguments: dict[str, Any]) -> list[list[Path]]:
    """Return the lists among the arguments, those of single values and one length together."""
    plain: dict[int, list[Path]] = {}
    others: list[list[Path]] = []
    for name, value in arguments.items():
        if not isinstance(value, list) or not value:
            continue
        if any(isinstance(each, (Mapping, list)) for each in value):
            others.append([(name,)])
        else:
            plain.setdefault(len(value), []).append((name,))
    return [*plain.values(), *others]
