"""Answers to the agent's questions, from facts, wishes and what the instruction tells."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_taubench.users.scripted.goal import Goal, Pursuit
from pytest_taubench.users.scripted.lexicon import IDENTITY, identifiers, slot_name
from pytest_taubench.users.scripted.sentences import split_sentences, stem
from pytest_taubench.users.scripted.understanding import Heard, Question, is_confirmation
from pytest_taubench.users.scripted.wording import Wording

# One of these ways to prove who one is suffices, the usual first.
_MONEY = re.compile(
    r"\b(?:refund(?:ed)?|pay|pays|paid|payment|paypal|cards?|visa|mastercard|certificates?|difference|"
    r"money)\b",
    re.I,
)
_OPEN = re.compile(r"\b(?:which|where|what|how) (?:one |of \w+ )?(?:would|should|do|suits)\b", re.I)
_NEARBY = r"(?: \w+){0,2} "
_PROOFS = (("email",), ("name", "zip"), ("user_id",))


class Answering:
    """Answers questions for a goal.

    Args:
        goal: What the user wants and knows.
        wording: How it speaks.
        again: Says a request once more.
    """

    def __init__(self, goal: Goal, wording: Wording, again: Callable[[Pursuit], str]) -> None:
        self._goal = goal
        self._wording = wording
        self._again = again
        self._given: set[str] = set()

    def reply(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Answer every question in the message, each once."""
        parts: list[str] = []
        answered: set[str] = set()
        asking = [q for q in heard.questions if not is_confirmation(q.text)]
        wanted = [slot for question in asking for slot in question.slots]
        identity = [slot for slot in dict.fromkeys(wanted) if slot in IDENTITY]
        if identity:
            parts += self._identity(identity, " ".join(q.text for q in asking))
            answered.update(identity)
        for question in asking:
            parts += self._one(question, pursuit, heard, answered, told=bool(parts))
        # Who can say something of it need not say that it does not know the rest.
        known = [part for part in parts if not self._wording.says_unknown(part)]
        return list(dict.fromkeys(known or parts))

    def introduction(self) -> list[str]:
        """Say who one is without being asked, as far as one would."""
        for proof in _PROOFS:
            if all(self._may_tell(slot) for slot in proof):
                return self._tell(list(proof))
        return []

    def not_found(self, heard: Heard) -> None:
        """Go on to another value of what was given in vain."""
        for slot in sorted(self._given & IDENTITY):
            if slot in heard.slots or slot.replace("_", " ") in heard.text.lower():
                self._goal.facts.try_next(slot)

    def _one(
        self,
        question: Question,
        pursuit: Pursuit,
        heard: Heard,
        answered: set[str],
        *,
        told: bool,
    ) -> list[str]:
        wanted = {slot_name(key) for key, values in pursuit.request.wants.items() if values}
        named = wanted & set(question.slots) - {"payment"}  # an answer may say which of two cards
        scripted = None if named else self._scripted(question.text)
        if scripted is None and not question.slots and _OPEN.search(question.text):
            scripted = self._scripted(heard.text)  # "Where would you like it?" says not what
        if scripted:
            answered.update(question.slots)
            return [scripted]
        slots = [slot for slot in question.slots if slot not in answered and slot not in IDENTITY]
        answered.update(slots)
        if "item" in slots or (pursuit.is_question and "payment" in slots):
            return [self._again(pursuit)]
        known = [said for slot in slots if (said := self._slot(slot, pursuit))]
        if known:
            return known
        if heard.confirm or (heard.choice and len(heard.options) > 1):
            return []
        if not slots and (heard.offer or heard.greeting or heard.anything_else):
            return []
        if not slots and set(question.slots) & answered:
            return []
        if told and not slots:
            return []
        return self._recalled(question.text, slots, pursuit)

    def _scripted(self, question: str) -> str | None:
        question = re.sub(r"e-?mail address", "email", question, flags=re.I)
        asked = " ".join(stem(word) for word in re.findall(r"\w+", question.lower()))
        for words, reply in self._goal.script.answers.items():
            for phrase in words.split("|"):
                stems = [re.escape(stem(word)) for word in re.findall(r"\w+", phrase.lower())]
                # "which order" is in "which of your orders", not in "which card for order 1".
                if stems and re.search(rf"\b{_NEARBY.join(stems)}\b", asked):
                    return reply
        return None

    def _slot(self, slot: str, pursuit: Pursuit) -> str | None:
        facts = self._goal.facts
        if slot in facts.private:
            return self._wording.phrase("private")
        if slot == "payment":
            return self._payment(pursuit)
        for key, values in pursuit.request.wants.items():
            if slot_name(key) == slot and values:
                # Of several numbers the first is what is asked for, the others are its sums.
                return self._wording.fact(slot, values[:1] if slot == "bags" else values)
        if slot not in facts:
            return None
        self._given.add(slot)
        values = facts.values(slot)
        if slot in ("order_id", "reservation_id"):
            spoken = " ".join([pursuit.request.say, *pursuit.request.details])
            mentioned = identifiers(spoken, slot)
            if mentioned:
                values = [value for value in values if value in mentioned] or sorted(mentioned)
        return self._wording.fact(slot, values)

    def _payment(self, pursuit: Pursuit) -> str | None:
        """Name the payment method, in the words of the wish where they say more than its kind."""
        wanted = [v for k, v in pursuit.request.wants.items() if slot_name(k) == "payment" and v]
        if wanted and len(wanted[0]) == 1 and wanted[0] != ["credit card"]:
            return self._wording.fact("payment", wanted[0])
        told = [*pursuit.request.details, *split_sentences(pursuit.request.say)]
        for sentence in [*told, *([] if wanted else self._goal.knowledge)]:
            if _MONEY.search(sentence) and not (sentence not in told and sentence.startswith("If")):
                pursuit.told.add(sentence)
                return sentence
        known = wanted[0] if wanted else self._goal.facts.values("payment")
        return self._wording.fact("payment", known) if known else None

    def _identity(self, slots: list[str], question: str) -> list[str]:
        """Say who one is; of alternatives the first that is known."""
        facts = self._goal.facts
        if re.search(r"\bor\b|\beither\b|\balternatively\b", question) and len(slots) > 1:
            for proof in _PROOFS:
                if set(proof) <= set(slots) and all(self._may_tell(slot) for slot in proof):
                    return self._tell(list(proof))
        told = [slot for slot in slots if self._may_tell(slot)]
        if told:
            return self._tell(told)
        if any(slot in facts.private for slot in slots):
            return [self._wording.phrase("private")]
        return [self._unknown(slots[0]), *self._other_proof(slots)]

    def _may_tell(self, slot: str) -> bool:
        return slot in self._goal.facts and slot not in self._goal.facts.private

    def _tell(self, slots: list[str]) -> list[str]:
        self._given.update(slots)
        facts = self._goal.facts
        return self._wording.shuffled([self._wording.fact(s, facts.values(s)) for s in slots])

    def _other_proof(self, slots: list[str]) -> list[str]:
        """Offer what one does know in place of what one does not."""
        for proof in _PROOFS:
            if not set(proof) & set(slots) and all(self._may_tell(slot) for slot in proof):
                return self._tell(list(proof))
        return []

    def _unknown(self, slot: str) -> str:
        return (
            f"I don't know my {slot.replace('_', ' ')}."
            if slot
            else self._wording.phrase("unknown")
        )

    def _recalled(self, question: str, slots: list[str], pursuit: Pursuit) -> list[str]:
        if set(slots) & {"order_id", "reservation_id"}:
            noun = "order" if "order_id" in slots else "reservation"
            return [f"I don't have the {noun} number.", self._wording.phrase("look_up"), self._again(pursuit)]  # fmt: skip
        remembered = self._goal.recall(question, pursuit)
        if remembered:
            pursuit.told.add(remembered)
            return [remembered]
        return [self._wording.phrase("unknown")]
