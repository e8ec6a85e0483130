"""Requests of a derived script: the user's words, and what a proposal must agree with."""

from __future__ import annotations

import re

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.cues import CONNECTIVE, KEPT, TELL_ME
from pytest_taubench.users.scripted.facts import payment_of, reasons
from pytest_taubench.users.scripted.grammar import first_person
from pytest_taubench.users.scripted.lexicon import family_values, identifiers
from pytest_taubench.users.scripted.sentences import as_sentence, lower_first


def merged(first: Request, second: Request) -> Request:
    """Return one request for two that must be settled in one go."""
    both = first.model_copy(deep=True)
    both.say = f"{first.say} {second.say}"
    both.avoid += second.avoid
    for key, values in second.wants.items():
        known = both.wants.setdefault(key, [])
        known += [value for value in values if value not in known]
    return both


def request_of(said: str, details: list[str] | None = None) -> Request:
    """Return a request for a wish, with what its words say a proposal must agree with."""
    request = Request(say=said, details=list(details or []))
    learn_wants(request, said)
    for detail in request.details:
        learn_wants(request, detail)
    return request


def learn_wants(request: Request, said: str) -> None:
    """Take from a sentence what a proposal must agree with."""
    wants: dict[str, list[str]] = {"payment": payment_of(said)}
    chosen = re.sub(r"(?:instead of|rather than|not) [\w -]+", "", said)
    for kind in ("order_id", "item_id"):
        wants[kind] = sorted(identifiers(said, kind))
    if not re.search(r"\bif\b|\bprefer|\bor\b|\bunless\b", said, re.I):
        for family in ("color", "cabin"):
            wants[family] = sorted(family_values(chosen, family))
    usual = [
        reason for reason in reasons(said) if reason in ("no longer needed", "ordered by mistake")
    ]
    wants["reason"] = usual[:1]
    request.avoid += [kept for kept in KEPT.findall(said) if kept not in request.avoid]
    for key, values in wants.items():
        if values:
            known = request.wants.setdefault(key, [])
            known += [value for value in values if value not in known]


def said_by_user(sentence: str) -> str:
    """How the user says a sentence of its instruction."""
    text = CONNECTIVE.sub("", sentence).strip()
    text = re.sub(r"^your goal is to ", "you want to ", text, flags=re.I)
    agent = r"(?:the (?:customer service )?agent |them |it )?"
    frames = (
        (rf"^(?:you )?(?:also |then )?ask {agent}(?=(?:if|whether|what|how|which|when|why|who|where)\b)", TELL_ME),
        (rf"^(?:you )?(?:also |then )?ask {agent}to ", "Please "),
        (rf"^(?:you )?(?:also |then )?ask {agent}(?:for|about) (?=the |your |how |what )", TELL_ME),
        (rf"^(?:you )?(?:also |then )?ask {agent}(?:for|about) ", "you want to ask about "),
        (r"^(?:tell|inform|let) (?:the agent|them) (?:know )?(?:that )?", ""),
        (r"^(?=(?:return|cancel|exchange|modify|change|book|upgrade|downgrade|add|remove|update|switch|replace|swap)\b)", "you want to "),
    )  # fmt: skip
    for pattern, instead in frames:
        replaced = re.sub(pattern, instead, text, count=1, flags=re.I)
        if replaced != text:
            rest = replaced[len(instead) :]
            text = instead + (lower_first(rest) if instead else rest)
            break
    text = re.sub(r"(?<=[a-z] )(You)\b", "you", text)
    if text.startswith(TELL_ME):
        asked = first_person(text.removeprefix(TELL_ME)).rstrip(".?!")
        return f"{TELL_ME}{lower_first(asked)}?"
    return as_sentence(first_person(text))
