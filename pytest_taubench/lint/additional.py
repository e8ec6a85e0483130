"""Additional actions: what the instruction names, a tool would do, and the annotation leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from pytest_taubench.environment.tool import Tool
from pytest_taubench.lint.case import Case, Write
from pytest_taubench.lint.evidence import ALL, evidence
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.leaves import Path, leaves, replaced
from pytest_taubench.lint.naming import asked_places, in_words
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.schema import Action

CHECK = "additional"


def check_additional(case: Case) -> Iterable[Finding]:
    """Find writes that could be made beside the gold ones.

    Two kinds are looked at: a tool that needs no more than an id the instruction names, and a
    gold action made once more for another record where the instruction says "all" or "each".
    """
    if case.gold.failures:
        return
    seen: set[tuple[str, str]] = set()
    for action, key in [*_on_named_records(case), *_once_more(case)]:
        if (action.name, key) not in seen and _is_accepted(case, action):
            seen.add((action.name, key))
            message = (
                f"{action.name} would take {key} too{in_words(key, case.lookups.record(key))}, of which the instruction speaks; "
                "the annotation leaves it as it is"
            )
            subjects = frozenset({key, key.lstrip("#@"), action.name})
            yield Finding(CHECK, "for a person", message, subjects)


def _is_accepted(case: Case, action: Action) -> bool:
    reached = case.run([*case.task.actions, action])
    return reached.results[-1].ok


def _on_named_records(case: Case) -> Iterator[tuple[Action, str]]:
    """Calls that need an id of the instruction alone, of records that no gold action touches."""
    touched = {value for write in case.writes for _, value in leaves(write.action.arguments)}
    named = dict.fromkeys(case.lookups.ids_in(case.task.instruction))
    for tool in case.domain.tools.values():
        if tool.kind == "write" and asked_places(case.text, tool.name):
            for key in named:
                if key not in touched:
                    yield from ((call, key) for call in _calls(tool, key))


def _calls(tool: Tool, key: str) -> Iterator[Action]:
    return (Action(name=tool.name, arguments=arguments) for arguments in _filled(tool, key))


def _filled(tool: Tool, key: str) -> Iterator[dict[str, Any]]:
    """Yield arguments of the key and of choices, where a tool asks for nothing else."""
    required = [each for each in tool.accepted.values() if each.required]
    free = [each for each in required if not each.schema.get("enum")]
    if len(free) != 1 or free[0].schema.get("type") != "string":
        return
    choices = [each for each in required if each.schema.get("enum")]
    for values in product(*(each.schema["enum"][:1] for each in choices)):
        yield {free[0].name: key, **dict(zip((c.name for c in choices), values, strict=True))}


def _is_made(case: Case, tool: str, key: str) -> bool:
    return any(
        write.action.name == tool and key in [v for _, v in leaves(write.action.arguments)]
        for write in case.writes
    )


def _once_more(case: Case) -> Iterator[tuple[Action, str]]:
    """Gold actions for other records of the user, where the instruction asks for all."""
    if not case.text.has_any(ALL):
        return
    around = Surroundings(case.lookups, case.knowledge.involved)
    for write in case.writes:
        for path, value in leaves(write.action.arguments):
            if len(path) == 1 and value in case.lookups.keys:
                yield from _for_siblings(case, write, path, value, around)


def _for_siblings(
    case: Case, write: Write, path: Path, value: str, around: Surroundings
) -> Iterator[tuple[Action, str]]:
    for each in around.of_value(value):
        if each.value not in case.lookups.keys or _is_made(case, write.action.name, each.value):
            continue
        heard = evidence(case.text, each.mine, each.other, (), case.phrases)
        if not heard.spared and not heard.decides:
            arguments = replaced(write.action.arguments, path, each.value)
            yield Action(name=write.action.name, arguments=arguments), each.value
