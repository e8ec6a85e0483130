"""The second person of an instruction becomes the first person of the speaker."""

from __future__ import annotations

import pytest

from pytest_taubench.users.scripted.grammar import first_person


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("You want to return your keyboard.", "I want to return my keyboard."),
        ("You are sad and are in debt.", "I am sad and am in debt."),
        ("You're late, but you've paid.", "I'm late, but I've paid."),
        ("You'd rather keep it if you're charged.", "I'd rather keep it if I'm charged."),
        ("You also are in a hurry.", "I also am in a hurry."),
        ("What are you going to pay?", "What am I going to pay?"),
        ("You were told it was yours.", "I was told it was mine."),
        ("You want the money sent to you.", "I want the money sent to me."),
        ("The box sent to you is broken.", "The box sent to me is broken."),
        ("It fits you and suits you.", "It fits me and suits me."),
        ("The boots you bought don't fit.", "The boots I bought don't fit."),
        ("You did it yourself.", "I did it myself."),
        ("You and your wife are flying.", "My wife and I are flying."),
        ("You hope it's the size you had before.", "I hope it's the size I had before."),
        ("The items are broken, and you are angry.", "The items are broken, and I am angry."),
    ],
)
def test_you_becomes_i_or_me_as_the_sentence_needs(told: str, said: str) -> None:
    assert first_person(told) == said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("You want the agent to refund you.", "I want you to refund me."),
        ("If the agent refuses, you insist.", "If you refuse, I insist."),
        ("You wonder if the agent has it.", "I wonder if you have it."),
        ("You need the agent's help.", "I need your help."),
        ("If the agent says that it cannot, you wait.", "If you say that you cannot, I wait."),
    ],
)
def test_the_agent_is_the_one_spoken_to(told: str, said: str) -> None:
    assert first_person(told) == said


def test_text_about_nobody_stays() -> None:
    assert first_person("The address is 12 Oak Street.") == "The address is 12 Oak Street."
