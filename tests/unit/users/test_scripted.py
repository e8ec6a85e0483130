"""Conversations with the scripted user."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from pytest_taubench.schema import ModelSettings, Script
from pytest_taubench.users.protocol import User, UserContext, UserTurn
from pytest_taubench.users.scripted import make_scripted_user

LAMP = "You are Ada Kern in 60601. You want to return the desk lamp of order #W1234567 to PayPal."


class Talk:
    """One conversation; the first message is the opening."""

    def __init__(
        self,
        instruction: str = LAMP,
        script: dict[str, Any] | None = None,
        seed: int = 1,
        user_id: str | None = None,
    ) -> None:
        self.user: User = make_scripted_user(
            UserContext(
                instruction=instruction,
                script=Script.model_validate(script) if script is not None else None,
                random=random.Random(seed),
                model=ModelSettings(),
                user_id=user_id,
            )
        )
        self.opening = self.say(None).text
        if self._only_hello():
            self.opening += self.say("How can I help you?").text

    def _only_hello(self) -> bool:
        """Some seeds greet first and say what they want when asked."""
        return not any(
            word in self.opening.lower()
            for word in ("want", "like to", "need to", "swap", "please ")
        )

    def say(self, text: str | None) -> UserTurn:
        return asyncio.run(self.user.respond(text))


def speaks_of(text: str, word: str) -> bool:
    """Is the word in the text, though perhaps mistyped?"""
    said = text.lower().replace(".", " ").replace("?", " ").split()
    return sorted(word) in [sorted(each) for each in said]


def lamp(**request: Any) -> dict[str, Any]:
    return {"requests": [{"say": "I want to return the desk lamp.", **request}]}


@pytest.mark.parametrize("seed", range(8))
def test_it_answers_who_it_is_when_asked(seed: int) -> None:
    answer = Talk(seed=seed).say("What are your first and last name and your zip code?").text
    assert "Ada Kern" in answer
    assert "60601" in answer


@pytest.mark.parametrize("seed", range(8))
def test_it_does_not_know_what_nobody_told_it(seed: int) -> None:
    answer = Talk(seed=seed).say("What is your email address?").text
    assert "@" not in answer
    assert "I don't know my email." in answer


def test_it_answers_each_of_several_questions() -> None:
    answer = Talk().say("What is your order number, and which payment method do you prefer?").text
    assert "#W1234567" in answer
    assert "paypal" in answer.lower()


def test_of_alternatives_one_answer_is_enough() -> None:
    talk = Talk("You are Ada Kern in 60601; your email is ada@example.com. You want a refund.")
    answer = talk.say("Please give me your email, or your name and zip code.").text
    assert "ada@example.com" in answer
    assert "60601" not in answer


def test_the_users_key_serves_only_where_nothing_else_is_known() -> None:
    nameless = Talk("You want to return your lamp.", user_id="ada_kern_1234")
    named = Talk(user_id="ada_kern_1234")
    question = "What is your user id?"
    assert "ada_kern_1234" in nameless.say(question).text
    assert "ada_kern_1234" not in named.say(question).text


@pytest.mark.parametrize(
    "proposal",
    [
        "I will return the desk lamp of order #W1234567, refund to PayPal. Do you confirm (yes/no)?",
        "Return desk lamp, $20 to your paypal account.\n\nPlease note that the order cannot be "
        "returned again. Shall I proceed?",
    ],
)
def test_it_confirms_what_it_wants(proposal: str) -> None:
    assert Talk().say(proposal).text.lower().startswith(("yes", "confirmed"))


@pytest.mark.parametrize(
    ("proposal", "complaint"),
    [
        ("Return the desk lamp, refund to your gift card. Do you confirm?", "paypal"),
        ("Return an item of order #W7654321 to PayPal. Do you confirm?", "#W1234567"),
        ("Exchange the desk lamp, PayPal pays the difference. Do you confirm?", "return"),
    ],
)
def test_it_contradicts_a_wrong_proposal_and_says_what_is_wrong(
    proposal: str, complaint: str
) -> None:
    answer = Talk().say(proposal).text
    assert not answer.lower().startswith("yes")
    assert complaint in answer


def test_it_contradicts_what_it_wants_to_avoid_and_never_gives_in() -> None:
    talk = Talk(script=lamp(avoid=["floor lamp"]))
    for _ in range(5):
        answer = talk.say("I will return the floor lamp. Do you confirm?")
        assert not answer.text.lower().startswith("yes")
        if answer.stop:
            break


def test_what_stays_may_be_named_in_a_proposal() -> None:
    talk = Talk(script=lamp(avoid=["floor lamp"]))
    answer = talk.say("I will return the desk lamp and leave the floor lamp. Do you confirm?")
    assert answer.text.lower().startswith("yes")


def test_a_thing_to_keep_is_no_part_of_a_return() -> None:
    talk = Talk("You are Ada Kern in 60601. You want to return the desk and keep the shirt.")
    assert "shirt" in talk.say("I will return the desk, the linen shirt. Do you confirm?").text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("The refund goes to the Visa card that paid for it.", "Visa card that paid"),
        ("The refund goes to where the money came from.", "where the money came from"),
        ("The difference goes to PayPal.", "paypal"),
    ],
)
def test_a_payment_method_is_named_as_exactly_as_it_is_known(words: str, said: str) -> None:
    talk = Talk(f"You are Ada Kern in 60601. You want to return the lamp. {words}", seed=2)
    answer = talk.say("Which payment method should I use for order #W1234567?").text
    assert said.lower() in answer.lower()


def test_an_answer_for_one_question_is_not_given_to_another() -> None:
    script = lamp(wants={"payment": "PayPal"}) | {"answers": {"which order": "The last one."}}
    talk = Talk(script=script)
    assert "last" not in talk.say("Which card should I use for the order?").text
    assert "The last one." in talk.say("Which of your orders is it?").text


def test_a_wish_about_color_and_a_proposal_of_another() -> None:
    talk = Talk(script={"requests": [{"say": "Swap it, please.", "wants": {"color": "coral"}}]})
    answer = talk.say("Exchange: shoes (color navy) -> shoes (color navy). Do you confirm?").text
    assert "coral" in answer


def test_untold_details_come_before_a_yes() -> None:
    detail = "The invoice must name my company."
    talk = Talk(script=lamp(details=[detail]), seed=5)
    first = talk.say("I will return the desk lamp. Do you confirm?").text
    told = talk.opening if detail in talk.opening else first
    assert speaks_of(told, "invoice")
    assert talk.say("I will return the desk lamp. Do you confirm?").text.startswith("Yes")


def test_it_insists_as_often_as_its_task_says_and_then_comes_down() -> None:
    talk = Talk(script=lamp(insist=2, if_refused="Then send me a label."))
    refusal = "I'm sorry, but that is not possible."
    answers = [talk.say(refusal).text for _ in range(3)]
    assert ["label" in answer for answer in answers] == [False, False, True]


def test_a_final_refusal_brings_the_next_request() -> None:
    talk = Talk(script={"requests": ["I want a refund.", "I want to know the weather."]})
    talk.say("How can I help you?")
    assert "the weather" in talk.say("Unfortunately, I can't do that.").text


def test_it_changes_its_mind_once_when_asked_to_confirm() -> None:
    talk = Talk(script=lamp(on_confirm="Wait, only the shade."))
    question = "I will return the desk lamp. Do you confirm?"
    assert talk.say(question).text == "Wait, only the shade."
    assert talk.say(question).text.lower().startswith("yes")


def test_it_gives_another_value_when_nothing_was_found() -> None:
    talk = Talk(script={**lamp(), "facts": {"email": ["a@example.com", "b@example.com"]}})
    assert "a@example.com" in talk.say("What is your email?").text
    assert "b@example.com" in talk.say("I could not find that email. What is your email?").text


def test_private_facts_are_not_told() -> None:
    talk = Talk(script={**lamp(), "facts": {"address": "9 Elm Street"}, "private": "address"})
    assert "Elm" not in talk.say("What is your address?").text


def test_words_it_never_says_do_not_appear() -> None:
    talk = Talk(script={"requests": ["I want my Zorblax back."], "never_says": ["zorblax"]})
    said = talk.opening + talk.say("How can I help you?").text
    assert "zorblax" not in said.lower()


def test_it_picks_the_option_it_wants() -> None:
    talk = Talk("You are Ada Kern in 60601. You want to exchange the red lamp for a black one.")
    talk.say("How can I help you?")
    answer = talk.say("Which one would you like?\n1. Lamp, red, $5\n2. Lamp, black, $6").text
    assert "black" in answer
    assert "red" not in answer


def test_the_cheapest_option_goes_by_price() -> None:
    talk = Talk(script=lamp(choose="cheapest"))
    talk.say("How can I help you?")
    answer = talk.say(
        "Which option would you like?\n- brass, $30.50\n- steel, $9.99\n- oak, $1,200"
    )
    assert "steel" in answer.text


@pytest.mark.parametrize("seed", range(8))
def test_it_ends_soon_with_an_agent_that_only_says_done(seed: int) -> None:
    talk = Talk(
        script={"requests": ["I want a refund.", "I want a receipt.", "I want a label."]}, seed=seed
    )
    said = talk.opening
    for _ in range(5):
        answer = talk.say("Done. 54.04, 41.64. Is there anything else I can help you with?")
        said += answer.text
        if answer.stop:
            break
    assert answer.stop
    assert all(speaks_of(said, word) for word in ("refund", "receipt", "label"))


@pytest.mark.parametrize("text", ["", "...", "One moment, please.", "Hello!", "I don't know."])
def test_it_loses_patience_with_an_agent_that_does_nothing(text: str) -> None:
    talk = Talk()
    assert any(talk.say(text).stop for _ in range(12))


def test_it_loses_patience_with_an_agent_that_asks_the_same_forever() -> None:
    talk = Talk()
    assert any(talk.say("What is your email?").stop for _ in range(20))


def test_a_transfer_ends_the_conversation() -> None:
    assert Talk().say("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.").stop


@pytest.mark.parametrize("seed", range(4))
def test_a_question_that_was_answered_is_not_asked_again(seed: int) -> None:
    wish = "I want to know how much the desk lamp weighs."
    talk = Talk("You want to know how much the desk lamp weighs.", {"requests": [wish]}, seed=seed)
    assert talk.say("The desk lamp weighs 7 kg.").stop


def test_it_does_not_end_while_something_is_open() -> None:
    answer = Talk().say("Your return is done. Shall I proceed with the exchange (yes/no)?")
    assert not answer.stop


def test_the_same_seed_says_the_same_and_other_seeds_other_things() -> None:
    openings = [Talk(seed=seed).opening for seed in range(12)]
    assert openings == [Talk(seed=seed).opening for seed in range(12)]
    assert len(set(openings)) > 3


def test_the_record_says_what_was_derived() -> None:
    assert Talk().user.notes() == ["script derived from the instruction (requests and facts)"]
    assert Talk(script={**lamp(), "facts": {"zip": "60601"}}).user.notes() == []
