"""Goods in an agent's proposal: what is listed, and what becomes of each one's options."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.lexicon import canonical, operations
from pytest_taubench.users.scripted.sentences import bullets, content_words, number_word

_NAME = r"(?P<name>[A-Z][\w'’-]*(?: (?:[A-Z&][\w'’-]*|of|and)){0,4})"
_LISTED = re.compile(rf"{_NAME}[*_]*\s*(?:\((?P<inside>[^()]*)\)|[-–—:]\s*\$\d)")
_PAIR = re.compile(
    r"\((?P<old>[^()]*)\)[^()\n;]{0,30}?(?:->|→|=>|➔|\bto\b|\bfor\b|\bwith\b|\bby\b|\binto\b)[^()\n;]{0,60}?\((?P<new>[^()]*)\)"
)
_NO_GOODS = re.compile(
    r"\bborn\b|\d{4}-\d{2}-\d{2}|\bending\b|balance|_\d{4,}|yes ?/ ?no|reason", re.I
)
_NO_NAME = re.compile(
    r"\d|\b(?:visa|mastercard|paypal|card|order|total|refund|difference|reservation)\b", re.I
)
_VERB = re.compile(r"^(?:Return|Exchange|Cancel|Modify|Change|Replace|Swap|Refund|Keep)\b ?")
_WOULD = re.compile(r"\b(?:would|will|going to|summary|proposal|plan)\b|'ll\b", re.I)
_REPORT = re.compile(
    r"\bis (?:now )?(?:pending|delivered|processed|cancelled)\b|\bavailable\b", re.I
)
_ALL = re.compile(
    r"\b(?:everything|all|each|every|whole|entire|whatever|both items|items|things|rest|any|them|these|those)\b",
    re.I,
)
_ELSE_SAME = re.compile(
    r"\b(?:otherwise|all else|everything else|the rest|nothing else|else unchanged|unchanged|all else about)\b",
    re.I,
)
_SAME = re.compile(r"\b(?:same|still|also|stay\w*|remain\w*)\b(?P<what>[^.;()]*)", re.I)
_THINGS = re.compile(
    r"\b(?:items?|products?|line|orders?|things?|one|ones|specs?|model|time|card|price|day|way|pair|kind|variant)\b"
)
OPEN_CHOICE = re.compile(r"\b(?:cheapest|most expensive|whatever|any|lower|higher|in whatever|fine)\b", re.I)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """An option that a proposal changes; its name is empty where the proposal gives none."""

    name: str
    old: str
    new: str


def changes(proposal: str) -> list[Change]:
    """Return what becomes other of the items whose options a proposal states before and after."""
    found = []
    for match in _pairs(proposal):
        for old, new in zip(_entries(match["old"]), _entries(match["new"]), strict=False):
            if old != new:
                found.append(_change(old, new))
    return found


def _pairs(proposal: str) -> list[re.Match[str]]:
    """The stretches that state one item before and after."""
    found = _PAIR.finditer(proposal)
    return [m for m in found if not _NO_GOODS.search(m["old"]) and not _NO_GOODS.search(m["new"])]


def targets(proposal: str) -> list[str]:
    """Return what a proposal says of each item the user would end up with."""
    return [match["new"] for match in _pairs(proposal)]


def deed(proposal: str) -> str:
    """Return the lines of a proposal that say what would be done, without what it reports.

    A line of a list belongs to the line with a colon above it.
    """
    kept, heading = [], False
    for line in proposal.splitlines():
        does = bool(operations(line) or _WOULD.search(line)) and not _REPORT.search(line)
        if line.rstrip().endswith(":"):
            heading = does
        if does or (heading and bullets(line)):
            kept.append(line)
    # "Shall I make this change?" alone says nothing: all that stands above it is the change.
    return proposal if all(line.rstrip().endswith("?") for line in kept) else "\n".join(kept)


def extra_goods(proposal: str, request: Request, said: str) -> list[str]:
    """Return the listed goods that the user has never spoken of, next to some that it has."""
    wish = " ".join([request.say, *request.details])
    if _ALL.search(wish):
        return []
    known = content_words(
        f"{said} {wish} {' '.join(v for vs in request.wants.values() for v in vs)}"
    )
    names = list(dict.fromkeys(_goods(proposal)))
    spoken = [name for name in names if _spoken(name, known)]
    return [name for name in names if name not in spoken] if spoken else []


def _spoken(name: str, known: set[str]) -> bool:
    """Is a word of the name known, or part of a known one, as "watch" is of "wristwatch"?"""
    return any(
        word == other or (min(len(word), len(other)) > 3 and (word in other or other in word))
        for word in content_words(name)
        for other in known
    )


def changed_against(proposal: str, request: Request) -> list[str]:
    """Return what a proposal changes of an item though the user wants it to stay."""
    wish = " ".join([request.say, *request.details])
    asked = content_words(canonical(f"{wish} {_wanted_values(request)}"))
    for change in changes(proposal):
        if content_words(canonical(change.new)) & asked or _says(wish, change.new):
            continue
        if _stays(change, wish):
            what = f"The {change.name}" if change.name else "Everything else"
            return [f"{what} should stay as it is: {change.old}, not {change.new}."]
    return []


def _says(wish: str, value: str) -> bool:
    """Does the wish state the value? "M" is not in "I'm"."""
    words = number_word(value) if value.isdigit() else value
    pattern = "|".join(map(re.escape, {value, words}))
    return re.search(rf"(?<![\w'’])(?:{pattern})(?![\w'’])", wish, re.I) is not None


def _stays(change: Change, wish: str) -> bool:
    """Does the wish leave the option as it is: by its name, by its value, or with all else?"""
    if OPEN_CHOICE.search(wish):
        return False
    if _ELSE_SAME.search(wish):
        return True
    if change.new in ("yes", "no") and content_words(change.name) & content_words(wish):
        return False
    # "the same type as the other one" is no wish for things to stay.
    parts = [m["what"] for m in _SAME.finditer(wish) if not re.search(r"\bas\b", m["what"])]
    kept = _THINGS.sub("", " ".join(parts))
    if not content_words(kept):
        return False
    return not change.name or bool(
        content_words(f"{change.name} {change.old}") & content_words(kept)
    )


def _wanted_values(request: Request) -> str:
    return " ".join([*(v for vs in request.wants.values() for v in vs), *request.choose])


def _goods(proposal: str) -> list[str]:
    return [
        _VERB.sub("", m["name"])
        for m in _LISTED.finditer(proposal)
        if not _NO_NAME.search(m["name"]) and not _NO_GOODS.search(m["inside"] or "")
    ]


def _entries(inside: str) -> list[str]:
    """The options between brackets, without the price."""
    parts = [part.strip().lower() for part in re.split(r"[,;]", inside)]
    return [part for part in parts if part and "$" not in part]


def _change(old: str, new: str) -> Change:
    """The words that both share at the front are the option's name."""
    before, after = old.replace(":", "").split(), new.replace(":", "").split()
    shared = 0
    while shared < min(len(before), len(after)) - 1 and before[shared] == after[shared]:
        shared += 1
    return Change(
        *(" ".join(words) for words in (before[:shared], before[shared:], after[shared:]))
    )
