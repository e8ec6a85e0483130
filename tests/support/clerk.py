"""An agent that knows the gold writes and talks a bundled task through with the scripted user.

It hears only what the user says: it asks who the user is and for details, proposes the gold write
that the user's words are about, carries it out on a yes, answers questions with the outputs and
turns down the rest. What the user does with right and wrong proposals is the result.
"""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from proposals import STYLES, payment_name, proposal, words

from pytest_taubench.environment.domain import Domain
from pytest_taubench.environment.environment import Environment
from pytest_taubench.randomness import trial_random
from pytest_taubench.schema import Action, ModelSettings, Task
from pytest_taubench.users.protocol import UserContext
from pytest_taubench.users.scripted import make_scripted_user

_YES = re.compile(r"(?:yes|confirmed)\b", re.I)
_MORE = re.compile(r"before you do|one t\w{4} first|just so you", re.I)
_QUESTION = re.compile(r"\?|\b(?:know|tell me)\b", re.I)
_TURNS = 40
_ELSE = "Is there anything else I can help you with?"
# The words by which a user speaks of what a tool does, and the tools that are done in one go.
_TOPICS: dict[str, tuple[str, str]] = {
    "cancel_pending_order": ("cancel", r"\bcancel"),
    "modify_pending_order_address": ("address", r"address|\bship|\bsent\b|\bsend\b(?! back)|deliver|\bgo to\b|unit number"),
    "modify_user_address": ("address", r"profile"),
    "modify_pending_order_payment": ("pay", r"\bpaid\b|\bpay\b|charged|\buse my|back to|\bmastercard|\bvisa|paypal"),
    "return_delivered_order_items": ("return", r"\breturn|send back|\bsend (?:it|them) back"),
    "exchange_delivered_order_items": ("exchange", r"exchange|swap|replace"),
    "modify_pending_order_items": ("items", r"chang|should be|\bwant (?:the|to)\b|need the|modif|swap|replace"),
    "book_reservation": ("book", r"\bbook|\bfly\b|\bticket"),
    "cancel_reservation": ("cancel", r"\bcancel"),
    "update_reservation_flights": ("flights", r"chang|move|switch|economy|business|upgrade|flight|later|earlier"),
    "update_reservation_baggages": ("bags", r"\bbags?\b|suitcase|luggage"),
    "update_reservation_passengers": ("people", r"passenger|in place of|\bname|traveller"),
    "send_certificate": ("certificate", r"compensat|certificate|voucher|make up for"),
}  # fmt: skip


@dataclass
class Judged:
    """What the user made of one wrong variant of a write it then confirmed."""

    task: str
    kind: str
    words: str
    answer: str
    caught: bool


@dataclass
class Conversation:
    """How a conversation went."""

    task: str
    lines: list[str] = field(default_factory=list)
    confirmed: list[Action] = field(default_factory=list)
    pending: list[Action] = field(default_factory=list)
    variants: list[Judged] = field(default_factory=list)
    contradicted: list[tuple[str, str]] = field(default_factory=list)


