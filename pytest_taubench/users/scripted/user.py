"""The agenda-based user: hears, revises its agenda, answers (Schatzmann et al. 2007)."""

from __future__ import annotations

import re

from pytest_taubench.schema import Usage
from pytest_taubench.users.protocol import UserContext, UserTurn
from pytest_taubench.users.scripted.answering import Answering
from pytest_taubench.users.scripted.goal import Goal, Pursuit, Status
from pytest_taubench.users.scripted.lexicon import operations
from pytest_taubench.users.scripted.negotiation import Negotiation
from pytest_taubench.users.scripted.sentences import content_words
from pytest_taubench.users.scripted.understanding import Heard, understand
from pytest_taubench.users.scripted.wording import Wording

# A person leaves a conversation that goes in circles, long before the step cap.
_SAME_TEXT = 3
# Nobody says the same thing more often than this.
_TIMES_SAID = 4
# How much patience is left for the next request when one was given up.
_PATIENCE_AFTER = 2
# How often it says more than it must, so that the trials of a task differ.
_VOLUNTEERS = 0.3
_INTRODUCES_ITSELF = 0.2
_SAYS_HELLO_FIRST = 0.15


_ABOUT_MONEY = re.compile(
    r"^how (?:much|many dollars)\b.*\b(?:refund\w*|get back|the difference|pay back)\b"
    r"|^what is the (?:sum I get back|total refund|sum of the refunds)|^can you tell me how much it (?:is|will be)",
    re.I,
)
_TOLD = re.compile(
    r"\b(?:refund|difference|back|credited)\w*\b[^.\n]*\d\.\d\d|\d\.\d\d[^.\n]*\b(?:refund|difference|back|credited)",
    re.I,
)
_SUM = re.compile(r"\b(?:total|altogether|together|all|both|sum|cost|card pay)\b", re.I)
_MOST_READ = 20_000
"""Characters of one message that the user reads; nobody reads on for ever."""


