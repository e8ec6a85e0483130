"""What a proposal would do, what the user has asked for, and whether that is the same.

Silence on a detail contradicts nothing, but a proposal must do something that was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.lexicon import OPERATIONS
from pytest_taubench.users.scripted.sentences import content_words, plain, split_sentences

# Words of a deed that do nothing here: a headset's option, a way home, a way to say no.
_NO_DEED = re.compile(
    r"\breturn\b ?(?:[:–—]|, [A-Z])|\bnoise[- ]?cancel\w*|\bbusiness days?|\breturn(?:ing)? (?:flights?|trips?|legs?|journeys?|labels?)"
    r"|\b(?:\"?no\"?|or) to cancel\b[^.]*|\binstead of [^.,;:]*|\boriginal(?:ly)? [^.,;:]*",
    re.I,
)
# "Once changed, an order cannot be changed again" and "it was cancelled" propose nothing.
_NO_PROPOSAL = re.compile(
    r"\b(?:once|cannot|can't|can not|keep in mind|note that|please note|policy)\b|\b(?:has|have|was|were) (?:already )?(?:been )?(?:cancel|return|exchang|deliver)",
    re.I,
)
_CHANGING = r"\b(?:chang|mov|switch|resched|updat|modif|rebook|postpon|upgrad|downgrad)\w*"
_DATE = (
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December) \d"
    r"|\d{4}-\d\d-\d\d)"
)
_STREET = r"\b\d{1,5} [A-Z][a-z]{2,}"

_PROPOSED: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in (
        ("cancel", r"(?i:\bcancel(?:s|led|ling|lation)?\b)"),
        ("return", OPERATIONS["return"].pattern.join(("(?i:", ")"))),
        ("exchange", r"(?i:\bexchang\w*|\bswap\w*|\breplac(?!\w* (?:the |a )?passenger)\w*)"),
        ("address", rf"(?i:(?<!mail )\baddress\b|\bin (?:your|the) profile\b)|(?i:\b(?:ship|deliver|send|sent|go|goes)\w*)\b[^.]*\bto\b[^.]*{_STREET}|#W\d+ to {_STREET}"),
        ("pay", r"(?i:\b(?:charge|bill)d?\b|\bpaid (?:with|by|on)\b|\bpayment method (?:of|for)\b|\bpay for\b)"),
        ("book", r"(?i:\bbook\b|\bbooking (?:summary|details)\b|\bnew (?:reservation|booking)\b)"),
        ("bags", r"(?i:\b(?:add|tak|remov|chang|updat|increas|rais)\w*\b[^.]*\b(?:bags?|baggage|suitcases?|luggage)\b)"),
        ("passengers", r"(?i:\b(?:replac|chang|set|updat|swap|correct|add|renam|remov)\w*\b[^.]*\b(?:passengers?|travell?ers?)\b|\bpassengers? (?:update|change|name))"),
        ("cabin", r"(?i:\b(?:up|down)grad\w*|\b(?:to|in|into) (?:basic )?(?:economy|business|first)\b)"),
        ("flights", rf"(?i:{_CHANGING}[^.]*\b(?:flights?|trip|dates?)\b)|(?i:{_CHANGING})[^.]*\b{_DATE}|\b\d\d:\d\d\b"),
        ("certificate", r"(?i:\b(?:send|sent|issue|offer|give|grant|provide)\w*\b[^.]*\b(?:certificate|voucher|compensation))"),
        ("insurance", r"(?i:\badd\w*\b[^.]*\binsurance\b)"),
        ("discount", r"(?i:\bdiscount\b)"),
        ("remove", r"(?i:\bremov\w*)"),
        ("data", r"(?i:\bchang\w*\b[^.]*\b(?:e-?mail|last name|phone)\b)"),
    )
}  # fmt: skip
_ASKED: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.I)
    for name, pattern in (
        ("cancel", r"(?<!don't )(?<!not )(?<!noise )\bcancel(?:led(?= order)|ling)?\b"),
        ("return", OPERATIONS["return"].pattern),
        ("exchange", r"\bexchang\w*|\bswap\w*|\breplac\w*|\binstead\b|\bshould (?:be|come|have)\b|\bchang\w*|\bmodif\w*|\bswitch\w*|\bupgrad\w*|\b(?:want|need|like)\b.*\b(?:in|with|as|for|of|to be)\b|\bcan\b.* be\b"),
        ("address", r"(?<!mail )\baddress\b|\bsent\b(?! back)|\bsend\b(?!.* back)|\bdeliver(?:ed|y) to\b|\bshipp?(?:ed)?\b|\bunit number\b|\bgo to\b"),
        ("pay", r"\bpaid\b|\bpay (?:for|half|all)\b|\bcharged?\b|\bgo back to\b|\buse my\b"),
        ("book", r"\bbook\b|\bneed to fly\b|\bwant to fly\b"),
        ("bags", r"\bbags?\b|\bbaggage\b|\bsuitcases?\b|\bluggage\b"),
        ("passengers", r"\bpassengers?\b|\bin place of\b|\blast name is\b|\bfl(?:y|ies) instead of\b"),
        ("cabin", r"\b(?:to|want|into|then|in) (?:basic )?(?:economy|business)\b|\b(?:economy|business) (?:class )?will do\b|\bupgrad|\bdowngrad"),
        ("flights", rf"{_CHANGING}[^?]*(?:\bflights?\b|\btrip\b|\bway (?:back|out)\b|\breservation\b|\b{_DATE}|\bday later\b|\btomorrow\b|\bto [A-Z])"),
        ("certificate", r"\bcompensat\w*|\bcertificates?\b|\bvouchers?\b"),
        ("insurance", r"\binsurance\b"),
        ("discount", r"\bdiscount\b"),
        ("remove", r"\bremov\w*|\btak(?:e|en|ing)\b.*\b(?:out|off)\b"),
        ("data", r"\blast name\b|\be-?mail\b"),
    )
}  # fmt: skip
# What stands with these is a part of them: a booking has bags, an exchange is paid for.
_PARTS: tuple[tuple[str, frozenset[str]], ...] = (
    ("book", frozenset({"bags", "passengers", "cabin", "flights", "insurance", "pay", "certificate", "exchange", "data"})),
    ("passengers", frozenset({"flights", "cabin", "exchange", "data"})),
    ("bags", frozenset({"exchange", "pay", "insurance"})),
    ("flights", frozenset({"exchange", "pay", "certificate"})),
    ("cabin", frozenset({"exchange", "pay", "certificate"})),
    ("certificate", frozenset({"exchange", "address"})),
    ("return", frozenset({"exchange", "pay", "address"})),
    ("cancel", frozenset({"exchange", "pay", "address", "certificate"})),
    ("address", frozenset({"exchange", "pay"})),
)  # fmt: skip
_EXPLICIT_EXCHANGE = re.compile(r"\b(?:exchang|swap|replac)\w*", re.I)
_CHANGES = re.compile(_CHANGING + r"|\b(?:want|then) (?:basic )?(?:economy|business)", re.I)
_PAID = re.compile(r"\b(?:be )?paid (?:with|by)\b|\bpay (?:for|half|all)\b|\bcharged\b", re.I)
# Deeds of an airline in the talk of a shop are words of its goods, and the other way round.
_FLYING = frozenset({"book", "bags", "passengers", "cabin", "flights", "insurance", "certificate"})
_SHOPPING = frozenset({"exchange", "return", "pay", "address", "profile"})
_FLIES = re.compile(r"\b(?:reservations?|flights?|passengers?|trip|cabin)\b", re.I)
_OTHER_DATE = re.compile(rf"\b(?:mov\w+|dates?|later|earlier|tomorrow)\b|\b{_DATE}")
_ADDS = re.compile(r"\badd(?:s|ing)?\b", re.I)
_SAYS_HOW = re.compile(r"\b(?:use|refund)\b", re.I)
_FOR_PERSON = re.compile(
    r"\b(?:transfer|connect|put|hand)\w* (?:you|me) (?:over |through )?(?:to|with)\b|\bhuman (?:agent|representative)\b",
    re.I,
)
_MONEY_OF_DEED = re.compile(r"\b(?:difference|refund|cost|fee)\w*", re.I)
_PROFILE = re.compile(r"\b(?:profile|account|default|user)\b", re.I)
_ORDER = re.compile(r"\borders?\b|#W\d", re.I)
# An address that is only where the wish takes the new one from.
_SOURCE = re.compile(
    r"\b(?:to|and) (?:the )?(?:address|one)(?: that is)? in (?:my|your|the) profile"
    r"|\b(?:one|address) (?:that|of|on) (?:my |your )?order[^.]*|\bwhich is the address[^.]*",
    re.I,
)


def proposes_person(proposal: str) -> bool:
    """Would the agent hand the user over to a person?"""
    return _FOR_PERSON.search(proposal) is not None


def proposed_deeds(proposal: str) -> set[str]:
    """Return what the sentences of a proposal would do."""
    sentences = split_sentences(_NO_DEED.sub(" ", plain(proposal)))
    found: set[str] = set()
    for sentence in sentences:
        if not _NO_PROPOSAL.search(sentence):
            found |= _of_sentence(sentence)
    return _of_trade(_without_parts(found), proposal)


def _of_trade(found: set[str], text: str) -> set[str]:
    if _ORDER.search(text):
        return found - _FLYING
    if not _FLIES.search(text):
        return found
    return (
        found - _SHOPPING if found & _FLYING else found & {"exchange", "cancel", "person", "data"}
    )


def _of_sentence(sentence: str) -> set[str]:
    found = {name for name, pattern in _PROPOSED.items() if pattern.search(sentence)}
    if "pay" in found and _MONEY_OF_DEED.search(sentence):
        found.discard("pay")
    if "address" in found:
        found.discard("address")
        profile = _PROFILE.search(_SOURCE.sub("", sentence)) and not _ORDER.search(sentence)
        found |= {"profile"} if profile else {"address"}
        if not profile and not _ORDER.search(sentence):
            found.add("profile")  # "your address" may be either
    if "exchange" not in found and not found and OPERATIONS["modify"].search(sentence):
        found.add("exchange")
    return found


def asked_deeds(request: Request) -> set[str]:
    """Return what the words of a request ask to have done."""
    wish = " ".join([request.say, *request.details])
    said = _NO_DEED.sub(" ", request.say) if "address" not in request.say else request.say
    found = {name for name, pattern in _ASKED.items() if pattern.search(said)}
    found = _of_trade(found, said)
    if _FOR_PERSON.search(wish):
        found.add("person")
    if _EXPLICIT_EXCHANGE.search(said) and not found & {"passengers", "flights"}:
        return (found - {"pay", "address", "cabin"}) | {"exchange"}
    if _PAID.search(said) and not found & {"cancel", "return", "book", "bags", "cabin", "flights"}:
        return (found - {"exchange", "address"}) | {"pay"}
    if "cabin" in found and not _OTHER_DATE.search(said):
        found -= {"flights"}
    if found & {"cancel", "certificate", "bags"} and not _CHANGES.search(said):
        found -= {"cabin", "flights"}
    found = _without_parts(found) | ({"pay"} if "pay" in found and "cancel" not in found else set())
    return _targets(found, said)


def _targets(found: set[str], said: str) -> set[str]:
    """Whose address is to change: an order's, the profile's, or both."""
    if "address" not in found:
        return found
    aims = _SOURCE.sub("", said)
    profile, order = _PROFILE.search(aims), _ORDER.search(aims)
    return found - {"address"} | {
        *(["profile"] if profile else []),
        *(["address"] if order or not profile else []),
    }


def _without_parts(found: set[str]) -> set[str]:
    for whole, parts in _PARTS:
        if whole in found:
            found = found - parts
    return found


def inherited_deeds(before: Request, after: Request) -> set[str]:
    """Return the deeds of a wish that its fallback only wants done in another way."""
    if _SAYS_HOW.search(after.say) and asked_deeds(after) <= {"pay", "address", "certificate"}:
        return asked_deeds(before)
    return set()


def unasked(proposal: str, request: Request, inherited: Iterable[str] = ()) -> list[str]:
    """Return what the user says to a proposal that does nothing of what it asked for."""
    proposed, asked = proposed_deeds(proposal), asked_deeds(request) | set(inherited)
    if asked >= {"bags", "remove"} and _ADDS.search(proposal):
        return [f"I don't want any more. {request.say}"]
    if "profile" not in asked and "address" in asked and _CHANGES_PROFILE.search(proposal):
        return [f"My profile should stay as it is. {request.say}"]
    if not proposed or proposed & asked or (not asked and request.wants):
        return []
    people = _NAMES.findall(request.say)
    if people and "passengers" in asked and all(name in proposal for name in people):
        return []
    if proposed <= _CHANGES_IN_ANY_WORDS and _about(proposal, request):
        return []  # what it would do with what was asked about may be said in any words
    return [f"That's not what I asked for. {request.say}"]


def _about(proposal: str, request: Request) -> bool:
    """Does a proposal speak of the things that the wish speaks of?"""
    wish = content_words(" ".join([request.say, *request.details, *request.choose]))
    return len(wish & content_words(proposal)) >= 3


# Verbs of change and of money serve many wishes; the others name one deed and no other.
_CHANGES_IN_ANY_WORDS = frozenset({"exchange", "pay", "remove"})
_NAMES = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_CHANGES_PROFILE = re.compile(
    r"\b(?:chang|updat|set|replac|overwrit)\w*\b[^.]*(?:\band\b[^.]*\b(?:profile|default address)|\b(?:profile|default address)[^.]*\band\b)",
    re.I,
)
