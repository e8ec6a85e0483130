"""The scripted user of every bundled task says no to what its task has nothing to do with.

Each user is asked who it is and then whether to do a thing that it has not asked for: another
deed, another address, another card, another item, another trip. The exceptions are users who do
ask for just that deed; each stands here with its reason.
"""

from __future__ import annotations

import asyncio
import functools
import re

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.randomness import trial_random
from pytest_taubench.schema import ModelSettings, Task
from pytest_taubench.task_files import read_task_file
from pytest_taubench.users.protocol import UserContext
from pytest_taubench.users.scripted import make_scripted_user

_YES = re.compile(r"^\W*(?:yes|confirmed|sure|ok)\b", re.I)
_WHO = {
    "retail": "May I have your email address, or your name and zip code?",
    "airline": "May I have your user id?",
}
_ID = {
    "retail": (re.compile(r"#W\d{7}"), "#W1234567"),
    "airline": (re.compile(r"\b(?=\w*\d)(?=\w*[A-Z])[A-Z0-9]{6}\b|\b[A-Z]{6}\b"), "ABC123"),
}
ASKS_FOR_COMPENSATION = {
    "no-claim-without-status": "claims compensation, to which it has no right",
    "late-but-flying-anyway": "claims a certificate, to which it has no right",
    "a-cancellation-that-is-none": "claims a certificate for a flight that flies",
}
ASKS_TO_CANCEL = {"the-other-paloma-novak": "wants just this order cancelled, which is not its own"}
ASKS_FOR_BUSINESS = {
    "business-for-one": "wants business class, though for itself only",
    "comfort-on-the-way-back": "wants business class, though on the way back only",
}
SAYS_ONLY_PIANO = {"more-keys-from-the-gift-card": "says no more than that it is a piano"}
# Users who do not know their order numbers cannot know that one of them is wrong.
KNOWS_NO_NUMBER = dict.fromkeys(
    (
        "moved-with-three-orders", "wrong-unit-number", "one-order-stays-at-the-old-place",
        "all-wool-sweaters", "whatever-cost-over-a-hundred", "jacket-refund-as-store-credit",
        "orders-under-a-budget", "tent-back-onto-the-gift-card", "cheapest-pending-order",
        "ladder-by-mistake", "everything-still-pending", "all-but-the-pour-over-set",
        "keep-the-gift-card-for-christmas",
    ),
    "does not know its order numbers",
)  # fmt: skip
# Name, domain, proposal, the tools whose users ask for it, the users who ask for it in vain.
PROBES = [
    ("cancel", "retail", "I will cancel order {id} because it is no longer needed.", "cancel_pending_order", ASKS_TO_CANCEL),
    ("by mistake", "retail", "Order {id} will be cancelled (reason: ordered by mistake) and the money refunded to the original payment method.", "cancel_pending_order", ASKS_TO_CANCEL),
    ("address", "retail", "I will change the shipping address of order {id} to 12 Nowhere Lane, Boise, ID 83701.", "", {}),
    ("profile", "retail", "I will change the address in your profile to 12 Nowhere Lane, Boise, ID 83701.", "", {}),
    ("return all", "retail", "I will return all items of order {id} with the refund to the original payment method.", "return_delivered_order_items", {}),
    ("other item", "retail", "I will exchange the grand piano in order {id} for a purple one.", "", SAYS_ONLY_PIANO),
    ("other card", "retail", "I will charge order {id} to your Diners Club card ending in 0000.", "", {}),
    ("other order", "retail", "I will do what you asked with order #W0000000.", "", KNOWS_NO_NUMBER),
    ("e-mail", "retail", "I will change your e-mail address to foo@example.com.", "", {}),
    ("cancel", "airline", "I will cancel reservation {id} and refund you.", "cancel_reservation", {}),
    ("business", "airline", "I will move reservation {id} to business class for $900.", "", ASKS_FOR_BUSINESS),
    ("bags", "airline", "I will add 7 checked bags to reservation {id} for $350.", "", {}),
    ("passenger", "airline", "I will replace the passenger of reservation {id} with Zed Zulu, born 1950-01-01.", "", {}),
    ("certificate", "airline", "I will send you a certificate of $5000.", "send_certificate", ASKS_FOR_COMPENSATION),
    ("book", "airline", "I will book a flight from Paris to Tokyo on May 20 in first class for $9000 with your credit card.", "", {}),
    ("date", "airline", "I will change the flights of reservation {id} to December 24.", "", {}),
]  # fmt: skip


@functools.cache
def _tasks(domain: str) -> list[Task]:
    files = sorted((suites_root() / domain).glob("*.tau.*"))
    return [task for file in files for task in read_task_file(file).tasks]


class Talk:
    """A conversation with the user of a task that has just said who it is."""

    def __init__(self, task: Task, trial: int = 1) -> None:
        self._user = make_scripted_user(
            UserContext(
                instruction=task.instruction,
                script=task.script,
                random=trial_random(0, task.id, trial, "user"),
                model=ModelSettings(),
                user_id=task.user_id,
            )
        )
        self.said = " ".join([self.say(None), self.say(_WHO[task.domain])])

    def say(self, text: str | None) -> str:
        return asyncio.run(self._user.respond(text)).text

    def agrees(self, proposal: str) -> bool:
        return _YES.match(self.say(f"{proposal} Do you confirm (yes/no)?")) is not None


