"""Particulars of a proposal against the wish: places, goods, how many, dates, cabins, reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pytest_taubench.schema import Request
from pytest_taubench.users.scripted.lexicon import canonical, family_values, identifiers, slot_name
from pytest_taubench.users.scripted.options import dates_in
from pytest_taubench.users.scripted.purpose import asked_deeds, proposed_deeds
from pytest_taubench.users.scripted.sentences import content_words, word_list

_STREET = re.compile(r"\b(?P<number>\d{1,5}) (?P<name>[A-Z][\w'’]+(?: [A-Z][\w'’]+){0,3})(?=[,.;:)\n]|$| (?:in|with|and)\b)(?P<city>(?:, (?!Unit|Apt|Suite)[A-Z][a-z]+(?: [A-Z][a-z]+)*)?)")  # fmt: skip
_UNIT = re.compile(r"\b(?:Unit|Apt\.?|Apartment|Suite|Ste\.?) #?(\d+\w?)", re.I)
_NOT_UNIT = re.compile(r"\b(?:not|instead of|from) (?:Unit|Apt\.?|Apartment|Suite) #?\d+\w?", re.I)
_ZIP = re.compile(r"(?<![\d#$_W-])\d{5}(?![\d-])")
_HOME = re.compile(r"\b(?:my|your) profile\b|\bhome address\b", re.I)
_OBJECT = re.compile(
    r"\b(?:return|exchang|cancel|modif|swap|replac|remov|send|ship)\w*:? (?:back )?(?P<what>(?:(?:the|your|a|an|both|one) )[a-z][^.;:()$#\n]*)",
    re.I,
)
_OBJECT_ENDS = re.compile(
    r"\b(?:in|of|from|for|to|with|because|since|as|on|at|that|which|due|instead|by|using|worth|again|unchanged|back)\b|->|→",
    re.I,
)
_STAYS = re.compile(r"\s*(?:keep|leave|not|but|while)\b", re.I)
_GENERAL = re.compile(
    r"\b(?:items?|orders?|reservations?|bookings?|products?|following|it|them|parcel|address|refund|money|way|trip|flights?|passengers?|names?|difference|price|ones?|everything|payment|whole|entire|all|request|changes?|certificate|insurance|bags?|two|three|others?|same|ticket|latter|former|above)\b",
    re.I,
)
_ALL = re.compile(r"\b(?:everything|all (?:my|three|of|items|orders)|each (?:item|order|of)|every|whole|entire|both items)\b", re.I)  # fmt: skip
_OF_ALL = re.compile(r"\b(?:one|two|three|four|only|some|\d) (?:\w+ )?of (?:the|your|these) (?:two|three|four|five|\d|items?)\b", re.I)  # fmt: skip
_WHOLE = re.compile(r"\b(?:return|exchang\w*) (?:all|everything|the (?:whole|entire|full) order|every)\b", re.I)  # fmt: skip
_TOO_MANY = re.compile(
    r"\b(?:both|all(?: of)?)(?: (?:your|the))?(?: \w+)? (?:orders|reservations)\b", re.I
)
_ALL_OF_MANY = re.compile(
    r"\ball (?:three|four|five|[3-9]) (?:of )?(?:the |your |these )?(?:items|things|products)\b",
    re.I,
)
_ONE_OF_BOTH = re.compile(r"\bboth (?:\w+ )?(?P<noun>\w+?)s\b", re.I)
_BECAUSE = re.compile(r"\b(?:because|since) (?P<why>[^.?;]+)", re.I)
_NO_KINDS = word_list("the a an my your both that this one of each every same no second another")
_SAME_DATES = re.compile(r"\bsame (?:dates?|days?|flights?)\b|\bflights? (?:I|we) have\b", re.I)
_MOVED_TO = re.compile(
    r"\bto (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d|\bto \d{4}-\d\d"
)
_PERSON = re.compile(r"\b[A-Z][a-z]+(?= [A-Z][a-z]+\b)|(?<=[a-z] )[A-Z][a-z]+\b")
_BIRTH = re.compile(r"\b(?:born|birth|DOB)\b[^;\n]{0,25}?\b(?P<year>(?:19|20)\d\d)\b", re.I)
_MONEY_GOES = re.compile(r"\bonly if the (?:money|refund) goes to my (?P<where>[\w ]+)", re.I)
_USUAL = ("no longer needed", "ordered by mistake")


def against_place(
    proposal: str, request: Request, home: Mapping[str, Sequence[str]], said: str = ""
) -> list[str]:
    """Return what the user says to a proposal that sends or moves something to another place.

    Args:
        proposal: What the agent would do.
        request: The wish.
        home: Zip code and city that the user has in its profile, as far as it knows them.
        said: All that the user has told so far; a wish may leave out a place it has named.
    """
    if not proposed_deeds(proposal) & {"address", "profile"}:
        return []
    bound = _bound_to_orders(proposal, request)
    named = _streets(proposal)
    wished = " ".join([request.say, *request.details, *_values(request, "address")])
    if bound:
        return bound
    if not (_streets(wished) or _HOME.search(request.say) or _values(request, "address")):
        wished = f"{wished} {said}"
    unit = _against_unit(proposal, wished)
    if unit:
        return unit
    if not named:
        return []
    known = [name for name in _values(request, "address") if not re.match(r"\d", name)]
    if known and not any(value.lower() in proposal.lower() for value in known):
        return [f"No, it should go to {' or '.join(known)}, not to {named[-1]}."]
    streets = _streets(wished)
    if streets and not any(_same_street(a, b) for a in named for b in streets):
        return [f"The address is {streets[0]}, not {named[-1]}."]
    zips = set(_ZIP.findall(wished)) if streets else set(home.get("zip", ())) if _HOME.search(request.say) else set()  # fmt: skip
    other = set(_ZIP.findall(proposal)) - zips
    if zips and other and not zips & set(_ZIP.findall(proposal)):
        return [f"The zip code should be {min(zips)}, not {min(other)}."]
    return [] if streets or not _HOME.search(request.say) else _against_city(proposal, home)


def _against_city(proposal: str, home: Mapping[str, Sequence[str]]) -> list[str]:
    """Is the place in another city than where the user lives?"""
    stated = [m["city"].strip(", ") for m in _STREET.finditer(proposal) if m["city"]]
    cities = home.get("city", ())
    if stated and cities and not any(city in proposal for city in cities):
        return [f"I live in {cities[0]}, not in {stated[-1]}."]
    return []


def _bound_to_orders(proposal: str, request: Request) -> list[str]:
    """An order that goes to the place of another one."""
    for order, places in request.recognizes.items():
        if not order.startswith("#"):
            continue
        for part in re.findall(rf"{re.escape(order)}\b[^#]*", proposal):
            if _streets(part) and not any(place in part for place in places):
                return [f"Order {order} should go to {' or '.join(places)}."]
    return []


def _against_unit(proposal: str, wished: str) -> list[str]:
    wanted = set(_UNIT.findall(_NOT_UNIT.sub("", wished)))
    named = set(_UNIT.findall(_NOT_UNIT.sub("", proposal)))
    if wanted and named and not wanted & named:
        return [f"The unit is {min(wanted)}, not {min(named)}."]
    return []


def _streets(text: str) -> list[str]:
    return [f"{m['number']} {m['name']}" for m in _STREET.finditer(text)]


def _same_street(one: str, other: str) -> bool:
    (number, name), (other_number, other_name) = one.split(" ", 1), other.split(" ", 1)
    return number == other_number and name.split()[0] == other_name.split()[0]


def _values(request: Request, key: str) -> list[str]:
    both = [*request.wants.items(), *request.recognizes.items()]
    return [value for name, values in both if slot_name(name) == key for value in values]


def against_goods(proposal: str, request: Request, said: str) -> list[str]:
    """Return what the user says when something is to be done with goods it has never spoken of."""
    wish = " ".join([request.say, *request.details])
    known = content_words(" ".join([said, wish, *(v for vs in request.wants.values() for v in vs), *request.choose]))  # fmt: skip
    strange = [
        n
        for n in goods_in(proposal)
        if not _known(n, known) or _other_kind(n, f"{said} {wish}", known)
    ]
    if strange and not _ALL.search(wish) and len(content_words(request.say)) > 1:
        return [f"I have not said anything about the {strange[0]}. {request.say}"]
    return _how_many(proposal, wish, request)


def goods_in(proposal: str) -> list[str]:
    """Return what the verbs of a proposal do something with, in plain prose."""
    found = []
    for match in _OBJECT.finditer(proposal):
        what = _OBJECT_ENDS.split(match["what"])[0]
        for part in re.split(r",| and ", what):
            if _STAYS.match(part):
                break  # what follows is left alone
            name = re.sub(r"^(?:(?:the|your|a|an|both|one|and) )+", "", part.strip(), flags=re.I).strip()  # fmt: skip
            if name and content_words(name) and not _GENERAL.search(name) and name.islower():
                found.append(name)
    return found


def _known(name: str, known: set[str]) -> bool:
    return any(
        word == other or (min(len(word), len(other)) > 3 and (word in other or other in word))
        for word in content_words(name)
        for other in known
    )


def _other_kind(name: str, spoken: str, known: set[str]) -> bool:
    """A grand piano is none that the user has called a digital piano."""
    kind, _, noun = name.rpartition(" ")
    called = set(re.findall(rf"\b([a-z]+) {re.escape(noun)}\b", spoken.lower())) - _NO_KINDS
    return bool(called and kind and " " not in kind and not content_words(kind) & known)


def _how_many(proposal: str, wish: str, request: Request) -> list[str]:
    if _OF_ALL.search(proposal) and re.search(r"\b(?:all|everything|both|each|every)\b", wish):
        return [f"Not only some of them. {request.say}"]
    if _TOO_MANY.search(proposal) and not _ALL.search(wish) and re.search(r"\bonly\b|\bcheapest\b|\bone\b", wish, re.I):  # fmt: skip
        return [f"Not all of them. {request.say}"]
    if _WHOLE.search(proposal) and not _ALL.search(wish) and not re.search(r"\bboth\b", wish):
        return [f"Not everything. {request.say}"]
    if _ALL_OF_MANY.search(proposal) and re.search(r"\bboth\b|\bonly\b", wish, re.I):
        return [f"Not all of them. {request.say}"]
    for both in _ONE_OF_BOTH.finditer(wish):
        if re.search(rf"\b(?:one|1|a) (?:\w+ )?{both['noun']}\b(?!s)", proposal, re.I) and not re.search(r"\bboth|\btwo\b", proposal, re.I):  # fmt: skip
            return [f"I mean both of them. {request.say}"]
    return []


def against_trip(proposal: str, request: Request) -> list[str]:
    """Return what the user says to dates or a cabin that it has not spoken of."""
    wish = " ".join([request.say, *request.details, *_values(request, "date"), *_values(request, "cabin")])  # fmt: skip
    named, wanted = dates_in(proposal), dates_in(wish)
    if named and wanted and not named & wanted and "date" not in map(slot_name, request.wants):
        return [f"Those are not the dates that I mean. {request.say}"]
    if _SAME_DATES.search(wish) and _MOVED_TO.search(proposal):
        return [f"The dates should stay as they are. {request.say}"]
    strange = family_values(proposal, "cabin") - family_values(wish, "cabin") - {"economy"}
    moved = re.search(
        r"(?:(?<!\bis )(?<!\bare )(?<!\bwas )(?<!booked )\bin|\b(?:to|into)) (?:basic economy|business|first)\b",
        canonical(proposal),
    )
    if strange and moved and not family_values(wish, "cabin") and "class" not in wish:
        return [f"I have not asked for another cabin. {request.say}"]
    return []


_OPEN_COLOR = re.compile(
    r"\b(?:any|whatever|whichever|cheapest|other) (?:other )?colou?r\b|\bcheapest\b", re.I
)
_INTO = re.compile(r"\b(?:to|into|→|->) (?:a |an |the )?(?P<what>\w+)", re.I)


def against_color(proposal: str, request: Request) -> list[str]:
    """Return what the user says to a thing that would become of a color it has not named."""
    wish = " ".join([request.say, *request.details, *(v for vs in request.wants.values() for v in vs), *request.choose])  # fmt: skip
    wanted = family_values(wish, "color")
    if not wanted or _OPEN_COLOR.search(wish):
        return []
    strange = [
        m["what"] for m in _INTO.finditer(proposal) if family_values(m["what"], "color") - wanted
    ]
    return [f"Not {strange[0]}. {request.say}"] if strange else []


def against_reason(proposal: str, request: Request) -> list[str]:
    """Return what the user says when a reason is given for it that is not its own."""
    why = _BECAUSE.search(request.say)
    given = [reason for reason in _USUAL if reason in canonical(proposal)]
    if not given or _values(request, "reason") or why is None:
        return []
    if any(reason in why["why"] for reason in _USUAL) or identifiers(why["why"], "order_id"):
        return []
    return [f"That is not the reason. It is because {why['why'].strip()}."]


def against_people(proposal: str, request: Request) -> list[str]:
    """Return what the user says to other travellers than those it has named, or another birth."""
    said, told = _BIRTH.search(request.say), _BIRTH.findall(proposal)
    if said and told and said["year"] not in told:
        return [f"The year of birth is {said['year']}, not {told[-1]}."]
    named = set(_PERSON.findall(request.say))
    about = re.search(r"\bpassengers?\b|\btravell?ers?\b", proposal, re.I)
    if about and "passengers" in asked_deeds(request) and _PERSON.search(proposal[about.end() :]) and not any(name in proposal for name in named):  # fmt: skip
        return [f"That is somebody else. {request.say}"]
    return []


def against_condition(proposal: str, request: Request) -> list[str]:
    """Return the one condition that a refund has to meet, where the proposal does not say so."""
    condition = _MONEY_GOES.search(request.say)
    if condition and canonical(condition["where"]).strip() not in canonical(proposal):
        return [f"{condition[0][0].upper()}{condition[0][1:]}."]
    return []


_LIMIT = re.compile(
    r"\b(?:(?:not|no) more than|at most|up to|below|under|within|less than|not (?:cost|go) over|if it stays under)"
    r" (?:\$ ?(?P<digits>\d[\d,]*(?:\.\d+)?)|(?P<words>[a-z-]+) dollars)(?P<more> (?:more|extra|on top))?",
    re.I,
)
_AMOUNT = r"\$ ?(\d[\d,]*\d(?:\.\d\d)?|\d)"
_MORE = re.compile(
    rf"{_AMOUNT} (?:more|extra)\b|\b(?:difference|extra|surcharge)\b[^.$]{{0,30}}{_AMOUNT}", re.I
)
_IN_ALL = re.compile(
    rf"{_AMOUNT} (?:in total|altogether|in all)\b|\btotal\b[^.$]{{0,30}}{_AMOUNT}", re.I
)
_TENS = {"ten": 10, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100}


def against_limit(proposal: str, request: Request) -> list[str]:
    """Return what the user says to a sum above the most that it would pay."""
    wish = " ".join([request.say, *request.details])
    for limit in _LIMIT.finditer(wish):
        digits, words = limit["digits"], (limit["words"] or "").lower()
        most = float(digits.replace(",", "")) if digits else _TENS.get(words)
        kinds = (_MORE,) if limit["more"] else (_MORE, _IN_ALL)
        sums = [
            float(next(filter(None, found)).replace(",", ""))
            for kind in kinds
            for found in kind.findall(proposal)
        ]
        if most is not None and sums and min(sums) > most:
            return [f"That is more than ${most:g}. {request.say}"]
    return []
