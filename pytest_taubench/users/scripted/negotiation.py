"""What the user does with proposals, refusals, choices and offers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pytest_taubench.users.scripted.choosing import choose
from pytest_taubench.users.scripted.facts import payment_of
from pytest_taubench.users.scripted.goal import Goal, Pursuit, Status
from pytest_taubench.users.scripted.judgement import (
    against_ids,
    contradictions,
    fits,
    is_left_alone,
)
from pytest_taubench.users.scripted.lexicon import family_values, identifiers, operations, slot_name
from pytest_taubench.users.scripted.particulars import goods_in
from pytest_taubench.users.scripted.payments import only_names_payment
from pytest_taubench.users.scripted.purpose import asked_deeds, proposed_deeds, proposes_person
from pytest_taubench.users.scripted.sentences import bullets, content_words, lower_first
from pytest_taubench.users.scripted.understanding import Heard
from pytest_taubench.users.scripted.wording import Wording

# A person leaves a conversation that goes in circles, long before the step cap.
_OBJECTIONS = 2
_STUBBORN = 6  # wrong proposals after which a wish without a fallback is let go
_IDS = ("order_id", "reservation_id")
# What it named only to turn it down is not what it wants.
_OBJECTION = re.compile(r"out of it\.|\bI don't want to\b")
_WHICH_MEANT = re.compile(r"\b(?:mean|refer|currently|speak of|talking about)\b", re.I)
_ALL_ELSE = re.compile(r"(?:all|everything) else\b", re.I)
_PREFERS = re.compile(r"\b(?:cheap\w*|prefer\w*|whichever|only if|costs? (?:no )?more)\b", re.I)
_COMPARES = re.compile(r"\b(?:cheap\w*|over \$|more than|the other|that leaves|compared)\b", re.I)
_IDENTIFIES = re.compile(
    r"\bis (?:this|that|it) (?:the (?:right )?(?:one|order|reservation|booking|trip|flight|item)|what you mean)\b[^?]*\?\s*$",
    re.I,
)
_WHOLE = re.compile(r"\b(?:entire|whole|full) (?:order|reservation|booking)", re.I)
_LOOKS = re.compile(r"\b(?:check|look|search|list|show|find|see|tell you|hear)\b", re.I)


class Negotiation:
    """Says yes, no, which one, or what instead.

    Args:
        goal: What the user wants and knows.
        wording: How it speaks.
        said: What it has said so far, turn by turn; the user adds to it.
    """

    def __init__(self, goal: Goal, wording: Wording, said: list[str]) -> None:
        self._goal = goal
        self._wording = wording
        self._said = said

    # -- proposals --------------------------------------------------------------------

    def decide(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Answer a request to confirm a proposal."""
        pursuit = self._proposed(heard, pursuit)
        request = pursuit.request
        if _IDENTIFIES.search(heard.text):
            other = against_ids(heard.text, request)
            return [self._wording.phrase("no"), *other] if other else [self._wording.phrase("yes")]
        if request.on_confirm and not pursuit.changed_mind:
            return [self._changes_mind(pursuit)]
        if heard.refused and self._comes_down(heard, pursuit):
            return self.fallback_said(heard, pursuit)
        if proposes_person(heard.text) and not proposed_deeds(heard.text):
            return self._to_a_person(heard, pursuit)
        against = self._against(heard, pursuit)
        if against:
            return self._object(against, pursuit)
        untold = self._untold(pursuit, heard)
        if untold:
            pursuit.told.update(untold)
            return [self._wording.phrase("before"), *untold]
        pursuit.confirmed = True
        return [self._wording.phrase("yes")]

    def _to_a_person(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Nobody minds a person who can help, once it is clear that the agent cannot."""
        pursuit.offered_person += 1
        asks = "person" in asked_deeds(pursuit.request)
        if asks or heard.refused or pursuit.insisted or pursuit.offered_person > 1:
            return [self._wording.phrase("yes")]
        return ["Only if you can't do it yourself.", pursuit.request.say]

    def _proposed(self, heard: Heard, pursuit: Pursuit) -> Pursuit:
        """The request a proposal is about; an agent may come back to one before a question."""
        others = [
            p for p in self._goal.pursuits if p.status is Status.RAISED or p.confirmed or p.let_go
        ]
        if not pursuit.is_question:
            others = [p for p in others if p.status is Status.RAISED or p.let_go]
        about = [p for p in others if p is not pursuit and not p.is_question and self._concerns(heard, p)]  # fmt: skip
        return about[0] if about and not self._concerns(heard, pursuit) else pursuit

    def _concerns(self, heard: Heard, pursuit: Pursuit) -> bool:
        """Do proposal and request share an id, where the request has one, and the deed?"""
        wish = pursuit.request.say
        for kind in _IDS:
            named = identifiers(wish, kind)
            if (
                named
                and identifiers(heard.text, kind)
                and not named & identifiers(heard.text, kind)
            ):
                return False
        deeds, proposed = (
            asked_deeds(pursuit.request) | pursuit.inherited,
            proposed_deeds(heard.text),
        )
        return bool(deeds & proposed) if deeds and proposed else not pursuit.is_question

    def _changes_mind(self, pursuit: Pursuit) -> str:
        """Say so; from now on it is the new wish that binds, and what it keeps stays."""
        request, said = pursuit.request, pursuit.request.on_confirm or ""
        pursuit.changed_mind = True
        pursuit.inherited |= asked_deeds(request)
        if request.drop_on_confirm:
            pursuit.status = Status.DONE
        kept = [
            i for kind in _IDS for i in sorted(identifiers(said, kind)) if is_left_alone(said, i)
        ]
        wants = {key: values for key, values in request.wants.items() if slot_name(key) not in _IDS}
        for family in ("cabin", "color"):
            values = family_values(said, family)
            if len(values) == 1:
                wants[family] = [*values]
        pursuit.request = request.model_copy(
            update={"say": said, "wants": wants, "avoid": [*request.avoid, *kept]}
        )
        return said

    def _against(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        wishes = " ".join(turn for turn in self._said if not _OBJECTION.search(turn))
        if "requests" in self._goal.derived:
            # A derived request may say "them" of what the sentence before it named.
            wishes = " ".join([wishes, *self._goal.knowledge])
        asks = pursuit.only_asks or not (asked_deeds(pursuit.request) or pursuit.request.wants)
        unknown = identifiers(heard.text, "order_id") - identifiers(wishes, "order_id")
        if (asks and unknown) or (
            pursuit.only_asks and (operations(heard.text) or proposed_deeds(heard.text))
        ):
            return ["I only want to know this, nothing else.", pursuit.request.say]
        home = {slot: self._goal.facts.values(slot) for slot in ("zip", "city")}
        another = self._line_of_another(heard, pursuit, wishes, home) or self._goods_of_another(
            heard, pursuit
        )
        return another or contradictions(
            heard.text, pursuit.request, wishes, inherited=pursuit.inherited, home=home
        )

    def _line_of_another(
        self, heard: Heard, pursuit: Pursuit, wishes: str, home: Mapping[str, Sequence[str]]
    ) -> list[str]:
        """A line of a list about the order of another wish that is not what that one asks."""
        for line in bullets(heard.text):
            named = identifiers(line, "order_id")
            about = [p for p in self._goal.pursuits if identifiers(p.request.say, "order_id") & named]  # fmt: skip
            if not about or pursuit in about or not proposed_deeds(line):
                continue
            against = [contradictions(line, p.request, wishes, inherited=p.inherited, home=home) for p in about]  # fmt: skip
            if all(against):
                return against[0]
        return []

    def _goods_of_another(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Goods that another wish wants something else to be done with."""
        proposed = proposed_deeds(heard.text)
        own = content_words(" ".join([pursuit.request.say, *pursuit.request.details]))
        for goods in goods_in(heard.text) if len(proposed) == 1 else ():
            for other in self._goal.pursuits:
                theirs = content_words(other.request.say)
                deeds = asked_deeds(other.request)
                if other is pursuit or not deeds or deeds & proposed or content_words(goods) & own:
                    continue
                if content_words(goods) <= theirs:
                    return [f"Not the {goods}. {pursuit.request.say}"]
        return []

    def _comes_down(self, heard: Heard, pursuit: Pursuit) -> bool:
        """Is a proposal that comes with a refusal less than the user asked for?"""
        if pursuit.request.if_refused:
            return True
        wish = pursuit.request.say
        asked = re.search(r"\b(?:entire|whole|order|reservation|all)\b", wish)
        return _WHOLE.search(heard.text) is not None and not asked

    def _object(self, against: list[str], pursuit: Pursuit) -> list[str]:
        pursuit.objections += 1
        if pursuit.objections > _OBJECTIONS:
            if self._goal.fall_back(pursuit):
                return [self.instead(pursuit)]
            if pursuit.objections > _STUBBORN:
                pursuit.status, pursuit.let_go = Status.REFUSED, True
                return [self._wording.phrase("no"), self._wording.phrase("leave")]
        return [self._wording.phrase("no"), *dict.fromkeys(against)]

    def _untold(self, pursuit: Pursuit, heard: Heard) -> list[str]:
        """Details the agent has neither been told nor taken into account."""
        proposal = content_words(" ".join([heard.text, *self._said]))
        open_details = []
        for detail in pursuit.request.details:
            words = content_words(detail)
            if detail in pursuit.told or only_names_payment(detail, heard.text):
                continue
            if _ALL_ELSE.match(detail) or (
                _PREFERS.search(detail) and _COMPARES.search(heard.text)
            ):
                continue  # the agent has weighed it
            if len(words & proposal) < max(1, 0.6 * len(words)):
                open_details.append(detail)
        return open_details

    # -- refusals ---------------------------------------------------------------------

    def refused(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Insist, come down to a fallback, or accept; nothing when it accepts without a word."""
        if pursuit.insisted < pursuit.request.insist:
            pursuit.insisted += 1
            repeats = self._wording.chance(0.5)
            return [self._wording.phrase("insist"), *([self.again(pursuit)] if repeats else [])]
        if pursuit.request.if_refused:
            return self.fallback_said(heard, pursuit)
        if heard.offer and not heard.anything_else and self._fits_offer(heard, pursuit):
            return [self._wording.phrase("yes")]
        pursuit.status = Status.REFUSED
        return []

    def _fits_offer(self, heard: Heard, pursuit: Pursuit) -> bool:
        offered = operations(heard.text.rsplit(".", 1)[-1]) & operations(pursuit.request.say)
        return bool(offered) and fits(heard.text.split("?")[0], pursuit.request)

    def fallback_said(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Come down to what is wanted instead, and say so; agree where it is proposed already."""
        if not self._goal.fall_back(pursuit):
            pursuit.status = Status.REFUSED
            return [self._wording.phrase("no_thanks"), self._wording.phrase("leave")]
        if heard.confirm and not pursuit.is_question and fits(heard.text, pursuit.request):
            pursuit.confirmed = True
            return [self._wording.phrase("yes"), pursuit.request.say]
        return [self.instead(pursuit)]

    def instead(self, pursuit: Pursuit) -> str:
        """The fallback, said as one."""
        said = pursuit.request.say
        pursuit.times_said += 1
        if re.match(r"(?:then|but|in that case|all right|okay|ok)\b", said, re.I):
            return said
        lead = self._wording.phrase("instead")
        return f"{lead} {lower_first(said) if lead.endswith(':') else said}"

    # -- choices and offers -----------------------------------------------------------

    def pick(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Choose from a list, or say again what is wanted."""
        request = pursuit.request
        meant = any(_WHICH_MEANT.search(question.text) for question in heard.questions)
        picked = choose(heard.options, request, [request.say, *request.details], existing=meant)
        if picked:
            return [self._picked(picked.rstrip("."), pursuit, meant=meant)]
        offered = content_words(" ".join([heard.text, *heard.options]))
        unsaid = [
            detail
            for detail in request.details
            if detail not in pursuit.told
            and content_words(detail) & offered
            and not payment_of(detail)
        ]
        pursuit.told.update(unsaid)
        return unsaid or [self.again(pursuit)]

    def _picked(self, picked: str, pursuit: Pursuit, *, meant: bool) -> str:
        before = pursuit.picked.count(picked)
        pursuit.picked.append(picked)
        if before == 0:
            return f"{self._wording.phrase('mean' if meant else 'pick')} {picked}."
        short = re.split(r"[;$]", picked)[0].strip(" (,–-")
        short += ")" if short.count("(") > short.count(")") else ""
        return f"{self._wording.phrase('picked')} {short}."

    def offered(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """Take or turn down an offer."""
        offer = heard.text
        if heard.choice:
            return self.pick(heard, pursuit)
        if _LOOKS.search(offer):
            return [self._wording.phrase("yes")]
        if operations(offer) & operations(pursuit.request.say) and fits(offer, pursuit.request):
            return self.decide(heard, pursuit)
        if any(family_values(offer, family) for family in ("payment", "color", "cabin")):
            return [self.again(pursuit)]
        return [self._wording.phrase("no_thanks")]

    def again(self, pursuit: Pursuit) -> str:
        """Say the request once more, each time in other words."""
        pursuit.times_said += 1
        return self._wording.again(pursuit.request.say, pursuit.times_said - 1)