@pytest.mark.parametrize(("name", "domain", "proposal", "tool", "asked"), PROBES)
def test_nobody_agrees_to_what_it_has_not_asked_for(
    name: str, domain: str, proposal: str, tool: str, asked: dict[str, str]
) -> None:
    pattern, otherwise = _ID[domain]
    agreed = set()
    for task in _tasks(domain):
        if tool and tool in {action.name for action in task.actions}:
            continue
        talk = Talk(task)
        named = pattern.search(f"{talk.said} {task.instruction}")
        if talk.agrees(proposal.format(id=named[0] if named else otherwise)):
            agreed.add(task.id)
    assert agreed <= set(asked), name


def test_a_person_is_for_what_the_agent_cannot_do() -> None:
    """Nobody is handed over without a word; who is told that it must be, agrees."""
    for domain in ("retail", "airline"):
        for task in _tasks(domain):
            talk = Talk(task)
            assert not talk.agrees("I will transfer you to a human agent."), task.id


RIGHT_BUT_FOR_ONE_THING = [
    ("two-orders-swap-places", "Order #W2235092 will be sent to 164 Beacon Street, Omaha."),
    ("two-orders-swap-places", "I will change order #W3664305 to 231 Canal Street, Kansas City."),
    ("the-new-home-is-on-an-order", "I will change the address in your profile to 3 Elm Road, Sacramento."),
    ("ship-to-the-office", "I will send order #W6817075 to 99 Market Street, Suite 400, Salt Lake City, UT 84101."),
    ("ship-to-the-office", "I will send order #W6817075 to 12 Market Street, Suite 999, Salt Lake City, UT 84101."),
    ("send-it-home-after-all", "I will send order #W6408282 to 1 Elm Street, Paris."),
    ("wrong-unit-number", "I will change the unit to Unit 99 in your profile."),
    ("not-another-city", "I will cancel your reservation without refund."),
    ("return-or-exchange-not-both", "I will return the tent and the kettlebell of order #W8302071 to PayPal."),
    ("return-or-exchange-not-both", "I will return the kettlebell of order #W8302071 to PayPal."),
    ("under-an-address-nobody-has", "I will return two of the three items of order #W5150028 to PayPal."),
    ("each-to-where-it-was-paid", "I will return one hand blender of order #W4495035 to the Visa card."),
    ("cheaper-elsewhere", "I will cancel order #W7972717 because it's no longer needed."),
    ("refund-to-the-gift-card-or-not-at-all", "I will cancel order #W2685374, as it is no longer needed."),
    ("cheapest-pending-order", "I will cancel all your orders, as they are no longer needed."),
    ("blocks-stool-and-headset", "- Modify the blocks of order #W1215928 to come in a bag.\n- Exchange the headset of order #W4510528."),
    ("fewer-bags", "I will add 4 checked bags to reservation 01MK1M."),
]  # fmt: skip


@pytest.mark.parametrize(("task_id", "proposal"), RIGHT_BUT_FOR_ONE_THING)
@pytest.mark.parametrize("trial", [1, 2])
def test_one_wrong_thing_is_noticed(task_id: str, proposal: str, trial: int) -> None:
    (task,) = (t for d in ("retail", "airline") for t in _tasks(d) if t.id == task_id)
    assert not Talk(task, trial).agrees(proposal)


@pytest.mark.parametrize(
    "question",
    ["Proceed?", "Confirm?", "OK?", "Does that work for you?", "Are you sure?", "Shall I?", "Correct?", "Is that okay?", "Just say yes and I'll do it."],
)  # fmt: skip
def test_a_right_proposal_is_confirmed_however_it_is_asked(question: str) -> None:
    (task,) = (t for t in _tasks("retail") if t.id == "ultrabook-goes-back")
    proposal = (
        "I will return the ultrabook of order #W9337158 with the refund to your PayPal account."
    )
    assert _YES.match(Talk(task).say(f"{proposal} {question}"))


def test_wrong_proposals_do_not_spoil_the_right_one() -> None:
    (task,) = (t for t in _tasks("retail") if t.id == "ultrabook-goes-back")
    talk = Talk(task)
    wrong = (
        "I will return the ultrabook and the desk organizer of order #W9337158 to PayPal.",
        "I will return the desk organizer of order #W9337158 to PayPal.",
        "I will return the ultrabook of order #W9337158 to your gift card.",
        "I will exchange the ultrabook of order #W9337158 for another one.",
        "I will return the ultrabook of order #W9337159 to PayPal.",
    )
    assert [talk.agrees(proposal) for proposal in wrong] == [False] * 5
    assert talk.agrees("I will return the ultrabook of order #W9337158 to PayPal.")


def test_which_of_two_is_answered_from_the_script() -> None:
    (task,) = (t for t in _tasks("retail") if t.id == "return-or-exchange-not-both")
    said = Talk(task).say("Only one is possible: return or exchange. Which do you want?")
    assert "return the tent" in said


def test_nobody_asks_again_what_it_was_just_told() -> None:
    (task,) = (t for t in _tasks("retail") if t.id == "ultrabook-goes-back")
    talk = Talk(task)
    assert talk.agrees("I will return the ultrabook of order #W9337158 to PayPal.")
    said = talk.say("It has been returned. The refund of $1642.57 goes to PayPal. Anything else?")
    assert "how much" not in said
