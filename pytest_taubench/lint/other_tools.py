"""Another tool in the place of a gold write: an exchange is asked for, the annotation returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Any

from pytest_taubench.environment.compare import same
from pytest_taubench.environment.tool import Tool
from pytest_taubench.lint.case import Case, Write
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.leaves import leaves
from pytest_taubench.lint.naming import asked_places, name_words, verb
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.lint.words import Words
from pytest_taubench.schema import Action, Changes

CHECK = "other-tool"
_TRIED = 60
_SIBLINGS = 8


def check_other_tools(case: Case) -> Iterable[Finding]:
    """Find gold writes whose arguments another tool takes as well, one that is rather asked for.

    A tool is asked for by the verb of its name. That of the annotation's tool may be missing
    from the instruction, or from the sentences that speak of what the call touches.
    """
    if case.gold.failures:
        return
    around = Surroundings(case.lookups, case.knowledge.all)
    for write in case.writes:
        for tool in case.domain.tools.values():
            if _is_rather_asked_for(case, write, tool, around) and _would_do(
                case, write, tool, around
            ):
                message = (
                    f"{write.label}: {tool.name} takes the same, and the instruction says "
                    f"{verb(tool.name)!r} of it, not {verb(write.action.name)!r}"
                )
                subjects = frozenset({tool.name, write.action.name})
                yield Finding(CHECK, "for a person", message, subjects)


def _is_rather_asked_for(case: Case, write: Write, tool: Tool, around: Surroundings) -> bool:
    mine, sentence = write.action.name, case.text.sentence
    if tool.kind != "write" or verb(tool.name) == verb(mine):
        return False
    asked, own = asked_places(case.text, tool.name), asked_places(case.text, mine)
    elsewhere = [each for each in case.writes if each.action.name == tool.name]
    if not (own or elsewhere):
        return bool(asked)
    # Where people say "change", the verb of the sentence may be that of another gold action.
    foreign = elsewhere if not own else []
    taken = {sentence[place] for each in foreign for place in _mentions(case, each, around)}
    governors = [
        _governor(case, place, asked, own)
        for place in _mentions(case, write, around)
        if sentence[place] not in taken
    ]
    return any(each in asked for each in governors) and not any(each in own for each in governors)


def _mentions(case: Case, write: Write, around: Surroundings) -> list[int]:
    """Return where the instruction names what the call touches: its id, or a word of its name."""
    phrases: list[list[str]] = []
    for _, value in leaves(write.action.arguments):
        if isinstance(value, str) and value in case.lookups.ids and value != case.task.user_id:
            phrases.append(Words.of(value))
            names = [word for each in around.described(value) for word in name_words(each)]
            phrases += [[word] for word in names]
    return [place for each in phrases for place in case.text.places(each)]


def _governor(case: Case, place: int, asked: list[int], own: list[int]) -> int | None:
    """Return the verb that a word belongs to: the last before it in its sentence, or the next."""
    sentence = case.text.sentence
    verbs = sorted(v for v in {*asked, *own} if sentence[v] == sentence[place])
    before = [each for each in verbs if each < place]
    return before[-1] if before else verbs[0] if verbs else None


def _would_do(case: Case, write: Write, tool: Tool, around: Surroundings) -> bool:
    """Tell whether the tool accepts a call of what the gold action has, and leads elsewhere."""
    for arguments in islice(_filled(write, tool, around), _TRIED):
        actions = list(case.task.actions)
        actions[write.index] = Action(name=tool.name, arguments=arguments)
        reached = case.run(actions)
        if reached.results[write.index].ok and not same(
            _after(reached.changes), _after(case.gold.changes)
        ):
            return True
    return False


def _after(changes: Changes) -> dict[str, dict[str, Any]]:
    return {table: {k: r.after for k, r in records.items()} for table, records in changes.items()}


def _filled(write: Write, tool: Tool, around: Surroundings) -> Iterator[dict[str, Any]]:
    """Yield arguments: the gold action's own by their names, choices, and siblings of values."""
    given = write.action.arguments
    shared = {name: given[name] for name in tool.accepted if name in given}
    missing = [p for p in tool.accepted.values() if p.required and p.name not in shared]
    if not shared:
        return
    candidates = [list(_candidates(each.schema, given, around)) for each in missing]
    for values in product(*candidates):
        yield {**shared, **dict(zip((each.name for each in missing), values, strict=True))}


def _candidates(schema: Any, given: dict[str, Any], around: Surroundings) -> Iterator[Any]:
    """Yield values for a parameter that the gold action has not.

    A text is a choice or a sibling of a value that the action names, a list of texts one
    sibling of each element of a list.
    """
    if schema.get("enum"):
        yield from schema["enum"]
    elif schema.get("type") == "string":
        texts = [value for value in given.values() if isinstance(value, str)]
        yield from (other for value in texts for other in _siblings(value, around))
    elif schema.get("type") == "array":
        for value in given.values():
            if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
                yield from map(list, zip(*(_siblings(v, around) for v in value), strict=False))


def _siblings(value: str, around: Surroundings) -> list[str]:
    return list(dict.fromkeys(each.value for each in around.of_value(value)))[:_SIBLINGS]
