"""Does a proposal match what the user wants?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.goods import OPEN_CHOICE, changed_against, deed, extra_goods
from pytest_taubench.users.scripted.lexicon import (
    IDENTIFIERS,
    canonical,
    identifiers,
    operations,
    slot_name,
)
from pytest_taubench.users.scripted.options import against_date, against_option
from pytest_taubench.users.scripted.particulars import (
    against_color,
    against_condition,
    against_goods,
    against_limit,
    against_people,
    against_place,
    against_reason,
    against_trip,
)
from pytest_taubench.users.scripted.payments import against_payment, wanted_payment
from pytest_taubench.users.scripted.purpose import asked_deeds, unasked
from pytest_taubench.users.scripted.sentences import content_words, mentions, split_sentences

_LEFT_ALONE = re.compile(
    r"\b(?:keep|keeping|except|not|without|leave|leaving|but|instead of|rather than|stays?|unchanged)\b|n't\b",
    re.I,
)
# A verb behind a comma begins another deed: "I'd leave the desk, change the lamp in #1".
_CLAUSE = re.compile(
    r"[.;:\n]|,? and (?=[\w'’]+ )|, (?=(?:chang|cancel|return|exchang|modif|updat|switch|mov|replac|charg)\w*\b)",
    re.I,
)
_LEFT_AS_IT_IS = re.compile(
    r"[\W_]*(?:\([^()]*\) )?(?:(?:will|would|is|are|then|already|also) )*"
    r"(?:stays?|remains?|untouched|unchanged|not|isn't|aren't|won't|left|kept|comes?|next|later|after|on that)\b",
    re.I,
)
# Of a flight or of the first half of an exchange.
_LABEL = re.compile(r"\breturn\b[*_]* ?(?:[:–—]|, [A-Z])", re.I)
# Operations that nobody takes for one another.
_DISTINCT = frozenset({"cancel", "return", "exchange", "remove"})
_DEEDS = frozenset({"cancel", "return", "exchange", "modify"})
_ALIKE = frozenset({"exchange", "modify"})
_REFRAINS = re.compile(
    r"\b(?:don't|do not|not) (?:want to )?(cancel|return|exchange|chang|modif)", re.I
)
_EXCEPT = re.compile(
    r"\bexcept (?:for )?(?:the (?:one|order) with )?(?:the |my )?(?P<what>[a-z]+(?: [a-z]+)?)", re.I
)
_PEOPLE = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
# Facts that are no options of goods: each is compared in its own way, or not at all.
_NO_OPTIONS = frozenset(
    {"reason", "item", "item_id", "flight", "name", "order_id", "reservation_id", "address"}
)


def contradictions(
    proposal: str,
    request: Request,
    said: str = "",
    *,
    inherited: Iterable[str] = (),
    home: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Return what in a proposal goes against the request, each said by the user.

    Silence of the proposal on a wish is no contradiction, since nobody repeats everything.

    Args:
        proposal: What the agent says it would do.
        request: What the user wants now.
        said: All that the user has told so far; what it spoke of is no surprise to it.
        inherited: What the wish before has asked for, where this one only says how.
        home: Zip code and city in the user's profile, as far as it knows them.
    """
    proposal = _LABEL.sub(" ", proposal)
    would = deed(proposal)
    strange = unasked(would, request, inherited)
    if strange:
        return strange
    unspoken = [
        *extra_goods(would, request, said),
        *_other_ids(would, request, said),
        *_excepted(would, request),
    ]
    unwanted = [w for w in dict.fromkeys([*request.avoid, *unspoken]) if _proposes(would, w)]
    found = [_left_out(unwanted, request)] if unwanted else []
    found += against_ids(proposal, request) or _kept(proposal, request)
    found += against_payment(proposal, wanted_payment(request))
    for key, values in request.wants.items():
        if values and slot_name(key) != "payment":
            found += _against(proposal, slot_name(key), values, request.say)
    found += [] if found else changed_against(proposal, request)
    found += [] if found else _particulars(proposal, request, said, home or {})
    return found + (_other_operation(proposal, request) or _more_deeds(proposal, request, said))


def _particulars(
    proposal: str, request: Request, said: str, home: Mapping[str, Sequence[str]]
) -> list[str]:
    would = deed(proposal)
    return (
        against_place(would, request, home, said)
        or against_goods(would, request, said)
        or against_trip(would, request)
        or against_reason(would, request)
        or against_people(would, request)
        or against_condition(proposal, request)
        or against_limit(would, request)
        or against_color(would, request)
    )


def _left_out(unwanted: Sequence[str], request: Request) -> str:
    """Say what should not be there; of two things of a kind, which one is meant."""
    named = " and ".join(map(_with_article, unwanted))
    meant = next((value for value in request.choose if not OPEN_CHOICE.search(value)), None)
    options = set(unwanted) <= set(request.avoid) and "exchange" in asked_deeds(request)
    if not options or any(identifiers(value, "order_id") for value in unwanted):
        return f"Please leave {named} out of it."
    if meant:
        return f"I mean the {meant} one, not the one with {named}."
    return f"Please leave {named} out of it. {request.say}"


def _proposes(proposal: str, word: str) -> bool:
    """Is the word part of what is to be done, and not of what is left alone?"""
    return mentions(proposal, word) and not is_left_alone(proposal, word)