class ScriptedUser:
    """A user simulator without a model.

    Its goal holds what it wants and knows; its agenda is what is open of that. Each turn it
    updates the state of the request under way by what the agent said, then says what is due:
    answers, a yes or a no, a reaction to a refusal, the next request, or goodbye.
    """

    def __init__(self, context: UserContext) -> None:
        self._goal = Goal.of(context.instruction, context.script, context.user_id)
        self._wording = Wording(context.random, self._goal.script.mood)
        self._said: list[str] = []
        self._negotiation = Negotiation(self._goal, self._wording, self._said)
        self._answering = Answering(self._goal, self._wording, self._negotiation.again)
        self._patience = self._goal.script.patience
        self._past: list[str] = []

    async def respond(self, text: str | None) -> UserTurn:
        """Open the conversation, or answer the agent."""
        if text is None:
            turn = UserTurn(self._open())
        else:
            read = text[:_MOST_READ]
            turn = self._react(understand(read))
            self._past.append(read.strip())
        self._said.append(turn.text)
        text = self._without_forbidden(self._wording.typed(turn.text))
        return UserTurn(text, turn.stop)

    def usage(self) -> Usage | None:
        """No model is used."""
        return None

    def notes(self) -> list[str]:
        """Say what of the script was derived."""
        if not self._goal.derived:
            return []
        parts = " and ".join(self._goal.derived)
        return [f"script derived from the instruction ({parts})"]

    async def close(self) -> None:
        """Nothing is held."""

    # -- speaking ---------------------------------------------------------------------

    def _open(self) -> str:
        script = self._goal.script
        if not (script.opening or script.all_at_once) and self._wording.chance(_SAYS_HELLO_FIRST):
            return self._wording.phrase("hello")
        raised = self._goal.pursuits if script.all_at_once else self._goal.pursuits[:1]
        for pursuit in raised:
            pursuit.status = Status.RAISED
        if script.opening:
            return script.opening
        first, *others = [self._request_said(pursuit) for pursuit in raised]
        parts = [self._wording.opening(first), *map(self._wording.following, others)]
        if "private" not in script.mood and self._wording.chance(_INTRODUCES_ITSELF):
            parts += self._answering.introduction()
        return " ".join(parts)

    def _request_said(self, pursuit: Pursuit) -> str:
        """The wish, now and then with a detail that nobody has asked for yet."""
        pursuit.times_said += 1
        said = pursuit.request.say
        details = [d for d in pursuit.request.details if d not in pursuit.told]
        if details and "brief" not in self._goal.script.mood and self._wording.chance(_VOLUNTEERS):
            pursuit.told.add(details[0])
            return f"{said} {details[0]}"
        return said

    def _without_forbidden(self, text: str) -> str:
        for words in self._goal.script.never_says:
            text = re.sub(re.escape(words), "...", text, flags=re.I)
        return text

    # -- reacting ---------------------------------------------------------------------

    def _react(self, heard: Heard) -> UserTurn:
        if heard.transferred:
            return UserTurn(self._wording.phrase("thanks"), stop=True)
        if self._goes_in_circles(heard):
            return self._give_up()
        pursuit = self._goal.current()
        if pursuit is not None:
            self._take_note(pursuit, heard)
        if heard.not_found:
            self._answering.not_found(heard)
        if pursuit is None:
            return self._nothing_raised(heard)
        parts = self._answers(heard, pursuit)
        if parts:
            return UserTurn(" ".join(filter(None, parts)))
        return self._go_on(heard)

    def _nothing_raised(self, heard: Heard) -> UserTurn:
        """Say who one is if asked, and come to the point."""
        upcoming = self._goal.upcoming()
        told = self._answering.reply(heard, upcoming) if upcoming and heard.slots else []
        following = self._go_on(heard)
        return UserTurn(" ".join([*told, following.text]), following.stop)

    def _answers(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        """What the message calls for before anything new is brought up."""
        comes_down = heard.refused and pursuit.request.if_refused
        if heard.greeting and not (heard.done or heard.confirm or comes_down):
            return self._asked_what(pursuit)
        parts = self._answering.reply(heard, pursuit)
        if heard.confirm:
            return parts + self._negotiation.decide(heard, pursuit)
        if heard.refused and not heard.done and not (heard.not_found and parts):
            return parts + self._refused(heard, pursuit)
        if heard.choice and len(heard.options) > 1 and not parts:
            return self._negotiation.pick(heard, pursuit)
        if parts or heard.done or heard.anything_else:
            return parts
        if heard.offer:
            return self._negotiation.offered(heard, pursuit)
        return []

    def _asked_what(self, pursuit: Pursuit) -> list[str]:
        """Say the wish to an agent that asks for it; it may have heard the request already."""
        if pursuit.times_said >= _TIMES_SAID:
            return []
        return [self._restate(pursuit)]

    def _refused(self, heard: Heard, pursuit: Pursuit) -> list[str]:
        said = self._negotiation.refused(heard, pursuit)
        if said or pursuit.status is not Status.REFUSED:
            return said
        self._settle(pursuit, Status.REFUSED)
        following = self._next(thanks=False)
        return [self._wording.phrase("accept"), following] if following else []

    def _take_note(self, pursuit: Pursuit, heard: Heard) -> None:
        pursuit.heard.append(heard.text)
        facts = [s for s in heard.statements if content_words(s)]
        known = content_words(pursuit.request.say)
        tells = any(re.search(r"\d", s) or len(content_words(s) & known) >= 2 for s in facts)
        if pursuit.is_question and tells and not heard.waiting and not heard.slots:
            pursuit.answered = True

    # -- moving on --------------------------------------------------------------------

    def _go_on(self, heard: Heard) -> UserTurn:
        pursuit = self._goal.current()
        if pursuit is not None and not self._addressed(pursuit, heard):
            return self._unanswered(heard, pursuit)
        if pursuit is not None:
            left_out = self._left_out(pursuit, heard)
            if left_out:
                pursuit.reminded = True
                return UserTurn(f"{self._wording.phrase('still_open')} {left_out}")
            done = heard.done or pursuit.answered or pursuit.confirmed
            if not done and self._goal.fall_back(pursuit):
                return UserTurn(self._negotiation.instead(pursuit))
            self._settle(pursuit, Status.DONE if done else Status.REFUSED)
            self._note_refused_parts(heard)
        if heard.waiting and (pursuit is None or not pursuit.answered):
            return UserTurn(self._wording.phrase("wait"))
        pleased = heard.done or (pursuit is not None and pursuit.answered)
        following = self._next(thanks=pleased)
        return UserTurn(following) if following else self._goodbye()

    def _settle(self, pursuit: Pursuit, status: Status) -> None:
        """Close a request; what the agent asked for it may be asked again for the next."""
        pursuit.status = status
        self._past.clear()

    def _note_refused_parts(self, heard: Heard) -> None:
        """Of several requests made at once, one may be done and another refused in one message."""
        for pursuit in self._goal.pursuits:
            about = operations(" ".join(heard.refusals)) & operations(pursuit.request.say)
            if heard.done and pursuit.status is Status.RAISED and about:
                pursuit.status = Status.REFUSED

    def _goodbye(self) -> UserTurn:
        got_something = any(p.status is Status.DONE for p in self._goal.pursuits)
        return UserTurn(self._wording.phrase("bye" if got_something else "bye_refused"), stop=True)

    def _addressed(self, pursuit: Pursuit, heard: Heard) -> bool:
        if heard.waiting:
            return False
        if heard.done or pursuit.answered or pursuit.times_said >= _TIMES_SAID:
            return True
        return heard.anything_else and (pursuit.confirmed or pursuit.restated > 0)

    def _left_out(self, pursuit: Pursuit, heard: Heard) -> str | None:
        """A part of the request that the agent has never spoken of."""
        if pursuit.reminded or not heard.done:
            return None
        spoken = content_words(" ".join(pursuit.heard))
        parts = re.split(r"(?<=[.?!]) |, and (?=return|exchange|cancel|modify|change)", pursuit.request.say)  # fmt: skip
        missing = [part for part in parts if not content_words(part) & spoken]
        return missing[0] if missing and len(parts) > 1 else None

    def _unanswered(self, heard: Heard, pursuit: Pursuit) -> UserTurn:
        """The agent said nothing to the point."""
        self._patience -= 1
        if self._patience <= 0:
            return self._give_up()
        if heard.waiting:
            return UserTurn(self._wording.phrase("wait"))
        if heard.anything_else:
            return UserTurn(self._restate(pursuit))
        if heard.questions:
            return UserTurn(self._wording.phrase("unknown"))
        return UserTurn(f"{self._wording.phrase('nudge')} {self._negotiation.again(pursuit)}")

    def _restate(self, pursuit: Pursuit) -> str:
        pursuit.restated += 1
        if pursuit.restated > 1:
            self._patience -= 1
            return self._negotiation.again(pursuit)
        pursuit.times_said += 1
        return self._wording.vary(pursuit.request.say)

    def _next(self, *, thanks: bool) -> str | None:
        """Bring up the next request; None when all have been brought up and settled."""
        self._drop_idle_questions()
        upcoming = self._goal.current() or self._goal.upcoming()
        if upcoming is None:
            return None
        lead = self._wording.phrase("thanks") if thanks and self._wording.chance(0.6) else ""
        if upcoming.status is Status.RAISED:
            return f"{lead} {self._wording.phrase('still_open')} {upcoming.request.say}".strip()
        first = all(pursuit.status is Status.OPEN for pursuit in self._goal.pursuits)
        upcoming.status = Status.RAISED
        said = self._request_said(upcoming)
        return (
            self._wording.vary(said) if first else f"{lead} {self._wording.following(said)}".strip()
        )

    def _drop_idle_questions(self) -> None:
        """Nobody asks how much comes back for what was left as it is, or was just told it."""
        upcoming = self._goal.upcoming()
        if upcoming is None or not _ABOUT_MONEY.search(upcoming.request.say):
            return
        before = self._goal.pursuits[: self._goal.pursuits.index(upcoming)]
        wishes = [p for p in before if not p.is_question]
        if wishes and all(p.status is Status.REFUSED and not p.confirmed for p in wishes):
            upcoming.status = Status.REFUSED
        last = before[-1] if before else None
        told = last is not None and last.confirmed and bool(last.heard)
        if (
            last is not None
            and told
            and _TOLD.search(last.heard[-1])
            and not _SUM.search(upcoming.request.say)
        ):
            upcoming.status = Status.DONE

    def _goes_in_circles(self, heard: Heard) -> bool:
        """Has the agent said the same thing again and again, getting the same answer?"""
        return self._past.count(heard.text) >= _SAME_TEXT or self._patience <= 0

    def _give_up(self) -> UserTurn:
        """Leave, or come down to what is wanted instead, or try the next request."""
        pursuit = self._goal.current()
        if pursuit is not None and self._goal.fall_back(pursuit):
            self._past.clear()
            self._patience = _PATIENCE_AFTER
            return UserTurn(self._negotiation.instead(pursuit))
        if pursuit is None or self._goal.upcoming() is None:
            return UserTurn(self._wording.phrase("give_up"), stop=True)
        self._settle(pursuit, Status.REFUSED)
        self._patience = _PATIENCE_AFTER
        return UserTurn(f"{self._wording.phrase('never_mind')} {self._next(thanks=False)}")
