"""Read the facts about oneself out of an instruction: name, zip, ids, payment, address."""

from __future__ import annotations

import re

from pytest_taubench.users.scripted.lexicon import FAMILIES, IDENTIFIERS, canonical, identifiers

_NAME = r"([A-Z][a-zà-ÿ'’-]+(?: [A-Z][a-zà-ÿ'’-]+){1,2})"
_NAMED = re.compile(
    rf"(?:[Yy]ou are|[Yy]ou're|[Yy]our? (?:full )?name is|\bcalled|\bnamed|[Yy]ou, )\s+{_NAME}"
)
_FIRST_NAME = re.compile(r"(?:[Yy]ou are|[Yy]our? name is) ([A-Z][a-zà-ÿ'’-]+)(?=[ ,.])")
_USER_ID = re.compile(r"\b[a-z]+_[a-z]+_\d{3,5}\b")
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]*\w\b")
_ZIP = re.compile(r"(?<![\d#$_\w-])(\d{5})(?![\d-]|\w)")
_PHONE = re.compile(r"\+?\d{0,2}[ (]*\d{3}[) -]+\d{3}[ -]\d{4}\b")
_BIRTH = re.compile(
    r"(?:born(?: on| in)?|date of birth(?: is)?|birthday(?: is)?|DOB:?) "
    r"(\d{4}-\d{2}-\d{2}|[A-Z][a-z]+ \d{1,2},? \d{4}|\d{1,2} [A-Z][a-z]+ \d{4})"
)
STREET = re.compile(
    r"\b\d{1,5} [A-Z]\w+(?: [A-Z]\w+)* (?:Street|Avenue|Road|Lane|Drive|Boulevard|Way|Court|Place|"
    r"St|Ave|Rd|Dr|Blvd)\b(?:, (?:[A-Z]\w*(?: [A-Z0-9]\w*)*|\d{5}))*"
)
# The zip code of an address that one moves to proves nothing.
_NEW_ADDRESS = re.compile(rf"\bto (?:\w+ ){{0,4}}{STREET.pattern[2:]}")
_RESERVATION = re.compile(
    r"(?:[Rr]eservations?|[Bb]ookings?|[Cc]onfirmations?|[Tt]rips?)(?: (?:id|ID|number|code)s?)?"
    r"(?: is| are|:)? (?:under )?((?:[A-Z0-9]{6}(?:, | and |, and )?)+)"
)
_REASON = re.compile(r"no longer need(?:ed)?|order(?:ed)? (?:\w+ )?by mistake|by mistake", re.I)
_BECAUSE = re.compile(r"\b(?:because|since|as) (you(?:'|\b)[^.;]+|it[^.;]+|the[^.;]+)", re.I)


def identity_facts(instruction: str) -> dict[str, list[str]]:
    """Return who the user says it is, as far as the instruction tells."""
    found: dict[str, list[str]] = {
        "email": _EMAIL.findall(instruction),
        "user_id": list(dict.fromkeys(_USER_ID.findall(_EMAIL.sub("", instruction)))),
        "phone": [m.strip() for m in _PHONE.findall(instruction)],
        "date_of_birth": _BIRTH.findall(instruction),
        "zip": _ZIP.findall(_NEW_ADDRESS.sub("", instruction))[:1],
        "name": _names(instruction),
    }
    return {key: values for key, values in found.items() if values}


def other_facts(instruction: str) -> dict[str, list[str]]:
    """Return the ids, addresses and reasons that the instruction names."""
    reservations = [
        code
        for match in _RESERVATION.findall(instruction)
        for code in IDENTIFIERS["reservation_id"].findall(match)
    ]
    orders = [
        f"#{i.lstrip('#')}"
        for i in IDENTIFIERS["order_id"].findall(instruction)
        if i.lstrip("#")[1:].isdigit()
    ]
    found: dict[str, list[str]] = {
        "order_id": list(dict.fromkeys(orders)),
        "reservation_id": list(dict.fromkeys(reservations)),
        "address": STREET.findall(instruction)[:1],
        "reason": reasons(instruction)[:1],
    }
    return {key: values for key, values in found.items() if values}


def reasons(text: str) -> list[str]:
    """Return the reasons a text gives, a shop's usual ones first."""
    usual = []
    for match in _REASON.findall(text):
        usual.append("no longer needed" if "need" in match.lower() else "ordered by mistake")
    return list(dict.fromkeys(usual)) + [m.strip() for m in _BECAUSE.findall(text)]


def payment_of(text: str) -> list[str]:
    """Return the payment methods a text asks for: exact ids where it has them, else kinds."""
    exact = identifiers(text, "payment_id")
    if exact:
        return sorted(exact)
    said = canonical(text)
    if re.search(r"\bbalance|\b(?:holds?|left|remains?) (?:on|in)?", said) and "use" not in said:
        return []
    if re.search(r"\b(?:original|same) (?:\w+ )?(?:payment|method|card|form)", said):
        return []
    kinds = [kind for kind in FAMILIES["payment"] if re.search(rf"(?<!\w){kind}(?!\w)", said)]
    unwanted = [k for k in kinds if re.search(rf"(?:not|n't|instead of|rather than|than) (?:\w+ ){{0,4}}{k}", said)]  # fmt: skip
    return [kind for kind in kinds if kind not in unwanted]


def _names(instruction: str) -> list[str]:
    for pattern in (_NAMED, _FIRST_NAME):
        match = pattern.search(instruction)
        if match:
            return [re.sub(r"['’]s$", "", match[1])]
    by_id = _USER_ID.search(instruction)
    if by_id:
        return [" ".join(part.capitalize() for part in by_id[0].split("_")[:2])]
    return []
