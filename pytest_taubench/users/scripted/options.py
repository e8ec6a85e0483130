"""Options of goods and trips in a proposal: the wanted value, or another one?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_taubench.users.scripted.goods import targets
from pytest_taubench.users.scripted.lexicon import FAMILIES, canonical, family_values
from pytest_taubench.users.scripted.sentences import NUMBERS, mentions, number_word

_EACH = re.compile(r"\b(?:both|all|each|every)\b", re.I)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def against_option(proposal: str, key: str, values: Sequence[str], say: str) -> list[str]:
    """Return what the user says to a proposal that gives an option another value.

    Args:
        proposal: The proposal, in lower case.
        key: The option's name.
        values: The values of which one is wanted.
        say: The request; another value that it names itself is what the user has now.
    """
    changed = targets(proposal)
    scope = " ; ".join(changed) or proposal
    if set(values) <= {"yes", "no"}:
        return _other_choice(scope, key, values)
    wanted = " or ".join(values)
    if key == "cabin" and _other_cabin(scope, values, say):
        return [f"I want {wanted}, not {_other_cabin(scope, values, say)}."]
    if any(states_option(scope, key, value) for value in values):
        return _one_of_several(changed, key, values, say)
    if all(value.isdigit() for value in values):
        other = _number_named(scope, key)
        return [f"I want {wanted} {key}, not {other}."] if other else []
    rivals = _rivals(scope, values) - family_values(say, "color")
    if rivals:
        return [f"I want {wanted}, not {' or '.join(sorted(rivals))}."]
    named = re.search(rf"\b{re.escape(key.rstrip('s'))}s?\W{{1,3}}\w", scope)
    # One item whose options are all listed: the wanted value would be among them.
    if key == "new item" and changed and not mentions(proposal, wanted):
        return [f"I want a {wanted}."]
    if named or (len(changed) == 1 and "," in changed[0]):
        return [f"I want the {key} to be {wanted}."]
    return []


def _one_of_several(changed: list[str], key: str, values: Sequence[str], say: str) -> list[str]:
    """Of several items that have the option, one with a value that is wanted for none."""
    having = [item for item in changed if re.search(rf"\b{re.escape(key.rstrip('s'))}", item)]
    if len(having) < 2 or (len(values) < len(having) and not _EACH.search(say)):
        return []
    wrong = [i for i in having if not any(states_option(i, key, value) for value in values)]
    return [f"I want the {key} to be {' and '.join(values)}."] if wrong else []


def against_date(proposal: str, values: Sequence[str]) -> list[str]:
    """Return what the user says to a proposal that states only other dates."""
    named, wanted = dates_in(proposal), dates_in(" ".join(values))
    if named and wanted and not named & wanted:
        return [f"I said {' or '.join(values)}."]
    return []


def dates_in(text: str) -> set[tuple[int, int]]:
    """Return month and day of the dates in a text; a birth date has a year of its own and is none."""
    found = {(int(m), int(d)) for m, d in re.findall(r"\b20[2-9]\d-(\d\d)-(\d\d)\b", text)}
    for month, day in re.findall(
        r"\b([A-Z][a-z]{2})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?\b(?!, ?1)", text
    ):
        if month in _MONTHS:
            found.add((_MONTHS.index(month) + 1, int(day)))
    return found


def _other_cabin(scope: str, values: Sequence[str], say: str) -> str:
    """A cabin beside the wanted one, which the proposal does not merely move away from."""
    moved_to = re.sub(
        r"\b(?:from|instead of|not) (?:\w+ )?(?=basic|economy|business|first)", "\x00", scope
    )
    moved_to = re.sub(r"\x00(?:basic economy|economy|business|first class)", "", moved_to)
    kinds = {kind for value in values for kind in family_values(value, "cabin")}
    rivals = family_values(moved_to, "cabin") - kinds - family_values(say, "cabin")
    return " or ".join(sorted(rivals))


def _rivals(scope: str, values: Sequence[str]) -> set[str]:
    """Values of the same families, where the scope has none that is wanted."""
    found: set[str] = set()
    for family in FAMILIES:
        kinds = {kind for value in values for kind in family_values(value, family)}
        named = family_values(scope, family)
        if kinds and not kinds & named:
            found |= named
    return found


def states_option(scope: str, key: str, value: str) -> bool:
    """Does a text in lower case give the option this value?"""
    if value.isdigit():
        word = re.escape(key.rstrip("s"))
        number = f"(?:{value}|{number_word(value)})"
        return re.search(rf"\b{number}[ -](?:\w+ )?{word}|\b{word}s?\W{{1,3}}{number}\b", scope) is not None  # fmt: skip
    kinds = {(f, kind) for f in FAMILIES for kind in family_values(value, f)}
    if any(kind in family_values(scope, family) for family, kind in kinds):
        return True
    if kinds and any(canonical(value) == kind for _, kind in kinds):
        return False  # "economy" is in "basic economy", but another cabin
    loose = re.escape(canonical(value)).replace(r"\ ", r"[ -]?").replace(r"\-", r"[ -]?")
    return re.search(rf"(?<![\w.]){loose}(?!\w)", scope) is not None or mentions(scope, value)


def _number_named(scope: str, key: str) -> str:
    word = re.escape(key.rstrip("s"))
    number = rf"(\d+|{'|'.join(NUMBERS)})"
    match = re.search(rf"\b{number}[ -](?:\w+ )?{word}|\b{word}s?\W{{1,3}}{number}\b", scope)
    return (match[1] or match[2]) if match else ""


def _other_choice(scope: str, key: str, values: Sequence[str]) -> list[str]:
    """As "insurance: yes" against a wish for none."""
    word = re.escape(key.rstrip("s"))
    refused = re.search(rf"\b(?:no|without|not? \w*) (?:\w+ )?{word}|{word}\w*\W+(?:no|none|not)\b", scope)  # fmt: skip
    agreed = not refused and re.search(rf"\b(?:with|add|includ\w+|purchas\w+|yes) (?:\w+ )?{word}|{word}\w*\W+(?:yes|added|included)\b", scope)  # fmt: skip
    if "yes" in values and refused:
        return [f"I do want {key}."]
    if "no" in values and agreed:
        return [f"I don't want {key}."]
    return []