class Clerk:
    """Talks one task through."""

    def __init__(self, task: Task, domain: Domain, seed: int) -> None:
        self.task = task
        self.domain = domain
        self.environment = domain.environment()
        self.style = seed % STYLES
        context = UserContext(
            instruction=task.instruction,
            script=task.script,
            random=trial_random(seed, task.id, 1, "user"),
            model=ModelSettings(),
            user_id=task.user_id,
        )
        self.user = make_scripted_user(context)
        writes = [a for a in task.actions if domain.tools[a.name].kind == "write"]
        self.talk = Conversation(task.id, pending=writes)
        self.heard = ""  # what the user said of the request under way
        self.stopped = False

    def run(self) -> Conversation:
        """Hold the conversation."""
        self._hear(None)
        self._ask_identity()
        for _ in range(_TURNS):
            if self.stopped:
                break
            chosen = self._about()
            if chosen:
                self._put(chosen)
            elif self._awaits_confirmation():
                self._hear("I would do just that. Do you confirm (yes/no)?")
            elif _QUESTION.search(self.heard) and self.task.outputs:
                self._say(f"That comes to {', '.join(self._outputs())}. {_ELSE}")
            else:
                self._say("I'm sorry, but that is not possible.")
        return self.talk

    def _ask_identity(self) -> None:
        ask = "What is your user id?"
        if self.task.domain == "retail":
            ask = "May I have your email address, or your name and zip code?"
        said = self.heard
        self._hear(f"Hello! {ask}")
        self.heard = f"{said} {self.heard}"

    def _hear(self, text: str | None) -> str:
        if text is not None:
            self.talk.lines.append(f"A: {text}")
        turn = asyncio.run(self.user.respond(text))
        self.talk.lines.append(f"U: {turn.text}")
        self.stopped = self.stopped or turn.stop
        self.heard = turn.text
        return turn.text

    def _say(self, text: str) -> None:
        self._hear(text)

    def _outputs(self) -> list[str]:
        return [f"${o}" if re.fullmatch(r"[\d.]+", o) else o for o in self.task.outputs]

    # -- proposing --------------------------------------------------------------------

    def _about(self) -> list[Action]:
        """The gold writes the user speaks of: those that go together, or the first."""
        # What is done with one order or reservation is done in the gold order.
        firsts = {_key(action): action for action in reversed(self.talk.pending)}
        scored = [(self._score(a), a) for a in self.talk.pending if firsts[_key(a)] is a]
        best = max((score for score, _ in scored), default=0)
        if best == 0:
            return []
        fitting = [action for score, action in scored if score == best]
        topic = _TOPICS[fitting[0].name][0]
        return [action for action in fitting if _TOPICS[action.name][0] == topic]

    def _score(self, action: Action) -> int:
        key = _key(action)
        named = key.lstrip("#") in self.heard
        others = re.findall(r"#W\d{7}\b", self.heard)
        if others and key.startswith("#") and not named:
            return 0
        topic = re.search(_TOPICS[action.name][1], self.heard, re.I) is not None
        items = any(name in self.heard.lower() for name in self._nouns(action))
        return 3 * named + 2 * topic + (items if topic or named else 0)

    def _nouns(self, action: Action) -> list[str]:
        if "item_ids" not in action.arguments:
            return []
        order = self.environment.overlay.get("orders", action.arguments["order_id"]) or {}
        ids = action.arguments["item_ids"]
        names = [i["name"] for i in order.get("items", []) if i["item_id"] in ids]
        return [name.split()[-1].lower().rstrip("s") for name in names]

    def _put(self, actions: list[Action]) -> None:
        said = self.heard
        for question in self._details(actions):
            self._hear(question)
            said = f"{said} {self.heard}"
            if self.stopped:
                return
        for _ in range(3):
            before = copy.deepcopy(self.user)
            answer = self._hear(proposal(actions, self.environment, self.style))
            if _YES.match(answer):
                self._judge_variants(actions, before)
                self._carry_out(actions)
                return
            if not _MORE.match(answer):
                break
        if self._changed_mind(answer):
            return
        self.talk.contradicted.append((actions[0].name, answer))
        self._say("I'm sorry, but that is not possible.")

    def _awaits_confirmation(self) -> bool:
        """Has the user a change of mind in store that only a request to confirm brings out?"""
        script = self.task.script
        minds = [r.on_confirm for r in script.requests if r.on_confirm] if script else []
        lines = " ".join(self.talk.lines)
        return any(mind not in lines for mind in minds)

    def _changed_mind(self, answer: str) -> bool:
        """Did the user take its wish back for another, which is to be read from its answer alone?"""
        script = self.task.script
        minds = [r.on_confirm for r in script.requests if r.on_confirm] if script else []
        return any(mind[:25].lower() in answer.lower() for mind in minds)

    def _details(self, actions: list[Action]) -> Iterator[str]:
        arguments = {k: v for action in actions for k, v in action.arguments.items()}
        if "reason" in arguments:
            yield "What is the reason: no longer needed, or ordered by mistake?"
        if actions[0].name == "cancel_reservation":
            yield "Why would you like to cancel?"
        if actions[0].name == "book_reservation":
            yield "Who will travel? Please give me the passengers' names."
            yield "How many bags will be checked, and would you like travel insurance?"
        if {"payment_method_id", "payment_id", "payment_methods"} & set(arguments):
            user = self._user()
            names = [payment_name(user, method, self.style) for method in user["payment_methods"]]
            yield f"Which payment method should I use? You have: {', '.join(names)}."

    def _user(self) -> Any:
        user = self.environment.overlay.get("users", str(self.task.user_id))
        assert user is not None, self.task.user_id
        return user

    def _carry_out(self, actions: list[Action]) -> None:
        done = " ".join(words(action, self.environment, self.style) for action in actions)
        for action in actions:
            result = self.environment.call(action.name, action.arguments)
            assert result.ok, (self.task.id, result.content)
            self.talk.pending.remove(action)
            self.talk.confirmed.append(action)
        told = f" The amount you asked about: {', '.join(self._outputs())}." if self.task.outputs else ""  # fmt: skip
        self._say(f"It has been done: {done}{told} {_ELSE}")

    # -- wrong proposals --------------------------------------------------------------

    def _judge_variants(self, actions: list[Action], before: Any) -> None:
        for place, action in enumerate(actions):
            for kind, wrong in variants(action, self.environment, self._user()):
                changed = [*actions[:place], wrong, *actions[place + 1 :]]
                text = proposal(changed, self.environment, self.style)
                answer = asyncio.run(copy.deepcopy(before).respond(text)).text
                judged = Judged(self.task.id, kind, text, answer, not _YES.match(answer))
                self.talk.variants.append(judged)


