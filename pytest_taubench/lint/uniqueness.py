"""Uniqueness: nothing but the annotation is right.

For each gold write action, every other choice that the tools accept and that leads elsewhere must be
excluded by the instruction. What a program cannot decide is listed for a person.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pytest_taubench.environment.compare import same, short
from pytest_taubench.lint.alternatives import Alternative, accepted, alternatives
from pytest_taubench.lint.case import Case, Write
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.judge import Judge
from pytest_taubench.lint.leaves import Path, leaves
from pytest_taubench.lint.naming import described, names_described, tool_words
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.lint.words import Words
from pytest_taubench.schema import Changes

CHECK = "uniqueness"
_SHOWN = 4
_ROOT = 7  # "compensation" and "compensated" have one root


def check_uniqueness(case: Case) -> Iterable[Finding]:
    """Find choices of the annotation that the instruction leaves open."""
    if case.gold.failures:
        return
    around = Surroundings(case.lookups, case.knowledge.all)
    for write in case.writes:
        yield from _omitted(case, write, around)
        judge = Judge(case, write, around)
        found = list(alternatives(case, write, around))
        groups: dict[Path, list[Any]] = defaultdict(list)
        for each in found:
            groups[each.path].append(each.other)
        open_choices: dict[Path, list[Alternative]] = defaultdict(list)
        for same_choice in _by_choice(found):
            first = same_choice[0]
            if _is_gold_elsewhere(case, write, first):
                continue
            # A value is known from several records, any of which the instruction may go by.
            known = {(repr(e.mine), repr(e.other)): e for e in same_choice}.values()
            if any(judge.excludes(each, groups[each.path]) for each in known):
                continue
            calls = {repr(each.arguments): each for each in same_choice}.values()
            if any(_leads_elsewhere(case, write, each) for each in calls):
                open_choices[first.path].append(first)
        for choices in open_choices.values():
            yield _finding(write, choices)


def _by_choice(found: list[Alternative]) -> list[list[Alternative]]:
    """Bring together what comes to the same choice.

    To add an item to an exchange is one choice, whatever it is exchanged for.
    """
    choices: dict[str, list[Alternative]] = defaultdict(list)
    for each in found:
        key = (each.path, each.value) if each.kind == "added" else each.arguments
        choices[repr(key)].append(each)
    return list(choices.values())


def _is_gold_elsewhere(case: Case, write: Write, found: Alternative) -> bool:
    """The other call is made as well, so that making it here would only leave this one out."""
    return any(
        other is not write.action
        and other.name == write.action.name
        and same(other.arguments, found.arguments)
        for other in case.task.actions
    )


def _leads_elsewhere(case: Case, write: Write, found: Alternative) -> bool:
    reached = accepted(case, write, found)
    return reached is not None and not same(_end(reached.changes), _end(case.gold.changes))


def _end(changes: Changes) -> dict[str, dict[str, Any]]:
    return {table: {k: r.after for k, r in records.items()} for table, records in changes.items()}


def _finding(write: Write, choices: list[Alternative]) -> Finding:
    first = choices[0]
    mine = described(first.gold, first.mine, first.other)
    values = ", ".join(
        described(each.value, each.other, each.mine)
        for each in choices[:_SHOWN]
        if each.value is not None
    )
    more = f" and {len(choices) - _SHOWN} more" if len(choices) > _SHOWN else ""
    if first.kind == "dropped":
        said = f"the instruction does not name {short(first.gold, 80)}, which could be left out"
    elif first.kind == "added":
        said = f"nothing excludes adding {values}{more}"
    else:
        said = f"nothing excludes {values}{more} in place of {mine}"
    message = f"{write.label}, {first.where}: {said}"
    subjects = {first.argument, write.action.name, f"{write.action.name}.{first.argument}"}
    named = {value for each in choices for _, value in leaves(each.value) if isinstance(value, str)}
    return Finding(CHECK, "for a person", message, frozenset(subjects | named))


def _omitted(case: Case, write: Write, around: Surroundings) -> Iterator[Finding]:
    """An action could be left out where the end is the same, or the instruction is silent on it."""
    others = [each for each in case.task.actions if each is not write.action]
    if same(_end(case.run(others).changes), _end(case.gold.changes)):
        message = f"without {write.label} the other gold actions lead to the same end"
        yield Finding(CHECK, "error", message, frozenset({write.action.name}))
    speaks = any(case.text.has([word]) for word in tool_words(write.action.name))
    speaks = speaks or _policy_names(case, write.action.name)
    speaks = speaks or any(
        case.text.has(*case.phrases(value)) or names_described(case.text, around, value)
        for _, value in leaves(write.action.arguments)
        if isinstance(value, str) and value != case.task.user_id
    )
    if not speaks:
        message = f"{write.label}: the instruction speaks neither of it nor of what it touches"
        yield Finding(CHECK, "for a person", message, frozenset({write.action.name}))


def _policy_names(case: Case, tool: str) -> bool:
    """The instruction speaks of what the policy's section about the tool is called."""
    roots = {word[:_ROOT] for word in case.text.words if len(word) >= _ROOT}
    last = Words.of(tool.replace("_", " "))[-1]
    for section in _sections(case.domain.policy):
        title = Words(section.partition("\n")[0])
        if Words(section).has([last]) and any(word[:_ROOT] in roots for word in title.words):
            return True
    return False


def _sections(policy: str) -> list[str]:
    return re.split(r"^#+ ", policy, flags=re.M)
