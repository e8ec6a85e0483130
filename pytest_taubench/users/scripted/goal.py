"""The user's goal: what it knows, and the state of each request (Schatzmann et al. 2007)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from pytest_taubench.schema import Request, Script
from pytest_taubench.users.scripted.derive import derive
from pytest_taubench.users.scripted.grammar import first_person
from pytest_taubench.users.scripted.lexicon import IDENTITY, slot_name
from pytest_taubench.users.scripted.purpose import inherited_deeds
from pytest_taubench.users.scripted.sentences import content_words, split_sentences

_ASKS = re.compile(
    r"\b(?:know|wonder|tell me|check|how (?:much|many|long)|what|which|whether|when|ask)\b|\?", re.I
)
_DEED = re.compile(
    r"(?<!don't )(?<!not )\b(?:cancel|exchange|modify|book|upgrade|swap|replace)\b(?! (?:edition|of))"
    r"|\breturn (?:the|my|it|all|both)\b|\bshould\b|\bplease (?!tell|let me know|check|don't)"
    r"|\bI(?: also| only| just)? (?:want|need|would like)\b(?! (?:only )?(?:to (?:know|ask|hear|find|understand)|you to tell|nothing))"
    r"|\bI'd like\b(?! to (?:know|ask|hear|find|understand))"
    r"|\b(?:can|could) (?!you (?:please )?(?:tell|check|look))(?:you|it|the|my|that|this|order)\b",
    re.I,
)


_ASKING = re.compile(
    r"^(?:(?:then|and|also|but|finally|now|by) )*(?:what|how|which|when|(?:can|could) you (?:please )?tell me|tell me|"
    r"I(?: also| only| just| would like| want)* to know|I(?: only| just) want to know)\b|\?$",
    re.I,
)
_LEAVES = re.compile(r"\b(?:keep|leave|don't|do not|only want to know)\b", re.I)


_LIVES_IN = re.compile(
    r"[Yy]ou are [A-Z]\w+ [A-Z]\w+(?:,)? (?:in|from) ([A-Z]\w+(?: [A-Z]\w+)*), ZIP"
)


class Status(Enum):
    """How far a request has come."""

    OPEN = "open"
    RAISED = "raised"
    DONE = "done"
    REFUSED = "refused"


@dataclass
class Pursuit:
    """A request as the user pursues it.

    Attributes:
        request: What is asked for now: the wish, or the fallback it came down to.
        status: How far it has come.
        told: The details the agent has been told.
        insisted: How often the user has repeated the wish after a refusal.
        objections: How often it has contradicted a proposal.
        confirmed: True once it has said yes to a proposal.
        answered: True once the agent has told something that may answer it.
        heard: All that the agent has said of it.
        reminded: True once the user has asked for a part that was left out.
        times_said: How often the user has said it.
        picked: What it chose of the agent's lists.
        offered_person: How often the agent has asked whether to hand over to a person.
        let_go: True once it was dropped because no proposal was right; a right one still is.
        inherited: The deeds of the wish before a fallback that only says how to do them.
    """

    request: Request
    status: Status = Status.OPEN
    told: set[str] = field(default_factory=set)
    insisted: int = 0
    objections: int = 0
    confirmed: bool = False
    changed_mind: bool = False
    answered: bool = False
    restated: int = 0
    reminded: bool = False
    times_said: int = 0
    picked: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    inherited: set[str] = field(default_factory=set)
    offered_person: int = 0
    let_go: bool = False

    @property
    def is_question(self) -> bool:
        """True when the request asks to be told something, rather than to have it done."""
        said = self.request.say
        asks = _ASKS.search(said) is not None and not _DEED.search(said)
        return asks and not self.changed_mind

    @property
    def only_asks(self) -> bool:
        """True when nothing at all is to be done: each sentence asks, or leaves a thing alone."""
        sentences = split_sentences(self.request.say)
        return self.is_question and all(_ASKING.search(s) or _LEAVES.search(s) for s in sentences)

    def fall_back(self) -> None:
        """Come down to the first thing the user wants instead; it must have one."""
        before, self.request = self.request, self.request.if_refused[0]
        self.inherited = inherited_deeds(before, self.request)
        self.insisted = self.objections = self.restated = self.times_said = 0
        self.confirmed = self.answered = False


class Facts:
    """What the user can tell about itself and its wishes when asked.

    Args:
        known: Values by fact; of several identity values one is given at a time.
        unknown: Facts it does not know.
        private: Facts it does not tell.
    """

    def __init__(
        self, known: Mapping[str, Sequence[str]], unknown: Sequence[str], private: Sequence[str]
    ) -> None:
        self._known = {slot_name(key): list(values) for key, values in known.items() if values}
        self._unknown = {slot_name(key) for key in unknown}
        self.private = {slot_name(key) for key in private}
        self._place: dict[str, int] = {}

    def __contains__(self, slot: str) -> bool:
        return slot in self._known and slot not in self._unknown

    def keys(self) -> list[str]:
        """Return the names of the facts that are known."""
        return [slot for slot in self._known if slot in self]

    def values(self, slot: str) -> list[str]:
        """Return what to say when asked now."""
        if slot not in self:
            return []
        values = self._known[slot]
        if slot in IDENTITY:
            return [values[min(self._place.get(slot, 0), len(values) - 1)]]
        return values

    def everything(self) -> list[str]:
        """Return all values, for a look at what was mentioned."""
        return [value for values in self._known.values() for value in values]

    def try_next(self, slot: str) -> bool:
        """Go on to the next value of a fact; False when there is none."""
        place = self._place.get(slot, 0) + 1
        if slot not in self or place >= len(self._known[slot]):
            return False
        self._place[slot] = place
        return True


@dataclass
class Goal:
    """All a user wants and knows.

    Attributes:
        script: The script in force, what was derived included.
        facts: What can be told when asked.
        pursuits: The requests, in order.
        knowledge: Sentences of the instruction, for questions that no fact answers.
        derived: The parts of the script that were derived.
    """

    script: Script
    facts: Facts
    pursuits: list[Pursuit]
    knowledge: list[str]
    derived: list[str]

    @classmethod
    def of(cls, instruction: str, script: Script | None, user_id: str | None) -> Goal:
        """Fill what a script leaves out from the instruction.

        The user's key serves where the instruction names nobody: somebody must be spoken for.
        """
        read = derive(instruction)
        given = script or Script()
        derived = [] if given.requests else ["requests"]
        merged = read.script.model_copy(
            update={name: getattr(given, name) for name in given.model_fields_set}
        )
        known = {slot_name(k): v for k, v in read.script.facts.items()}
        known |= {slot_name(k): v for k, v in given.facts.items()}
        city = _LIVES_IN.search(instruction)
        if city:
            known.setdefault("city", [city[1]])
        if not given.facts:
            derived.append("facts")
        if user_id and not ({"user_id", "email"} & set(known) or {"name", "zip"} <= set(known)):
            known["user_id"] = [user_id]
        return cls(
            script=merged,
            facts=Facts(known, merged.unknown, merged.private),
            pursuits=[Pursuit(request) for request in merged.requests],
            knowledge=[first_person(sentence) for sentence in read.knowledge],
            derived=derived,
        )

    def fall_back(self, pursuit: Pursuit) -> bool:
        """Come down to what is wanted in place of a request; False when there is nothing."""
        if not pursuit.request.if_refused:
            return False
        place = self.pursuits.index(pursuit) + 1
        self.pursuits[place:place] = map(Pursuit, pursuit.request.if_refused[1:])
        pursuit.fall_back()
        return True

    def current(self) -> Pursuit | None:
        """Return the request under way."""
        return next((p for p in self.pursuits if p.status is Status.RAISED), None)

    def upcoming(self) -> Pursuit | None:
        """Return the next request that the agent has not heard of."""
        return next((p for p in self.pursuits if p.status is Status.OPEN), None)

    def recall(self, question: str, pursuit: Pursuit | None) -> str | None:
        """Return what the user knows that bears most on a question, or None."""
        asked = content_words(question)
        sources = [*(pursuit.request.details if pursuit else []), *self.knowledge]
        scored = [(len(asked & content_words(sentence)), sentence) for sentence in sources]
        best = max(scored, key=lambda pair: pair[0], default=(0, ""))
        return best[1] if best[0] >= 1 else None