def _key(action: Action) -> str:
    """What a write changes: the id of an order or reservation, else the tool's name."""
    key = action.arguments.get("order_id") or action.arguments.get("reservation_id")
    return str(key or action.name)


def variants(action: Action, environment: Environment, user: Any) -> Iterator[tuple[str, Action]]:
    """Wrong writes next to a right one, each with the name of what is wrong."""
    arguments = action.arguments
    for key in ("payment_method_id", "payment_id"):
        for method in user["payment_methods"] if key in arguments else ():
            if method != arguments[key] and "certificate" not in method:
                yield _payment_kind(method, arguments[key]), _with(action, **{key: method})
    if "payment_methods" in arguments and len(arguments["payment_methods"]) == 1:
        (paid,) = arguments["payment_methods"]
        for method in user["payment_methods"]:
            if method != paid["payment_id"]:
                other = {"payment_id": method, "amount": paid["amount"]}
                yield (
                    _payment_kind(method, paid["payment_id"]),
                    _with(action, payment_methods=[other]),
                )
    if "cabin" in arguments:
        for cabin in {"basic_economy", "economy", "business"} - {arguments["cabin"]}:
            yield "cabin", _with(action, cabin=cabin)
    if "insurance" in arguments:
        other_choice = "no" if arguments["insurance"] == "yes" else "yes"
        yield "insurance", _with(action, insurance=other_choice)
    if "total_baggages" in arguments:
        yield "bags", _with(action, total_baggages=arguments["total_baggages"] + 1)
    yield from _of_another(action, user)
    if "item_ids" in arguments:
        yield from _other_items(action, environment)


def _payment_kind(wrong: str, right: str) -> str:
    """Gift cards have no digits, so a user cannot tell one of its own from another."""
    both = wrong.startswith("gift_card") and right.startswith("gift_card")
    return "other gift card" if both else "payment"


def _with(action: Action, **changed: Any) -> Action:
    return Action(name=action.name, arguments={**action.arguments, **changed})


def _of_another(action: Action, user: Any) -> Iterator[tuple[str, Action]]:
    """The same for another order or reservation of the user."""
    if action.name == "cancel_pending_order":
        key, known = "order_id", user["orders"]
    elif action.name == "cancel_reservation":
        key, known = "reservation_id", user["reservations"]
    else:
        return
    for other in known:
        if other != action.arguments[key]:
            yield "other order", _with(action, **{key: other})


def _other_items(action: Action, environment: Environment) -> Iterator[tuple[str, Action]]:
    arguments = action.arguments
    order: Any = environment.overlay.get("orders", arguments["order_id"])
    left = list(arguments["item_ids"])
    rest = [i for i in order["items"] if not (i["item_id"] in left and not left.remove(i["item_id"]))]  # type: ignore[func-returns-value]  # fmt: skip
    for item in rest:
        if "new_item_ids" not in arguments:
            yield "extra item", _with(action, item_ids=[*arguments["item_ids"], item["item_id"]])
    for place, new in enumerate(arguments.get("new_item_ids", ())):
        for other in _variants_beside(order, arguments["item_ids"][place], new, environment):
            ids = [*arguments["new_item_ids"]]
            ids[place] = other
            yield "variant", _with(action, new_item_ids=ids)


def _variants_beside(order: Any, item_id: str, new: str, environment: Environment) -> list[str]:
    item = next(item for item in order["items"] if item["item_id"] == item_id)
    product: Any = environment.overlay.get("products", item["product_id"])
    return [v["item_id"] for v in product["variants"].values() if v["available"] and v["item_id"] not in (new, item_id)]  # fmt: skip
