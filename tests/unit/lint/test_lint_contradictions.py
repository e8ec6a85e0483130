"""Annotations and scripts that say something else than the instruction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.environment import Database, Overlay, tool
from pytest_taubench.environment.domain import Domain
from pytest_taubench.errors import ToolError
from pytest_taubench.lint import Case
from pytest_taubench.lint.additional import check_additional
from pytest_taubench.lint.facts import check_facts
from pytest_taubench.lint.other_tools import check_other_tools
from pytest_taubench.lint.outputs import check_outputs
from pytest_taubench.lint.scripts import check_script
from pytest_taubench.lint.uniqueness import check_uniqueness
from pytest_taubench.schema import Script, Task

ADA = "You are Ada Kern, zip 60601. "
CANCEL = ("cancel_order", {"order_id": "#S100001", "reason": "mistake"})
SWAP = (
    "swap_item",
    {
        "order_id": "#S100001",
        "item": "lamp_100001",
        "new_item": "lamp_100002",
        "payment": "card_11112222",
    },
)
RETURN = ("return_item", {name: SWAP[1][name] for name in ("order_id", "item", "payment")})


def said(findings: Any) -> list[str]:
    return [f"{each.level}: {each.message}" for each in findings]


# -- another tool ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("instruction", "gold", "other"),
    [
        ("You want the lamp of #S100001 swapped for a black one.", RETURN, "swap_item"),
        ("You want to cancel #S100001, the lamp, by mistake.", SWAP, "cancel_order"),
        ("You want the lamp of #S100001 returned.", SWAP, "return_item"),
        ("Return the vase, #S100002. Swap the lamp of #S100001.", RETURN, "swap_item"),
    ],
)
def test_a_gold_action_is_listed_where_another_tool_is_asked_for(
    case: Any, instruction: str, gold: Any, other: str
) -> None:
    (finding,) = check_other_tools(case(ADA + instruction, gold))
    assert finding.level == "for a person"
    assert finding.subjects == {gold[0], other}


@pytest.mark.parametrize(
    ("instruction", "gold"),
    [
        ("Cancel #S100001, ordered by mistake.", CANCEL),
        ("Swap the lamp of #S100001 for a black one.", SWAP),
        ("You do not want to swap the lamp of #S100001: the order was a mistake.", CANCEL),
        ("Swap the vase of #S100002. Cancel #S100001.", CANCEL),
        ("Swap the vase of #S100002 and return the lamp of #S100001.", RETURN),
        ("Swap your street.", ("set_street", {"user_id": "ada_1234", "street": "1 New Road"})),
    ],
)
def test_the_tool_that_is_asked_for_is_left_alone(case: Any, instruction: str, gold: Any) -> None:
    assert said(check_other_tools(case(ADA + instruction, gold))) == []


# -- outputs nobody asks for ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "instruction",
    [
        "Cancel #S100001.",
        "Cancel #S100001. You do not know what you paid.",
        "Cancel #S100001; if you are asked why, it was a mistake.",
    ],
)
def test_an_output_nobody_asks_for_is_a_warning(case: Any, instruction: str) -> None:
    (finding,) = check_outputs(case(ADA + instruction, CANCEL, outputs=["20"]))
    assert finding.level == "warning"
    assert "asks for the output '20'" in finding.message


@pytest.mark.parametrize(
    "instruction",
    [
        "Ask for the refund of #S100001.",
        "You want to be told the price of #S100001.",
        "If #S100001 cannot go, keep it and ask what it cost.",
        "#S100001 costs?",
    ],
)
def test_an_output_somebody_asks_for_is_left_alone(case: Any, instruction: str) -> None:
    assert said(check_outputs(case(ADA + instruction, outputs=["20"]))) == []


# -- identity of a task without user_id -----------------------------------------------------------


@pytest.mark.parametrize("who", ["Ada Kern, zip 99999", "Bob, zip 60601", "Ada"])
def test_without_a_user_the_one_whose_records_change_must_be_found(case: Any, who: str) -> None:
    (finding,) = check_facts(case(f"You are {who}. Cancel #S100001.", CANCEL, user_id=None))
    assert finding.level == "error"
    assert "by what the agent could find ada_1234" in finding.message


@pytest.mark.parametrize("who", ["Ada Kern in zip 60601", "ada_1234"])
def test_without_a_user_what_finds_it_is_enough(case: Any, who: str) -> None:
    assert said(check_facts(case(f"You are {who}. Cancel #S100001.", CANCEL, user_id=None))) == []


@pytest.mark.parametrize(
    ("who", "subject"),
    [("Ada, zip 60699", "zip"), ("Bob, zip code 60601", "zip"), ("b@example.com", "email")],
)
def test_without_user_and_records_who_is_told_of_must_exist(
    case: Any, who: str, subject: str
) -> None:
    (finding,) = check_facts(case(f"You are {who}. You ask for the hours.", user_id=None))
    assert finding.level == "error"
    assert subject in finding.subjects


# -- script ---------------------------------------------------------------------------------------


def scripted(case: Any, instruction: str, script: dict[str, Any]) -> Case:
    task: Case = case(ADA + instruction, CANCEL, script=Script.model_validate(script))
    return task


@pytest.mark.parametrize(
    ("script", "subject"),
    [
        ({"requests": ["Cancel my order #S100009."]}, "#S100009"),
        ({"facts": {"order_id": "#S100008"}}, "#S100008"),
        ({"requests": [{"say": "Cancel it.", "wants": {"payment": "card_77777777"}}]}, "77777777"),
        ({"facts": {"zip": "60602"}}, "60602"),
        ({"facts": {"name": "Bob Kern"}}, "Bob Kern"),
        ({"facts": {"user_id": "bob_1234"}}, "bob_1234"),
    ],
)
def test_what_a_script_says_and_nobody_else_is_an_error(
    case: Any, script: dict[str, Any], subject: str
) -> None:
    found = list(check_script(scripted(case, "Cancel #S100001.", script)))
    assert {each.level for each in found} == {"error"}
    assert any(subject in word for each in found for word in each.subjects)


def test_a_script_that_says_what_instruction_and_records_say_is_left_alone(case: Any) -> None:
    script = {
        "facts": {"name": "Ada Kern", "zip": "60601", "order_id": ["#S100009", "#S100001"]},
        "requests": [{"say": "Cancel #S100001, not #S100002.", "wants": {"payment": "gift card"}}],
    }
    task = scripted(case, "Cancel #S100009; when it is not found, #S100001.", script)
    assert said(check_script(task)) == []


PEOPLE = {
    "ada_1": {"email": "ada@example.com", "orders": ["#S1000011"]},
    "bob_2": {"email": "bob@example.com", "orders": ["#S1000022"]},
}


@tool(kind="read")
def get_user(db: Overlay, user_id: str) -> Any:
    """Get a user."""
    user = db.get("users", user_id)
    if user is None:
        raise ToolError("no such user")
    return user


def of_two_people(script: dict[str, Any]) -> Case:
    orders = {key: {"paid": 1} for key in ("#S1000011", "#S1000022")}
    database = Database({"users": PEOPLE, "orders": orders})
    domain = Domain("two", Path(), "Be kind.", {"get_user": get_user}, database)
    fields = {"id": "t", "domain": "two", "instruction": "You are Ada.", "user_id": "ada_1"}
    return Case(Task.model_validate({**fields, "script": Script.model_validate(script)}), domain)


def test_a_script_with_another_ones_email_or_order_is_found() -> None:
    (email,) = check_script(of_two_people({"facts": {"email": "bob@example.com"}}))
    assert email.level == "error"
    assert "facts.email" in email.subjects
    (order,) = check_script(of_two_people({"requests": ["Where is #S1000022?"]}))
    assert order.level == "for a person"
    assert "#S1000022" in order.subjects
    mine = {"facts": {"email": "ada@example.com"}, "requests": ["Where is #S1000011?"]}
    assert said(check_script(of_two_people(mine))) == []


# -- words beside ids -----------------------------------------------------------------------------


def test_what_could_be_chosen_instead_is_named_in_words(case: Any) -> None:
    text = ADA + "Swap the lamp of #S100001 for another one, with the Visa."
    messages = [each.message for each in check_uniqueness(case(text, SWAP))]
    (variants,) = (each for each in messages if "new_item" in each)
    assert '"lamp_100003" (foot)' in variants


def test_what_could_be_done_besides_is_named_in_words(case: Any) -> None:
    task = case("Cancel #S100001 and, if you can, #S100002.", CANCEL)
    (finding,) = check_additional(task)
    assert "cancel_order would take #S100002 too (Glass Vase" in finding.message
