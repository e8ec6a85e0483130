"""Derive a script from an instruction, for the tasks that have none.

An instruction is prose about "you". Each sentence is sorted by what it does for the
conversation: who the user is, how it behaves, what it wants, what it wants instead when it is
refused, what it answers when asked, and what it merely prefers or knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_taubench.schema import Request, Script
from pytest_taubench.users.scripted.facts import (
    identity_facts,
    other_facts,
    payment_of,
    reasons,
)
from pytest_taubench.users.scripted.grammar import first_person
from pytest_taubench.users.scripted.lexicon import family_values, identifiers, operations
from pytest_taubench.users.scripted.sentences import (
    as_sentence,
    content_words,
    lower_first,
    split_sentences,
)

_PERSON = re.compile(
    r"^(?:You are|You're|Your? (?:(?:full )?name|user id|e-?mail(?: address)?) is)\s", re.I
)
_WANTING = (
    r"you(?:'d| would|'ve| have| are| also| just| then| now| really| only| first| finally)*"
    r" (?:want|like|need|wish|wonder|hope|plan|ask|try|request|prefer|received|bought|ordered|"
    r"realized|noticed|looking|calling|contacting|trying|decided|moved|got|placed|booked|found)"
)
_AFTER_PERSON = re.compile(rf"(?:,? and|,? who|[,;.]| but)\s+({_WANTING}\b.*)", re.I | re.S)
_CONNECTIVE = re.compile(
    r"^(?:(?:also|then|finally|lastly|next|first|secondly?|besides|in addition|additionally|"
    r"afterwards?|after (?:that|this)|moreover|meanwhile|once (?:that is|that's) done|"
    r"in any case|at the end(?: of (?:the day|it all))?|and|but|so|however|second|third|later)\b,? )+",
    re.I,
)
_ASKED = re.compile(
    r"^(?:but |and |only |also )*(?:if|when|once|whenever)(?: and only if)? (?:(?:and )?the agent |you(?:'re| are) |they |the )?"
    r"(?:ever |also |is )?(?:asks?|asked|wants?|requests?|needs?|gives?|provides?|offers?|lists?|mentions?|says?)\b"
    r"(?P<topic>[^,]*),\s*(?:then )?(?P<reply>.+)$",
    re.I | re.S,
)
_CONFIRMS = re.compile(r"\bconfirm|\bproceed\b|\bapprov|\byes or no\b", re.I)
_REFUSED_IF = re.compile(
    r"^(?:but |and |even |only )*(?:if|when|in case|should)\b(?P<case>[^,]*?(?:\bnot\b|n't\b|cannot|\bno\b|\bnone\b|refus|den(?:y|ies|ied)|declin|unable|impossible|unavailable|"
    r"out of stock|sold out|fails?\b|turned down|reject|only (?:do |help with |one)|issues?\b)[^,]*),\s*(?:then )?(?P<then>.+)$"
    r"|^(?:otherwise|failing that|if not|or else|as a fallback|in that case)\b,?\s*(?P<other>.+)$",
    re.I | re.S,
)
_REPLY_FRAME = re.compile(
    r"^(?:you )?(?:can |will |would |should |'d |may |then |just |simply |also )*(?:say|tell (?:them|it|the agent|him|her)|answer|reply|respond|mention|explain|state|give|provide)"
    r"(?: exactly)?(?: with)?(?: that| it is| it's)?[:,]?\s+",
    re.I,
)
_BEHAVIOUR = re.compile(
    r"\b(?:make sure (?:that )?(?:you |to )?(?:first )?(?:mention|say|ask|state)|at the same time|in one go|one (?:thing|request|item) at a time|in pieces|"
    r"(?:do not|don't|never|not want to|won't|refuse to) (?:\w+ )?(?:reveal|mention|share|disclose|tell|volunteer|give (?:out|away))|minimal information|make up|"
    r"typos|you (?:speak|talk|sound|write|like to (?:say|talk|speak|joke))|reveal (?:much|little)|first message|up ?front)\b",
    re.I,
)
_INSIST = re.compile(
    r"\b(?:insist|push back|persist|keep (?:asking|pushing|insisting)|argue|press (?:the|for|them)|"
    r"do(?: not|n't) (?:give up|take no|back down)|stand your ground|try again|ask again)\b",
    re.I,
)
_TIMES = {"once": 1, "one time": 1, "twice": 2, "two times": 2, "three times": 3, "four times": 4}
_WISH = re.compile(
    r"\b(?:want(?:s|ed)?|would like|you'd like|need|wish|wonder|hope|ask|find out|looking (?:to|for)|trying to|"
    r"request|inquire|demand|plan to|intend|would love|goal is|aim)\b"
    r"|^(?:please |for #?w\d+, )?(?:return|cancel|exchange|modify|change|book|upgrade|downgrade|add|remove|update|get|find|check|"
    r"switch|replace|swap|move|correct|tell|request|ask|inquire)\b",
    re.I,
)
_NOT_WISH = re.compile(
    r"\b(?:do not|don't|never) (?:want|need|wish|care|mind)\b|\bwant (?:the|any|your|all|a) (?:\w+ ){0,2}(?:refund|money|difference|payment)\b(?! (?:amount|of))",
    re.I,
)
_MOODS = {
    "polite": r"polite|friendly|kind|courteous|gentle",
    "brief": r"brief|terse|concise|few words|busy|laconic|short answers|quiet|minimal",
    "impatient": r"impatient|in a hurry|hurry|rush|quickly|busy",
    "angry": r"angry|annoyed|upset|furious|frustrated|rude|irritated|unhappy",
    "sad": r"\bsad\b|depress|emotional|heartbroken|pessimistic",
    "anxious": r"anxious|nervous|worried|stress|cautious|insecure",
    "chatty": r"chatty|talkative|outgoing|funny|jokes|verbose|rambl|happy|optimistic|cheerful",
    "private": r"private|mysterious|reveal (?:much|little)|minimal information|secretive|reserved|shy",
}
_KEEP = re.compile(
    r"\b(?:keep (?:it|them|the|everything)|regret|rethink|do(?:es)?n't want|do not want|leave (?:it|everything|things)|"
    r"no longer want|forget (?:it|about)|never mind|not (?:to )?(?:cancel|return|exchange|proceed|do))",
    re.I,
)
# "You are Ada Kern and want ..." says the subject once.
_SHARED_SUBJECT = re.compile(
    r",? (?:and|but) ((?:(?:also|just|now|would) )*(?:want|need|wish|like|have|received|ordered|bought|moved)\b.*)",
    re.S,
)
_SURE = re.compile(
    r"You(?: are|'re) (?:sure|certain|convinced|unhappy|not (?:sure|happy)|afraid|glad)\b"
)
_RESIGNS = re.compile(
    r"^(?:you )?(?:just |simply |will |would |'d )*(?:accept (?:it|that|this)|let it be|let it go|leave it(?: at that)?|forget (?:it|about it)|"
    r"do nothing|give up|be (?:fine|okay)|are fine|that is fine)(?:,? and |[,;] |\.?$)",
    re.I,
)
_IGNORANT = re.compile(
    r"\b(?:do not|don't|cannot|can't) (?:\w+ )?(?:have|know|remember|recall)\b", re.I
)
_SPLIT = re.compile(
    r";\s+(?=[A-Z]|(?:you|if|for|ask|tell|return|cancel|exchange|then|otherwise|but)\b)"
    r"|(?:,? and|,? then|,)\s+(?=(?:then |also )?ask (?:the agent |them )?(?:how|what|if|whether|for|which|when|about)\b)"
)
_ABOUT_GOODS = re.compile(
    r"^(?:I (?:have|had|just|recently|received|ordered|bought|moved)\b|(?:my|the|both|one|two|order)\b.* (?:is|are|was|were|has|have|do|does|don't|arrived|came|broke)\b)",
    re.I,
)
_PREFERS = re.compile(
    r"\b(?:prefer|rather|should|must|refund|pay|paid|use|care|mind|fine|okay|accept|willing|leave|keep|stays?)\b",
    re.I,
)
_TELL_ME = "Can you tell me "
_HIDDEN = re.compile(r"\s*\([^)]*(?:reveal|mention|agent|tell|secret|don't say|do not say)[^)]*\)", re.I)  # fmt: skip


@dataclass
class Derived:
    """What an instruction gives.

    Attributes:
        script: The script.
        knowledge: All that may be said of the instruction, in the first person, by sentence.
    """

    script: Script
    knowledge: list[str]


@dataclass
class _Reading:
    """The state of reading an instruction sentence by sentence."""

    requests: list[Request] = field(default_factory=list)
    pending_details: list[str] = field(default_factory=list)
    background: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    knowledge: list[str] = field(default_factory=list)
    one_at_a_time: bool = False

    @property
    def innermost(self) -> Request | None:
        """The request, or its last fallback, that a further "if not" belongs to."""
        request = self.requests[-1] if self.requests else None
        while request and request.if_refused:
            request = request.if_refused[-1]
        return request


def derive(instruction: str) -> Derived:
    """Return a script for an instruction, as far as its sentences can be read."""
    text = _HIDDEN.sub("", " ".join(instruction.split()))
    at_once = re.search(
        r"at the same time|in one go|all at once|upfront|up front|first message", text
    )
    reading = _Reading(
        one_at_a_time=bool(re.search(r"one (?:thing|request) at a time|in pieces|one by one", text))
    )
    for sentence in _sentences(text):
        _read(sentence, reading)
    if not reading.requests:
        said = list(reading.knowledge) or [as_sentence(first_person(text))]
        reading.requests.append(_request(" ".join(said)))
    facts = identity_facts(text) | other_facts(text)
    script = Script(
        facts=facts,
        unknown=_unknown(text),
        requests=reading.requests,
        all_at_once=bool(at_once),
        answers=reading.answers,
        mood=[mood for mood, words in _MOODS.items() if re.search(words, _persona(text), re.I)],
    )
    return Derived(script, reading.knowledge)


def _sentences(text: str) -> list[str]:
    return [
        part.strip()
        for sentence in split_sentences(text)
        for part in _SPLIT.split(sentence)
        if part.strip(" .;")
    ]


def _persona(text: str) -> str:
    """The sentences that describe the user."""
    pattern = re.compile(r"^You(?: are|'re|r| speak| talk| sound| like to| tend| do not| don't)\b")
    return " ".join(s for s in split_sentences(text) if pattern.match(s) or _BEHAVIOUR.search(s))


def _unknown(text: str) -> list[str]:
    """Facts the instruction says the user does not know."""
    pattern = re.compile(
        r"(?:do not|don't|cannot|can't|not) (?:know|remember|recall|have)[^.;]*|forgot[^.;]*", re.I
    )
    said = " ".join(pattern.findall(text)).lower()
    words = {"email": "mail", "user_id": "user id", "order_id": "order (?:id|number)", "reservation_id": "(?:reservation|booking|confirmation) (?:id|number|code)", "zip": "zip"}  # fmt: skip
    return [slot for slot, pattern in words.items() if re.search(pattern, said)]


def _read(sentence: str, reading: _Reading) -> None:
    """Sort one sentence into the reading."""
    sentence = _wish_part(sentence)
    if not sentence:
        return
    asked = _ASKED.match(sentence)
    if asked:
        _read_answer(asked["topic"], asked["reply"], reading)
        return
    refused = _REFUSED_IF.match(sentence)
    request = reading.innermost
    if refused and request is not None:
        instead = _RESIGNS.sub("", refused["then"] or refused["other"])
        reading.knowledge.append(as_sentence(first_person(sentence)))
        if instead.strip(". "):
            request.if_refused.append(_request(_said(instead)))
        return
    if _INSIST.search(sentence) and reading.requests:
        reading.requests[-1].insist = _times(sentence)
        return
    if _BEHAVIOUR.search(sentence) and not operations(sentence):
        return
    said = _said(sentence)
    reading.knowledge.append(said)
    if not _is_wish(sentence):
        _add_detail(sentence, said, reading)
        return
    said = " ".join([*reading.background[-2:], said])
    reading.background = []
    if _continues(sentence, reading):
        last = reading.requests[-1]
        reading.requests[-1] = _merged(last, _request(said))
    else:
        reading.requests.append(_request(said, reading.pending_details))
        reading.pending_details = []


def _wish_part(sentence: str) -> str:
    """Cut off who the user is; nothing is left of a sentence that says only that."""
    if not _PERSON.match(sentence):
        return sentence
    rest = _AFTER_PERSON.search(sentence)
    if rest:
        return rest[1][0].upper() + rest[1][1:]
    shared = _SHARED_SUBJECT.search(sentence)
    if shared:
        return sentence if _SURE.match(sentence) else f"You {shared[1]}"
    about = _PERSON.sub("", sentence)
    wanting = re.match(r"(?:\w+ )?(?:looking|trying|calling|contacting|hoping|planning|interested|willing|fine|okay|ok)\b", about)  # fmt: skip
    return sentence if wanting else ""


def _read_answer(topic: str, reply: str, reading: _Reading) -> None:
    """Read "if the agent asks for the reason, say …": an answer, or a change of mind."""
    change = re.sub(r"^you(?:'d| would)? change(?:d)? your mind(?: and|, and| to|,)?\s*", "", reply, flags=re.I)  # fmt: skip
    said = as_sentence(first_person(_REPLY_FRAME.sub("", change)).strip("'\"‘’“” "))
    if not reading.requests or not _CONFIRMS.search(topic):
        words = sorted(content_words(topic)) or ["which"]
        reading.answers["|".join(words)] = said
        return
    request = reading.requests[-1]
    if not re.fullmatch(r"(?:I )?(?:confirm|agree|yes|say yes)\W*", said, re.I):
        request.on_confirm = said
        request.drop_on_confirm = bool(_KEEP.search(said)) and not operations(
            _KEEP.sub("", said)
        ) - {"add"}


def _times(sentence: str) -> int:
    said = sentence.lower()
    counted = re.search(r"\b(\d) times\b", said)
    if counted:
        return int(counted[1])
    return next((n for word, n in _TIMES.items() if word in said), 2)


def _is_wish(sentence: str) -> bool:
    uses = r"you(?:'d| would)? (?:want|like|wish)(?: to)? (?:first )?(?:use|pay)\b(?! for)"
    if re.match(uses, sentence, re.I) and not operations(sentence):
        return False
    if _NOT_WISH.search(sentence) and not operations(sentence):
        return False
    if re.match(
        r"if\b[^,]*\b(?:possible|available|can|allowed)\b[^,]*, you(?:'d| would)? (?:want|like)",
        sentence,
        re.I,
    ):
        return True
    if re.match(r"(?:if|when|for (?:the )?(?:refund|payment))\b", sentence, re.I):
        return bool(re.match(r"for #?W\d", sentence, re.I))
    if re.match(r"you(?:'d| would)? (?:strongly |really )?(?:prefer|rather)", sentence, re.I):
        return False
    return _WISH.search(_CONNECTIVE.sub("", sentence)) is not None


def _continues(sentence: str, reading: _Reading) -> bool:
    """Does the sentence ask for more of the same, which must be settled in one go?"""
    if reading.one_at_a_time or not reading.requests:
        return False
    last = reading.requests[-1]
    before, now = operations(last.say), operations(sentence)
    goods = {"return", "exchange"}
    same = before & now & (goods | {"modify"}) or (before & goods and now & goods)
    return bool(same) and not last.on_confirm and not last.if_refused


def _add_detail(sentence: str, said: str, reading: _Reading) -> None:
    """A preference belongs to the request before it; a mere background to no request."""
    matters = re.search(
        r"\b(?:prefer|rather|should|must|only|as long as|use|pay|paid|refund|if|want|care|mind|need|"
        r"same|instead|default|cheapest|willing|fine|okay|accept|leave|keep|stays?)\b",
        sentence,
        re.I,
    )
    if _IGNORANT.search(sentence):
        return
    if not matters or (
        operations(said) == set() and _ABOUT_GOODS.search(said) and not _PREFERS.search(said)
    ):
        reading.background.append(said)
    elif reading.requests:
        last = reading.requests[-1]
        last.details.append(said)
        _learn_wants(last, said)
    else:
        reading.pending_details.append(said)


def _merged(first: Request, second: Request) -> Request:
    merged = first.model_copy(deep=True)
    merged.say = f"{first.say} {second.say}"
    for key, values in second.wants.items():
        known = merged.wants.setdefault(key, [])
        known += [value for value in values if value not in known]
    return merged


def _request(said: str, details: list[str] | None = None) -> Request:
    request = Request(say=said, details=list(details or []))
    _learn_wants(request, said)
    for detail in request.details:
        _learn_wants(request, detail)
    return request


def _learn_wants(request: Request, said: str) -> None:
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
    for key, values in wants.items():
        if values:
            known = request.wants.setdefault(key, [])
            known += [value for value in values if value not in known]


def _said(sentence: str) -> str:
    """How the user says a sentence of its instruction."""
    text = _CONNECTIVE.sub("", sentence).strip()
    text = re.sub(r"^your goal is to ", "you want to ", text, flags=re.I)
    agent = r"(?:the (?:customer service )?agent |them |it )?"
    frames = (
        (rf"^(?:you )?(?:also |then )?ask {agent}(?=(?:if|whether|what|how|which|when|why|who|where)\b)", _TELL_ME),
        (rf"^(?:you )?(?:also |then )?ask {agent}to ", "Please "),
        (rf"^(?:you )?(?:also |then )?ask {agent}(?:for|about) (?=the |your |how |what )", _TELL_ME),
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
    if text.startswith(_TELL_ME):
        asked = first_person(text.removeprefix(_TELL_ME)).rstrip(".?!")
        return f"{_TELL_ME}{lower_first(asked)}?"
    return as_sentence(first_person(text))