def is_left_alone(text: str, word: str) -> bool:
    """Does a text speak of the word only as of something that stays as it is?"""
    places = re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.I)
    return all(
        _LEFT_ALONE.search(_CLAUSE.split(text[: place.start()])[-1])
        or _LEFT_AS_IT_IS.match(text[place.end() :])
        for place in places
    )


def _with_article(word: str) -> str:
    if re.fullmatch(r"[A-Z]?[a-z]+(?: [A-Z]?[a-z]+)*", word) and not word.lower().startswith(
        "the "
    ):
        return f"the {word.lower()}"
    return word


def against_ids(proposal: str, request: Request) -> list[str]:
    """Return what the user says to other orders or reservations alone than those that it names."""
    for kind in ("order_id", "reservation_id"):
        known, named = identifiers(request.say, kind), identifiers(proposal, kind)
        if known and named and not known & named and kind not in map(slot_name, request.wants):
            return [f"I mean {' and '.join(sorted(known))}, not {' or '.join(sorted(named))}."]
    return []


def _excepted(proposal: str, request: Request) -> list[str]:
    """What the wish excepts, where no sentence of the proposal leaves it alone."""
    excepted = [match["what"] for match in _EXCEPT.finditer(request.say)]
    spared = [s for s in split_sentences(proposal) if _LEFT_ALONE.search(s)]
    return [what for what in excepted if not any(mentions(s, what) for s in spared)]


def _kept(proposal: str, request: Request) -> list[str]:
    """What the wish is about, where a proposal leaves it as it is."""
    for kind in ("order_id", "reservation_id"):
        for name in sorted(identifiers(request.say, kind) & identifiers(proposal, kind)):
            if is_left_alone(proposal, name) and not is_left_alone(request.say, name):
                return [f"No, not without {name}. {request.say}"]
    if "passengers" in asked_deeds(request):
        for name in _PEOPLE.findall(request.say):
            if mentions(proposal, name) and is_left_alone(proposal, name):
                return [f"No, it is {name} that I mean. {request.say}"]
    return []


def _other_ids(proposal: str, request: Request, said: str) -> list[str]:
    """Orders or reservations in a proposal beside those that the user has named."""
    wish = " ".join([request.say, *request.details, *(v for vs in request.wants.values() for v in vs)])  # fmt: skip
    for kind in ("order_id", "reservation_id"):
        known = identifiers(wish, kind)
        if known and known & identifiers(proposal, kind):
            return sorted(identifiers(proposal, kind) - known - identifiers(said, kind))
    return []


def _against(proposal: str, key: str, values: Sequence[str], say: str) -> list[str]:
    said = canonical(proposal)
    wanted = " or ".join(values)
    for kind in IDENTIFIERS:
        if all(identifiers(value, kind) for value in values):
            named = identifiers(proposal, kind)
            if named and _names_kind(kind, key) and not any(mentions(proposal, v) for v in values):
                return [f"I mean {wanted}, not {' or '.join(sorted(named))}."]
            return []
    if key == "date":
        return against_date(proposal, values)
    if key in _NO_OPTIONS:
        return _other_reason(said, values) if key == "reason" else []
    return against_option(said, key.replace("_", " "), values, say)


def _other_reason(said: str, values: Sequence[str]) -> list[str]:
    usual = ("no longer needed", "ordered by mistake")
    given = [reason for reason in usual if reason in said]
    wanted = [value for value in values if value in usual]
    if wanted and given and not set(given) & set(wanted):
        return [f"The reason is that it is {wanted[0]}." if "needed" in wanted[0] else "The reason is that I ordered it by mistake."]  # fmt: skip
    return []


def _names_kind(kind: str, key: str) -> bool:
    """An item's id in a proposal says nothing against a wish about an order."""
    return key in (kind, "item", "new_item")


def _other_operation(proposal: str, request: Request) -> list[str]:
    wanted, proposed = operations(request.say), operations(proposal)
    refused = {name for stem in _REFRAINS.findall(request.say) for name in operations(stem)}
    if refused & proposed:
        return [f"I don't want to {min(refused & proposed)} anything. {request.say}"]
    other = proposed & _DEEDS
    if not wanted & _DISTINCT or not other or wanted & proposed or wanted | other <= _ALIKE:
        return []
    if "modify" in wanted and "exchange" in proposed:
        return []
    deed = "change" if min(other) == "modify" else min(other)
    return [f"I don't want to {deed} anything. {request.say}"]


def _more_deeds(proposal: str, request: Request, said: str) -> list[str]:
    """A line that begins with a deed the user has never asked for, next to lines that fit."""
    asked = operations(f"{said} {request.say}")
    begun = {
        name for line in proposal.splitlines() for name in operations(" ".join(line.split()[:2]))
    }
    more = (begun & _DISTINCT) - asked - (_ALIKE if asked & _ALIKE else set())
    return [f"I don't want to {min(more)} anything."] if more else []


def fits(proposal: str, request: Request) -> bool:
    """Is the proposal about what the request asks, and not against it?"""
    if contradictions(proposal, request):
        return False
    wanted = operations(request.say)
    shared = content_words(proposal) & content_words(request.say)
    return bool(wanted & operations(proposal)) or len(shared) >= 2
