"""Derive a script from an instruction, for the tasks that have none.

An instruction is prose about "you". Each sentence is sorted by what it does for the
conversation: who the user is, how it behaves, what it wants, what it wants instead when it is
refused, what it answers when asked, and what it merely prefers or knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_taubench.schema import Request, Script
from pytest_taubench.users.scripted.cues import (
    ABOUT_GOODS,
    AFTER_PERSON,
    ASKED,
    BEHAVIOUR,
    CONFIRMS,
    CONNECTIVE,
    HIDDEN,
    IGNORANT,
    INSIST,
    KEEP,
    MOODS,
    NOT_WISH,
    PERSON,
    PREFERS,
    REFUSED_IF,
    REPLY_FRAME,
    RESIGNS,
    SHARED_SUBJECT,
    SPLIT,
    SURE,
    TIMES,
    WISH,
)
from pytest_taubench.users.scripted.facts import (
    identity_facts,
    other_facts,
)
from pytest_taubench.users.scripted.grammar import first_person
from pytest_taubench.users.scripted.lexicon import operations
from pytest_taubench.users.scripted.sentences import (
    as_sentence,
    content_words,
    split_sentences,
)
from pytest_taubench.users.scripted.wishes import learn_wants, merged, request_of, said_by_user


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
    text = HIDDEN.sub("", " ".join(instruction.split()))
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
        reading.requests.append(request_of(" ".join(said)))
    facts = identity_facts(text) | other_facts(text)
    script = Script(
        facts=facts,
        unknown=_unknown(text),
        requests=reading.requests,
        all_at_once=bool(at_once),
        answers=reading.answers,
        mood=[mood for mood, words in MOODS.items() if re.search(words, _persona(text), re.I)],
    )
    return Derived(script, reading.knowledge)


def _sentences(text: str) -> list[str]:
    return [
        part.strip()
        for sentence in split_sentences(text)
        for part in SPLIT.split(sentence)
        if part.strip(" .;")
    ]


def _persona(text: str) -> str:
    """The sentences that describe the user."""
    pattern = re.compile(r"^You(?: are|'re|r| speak| talk| sound| like to| tend| do not| don't)\b")
    return " ".join(s for s in split_sentences(text) if pattern.match(s) or BEHAVIOUR.search(s))


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
    asked = ASKED.match(sentence)
    if asked:
        _read_answer(asked["topic"], asked["reply"], reading)
        return
    refused = REFUSED_IF.match(sentence)
    request = reading.innermost
    if refused and request is not None:
        instead = RESIGNS.sub("", refused["then"] or refused["other"])
        reading.knowledge.append(as_sentence(first_person(sentence)))
        if instead.strip(". "):
            request.if_refused.append(request_of(said_by_user(instead)))
        return
    if INSIST.search(sentence) and reading.requests:
        reading.requests[-1].insist = _times(sentence)
        return
    if re.match(r"you want nothing (?:else|more|further)\b", sentence, re.I):
        return
    if BEHAVIOUR.search(sentence) and not operations(sentence):
        return
    said = said_by_user(sentence)
    reading.knowledge.append(said)
    if not _is_wish(sentence):
        _add_detail(sentence, said, reading)
        return
    said = " ".join([*reading.background[-2:], said])
    reading.background = []
    if _continues(sentence, reading):
        last = reading.requests[-1]
        reading.requests[-1] = merged(last, request_of(said))
    else:
        reading.requests.append(request_of(said, reading.pending_details))
        reading.pending_details = []


def _wish_part(sentence: str) -> str:
    """Cut off who the user is; nothing is left of a sentence that says only that."""
    if not PERSON.match(sentence):
        return sentence
    rest = AFTER_PERSON.search(sentence)
    if rest:
        return rest[1][0].upper() + rest[1][1:]
    shared = SHARED_SUBJECT.search(sentence)
    if shared:
        return sentence if SURE.match(sentence) else f"You {shared[1]}"
    about = PERSON.sub("", sentence)
    wanting = re.match(r"(?:\w+ )?(?:looking|trying|calling|contacting|hoping|planning|interested|willing|fine|okay|ok)\b", about)  # fmt: skip
    return sentence if wanting else ""


def _read_answer(topic: str, reply: str, reading: _Reading) -> None:
    """Read "if the agent asks for the reason, say …": an answer, or a change of mind."""
    change = re.sub(r"^you(?:'d| would)? change(?:d)? your mind(?: and|, and| to|,)?\s*", "", reply, flags=re.I)  # fmt: skip
    said = as_sentence(first_person(REPLY_FRAME.sub("", change)).strip("'\"‘’“” "))
    if not reading.requests or not CONFIRMS.search(topic):
        words = sorted(content_words(topic)) or ["which"]
        reading.answers["|".join(words)] = said
        return
    request = reading.requests[-1]
    if not re.fullmatch(r"(?:I )?(?:confirm|agree|yes|say yes)\W*", said, re.I):
        request.on_confirm = said
        request.drop_on_confirm = bool(KEEP.search(said)) and not operations(KEEP.sub("", said)) - {
            "add"
        }


def _times(sentence: str) -> int:
    said = sentence.lower()
    counted = re.search(r"\b(\d) times\b", said)
    if counted:
        return int(counted[1])
    return next((n for word, n in TIMES.items() if word in said), 2)


def _is_wish(sentence: str) -> bool:
    uses = r"you(?:'d| would)? (?:want|like|wish)(?: to)? (?:first )?(?:use|pay)\b(?! for)"
    if re.match(uses, sentence, re.I) and not operations(sentence):
        return False
    if NOT_WISH.search(sentence) and not operations(sentence):
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
    return WISH.search(CONNECTIVE.sub("", sentence)) is not None


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
    if IGNORANT.search(sentence):
        return
    if not matters or (
        operations(said) == set() and ABOUT_GOODS.search(said) and not PREFERS.search(said)
    ):
        reading.background.append(said)
    elif reading.requests:
        last = reading.requests[-1]
        last.details.append(said)
        learn_wants(last, said)
    else:
        reading.pending_details.append(said)
