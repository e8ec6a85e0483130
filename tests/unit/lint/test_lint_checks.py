"""What each check finds in a task, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_taubench.lint.additional import check_additional
from pytest_taubench.lint.facts import check_facts
from pytest_taubench.lint.floor import check_floor
from pytest_taubench.lint.gold_actions import check_gold_actions
from pytest_taubench.lint.identifiers import check_ids
from pytest_taubench.lint.outputs import check_outputs

ADA = "You are Ada Kern, zip 60601. "


def cancel(order_id: str = "#S100001", reason: str = "mistake") -> tuple[str, dict[str, Any]]:
    return "cancel_order", {"order_id": order_id, "reason": reason}


def street(name: str) -> tuple[str, dict[str, Any]]:
    return "set_street", {"user_id": "ada_1234", "street": name}


def said(findings: Any) -> list[str]:
    return [f"{each.level}: {each.message}" for each in findings]


# -- gold actions ---------------------------------------------------------------------------------


def test_a_gold_action_that_fails_is_an_error_no_note_can_excuse(case: Any) -> None:
    (finding,) = check_gold_actions(case("Cancel #S100003.", cancel("#S100003")))
    assert "only a pending order" in finding.message
    assert (finding.level, finding.notable) == ("error", False)


def test_a_write_that_changes_nothing_is_an_error(case: Any) -> None:
    (finding,) = check_gold_actions(case("Your street.", street("5 Old Road")))
    assert finding.message == "1. set_street changes nothing"


def test_the_second_of_two_equal_writes_changes_nothing(case: Any) -> None:
    found = check_gold_actions(case("x", street("1 New Road"), street("1 New Road")))
    assert [each.message for each in found] == ["2. set_street changes nothing"]


def test_gold_actions_that_work_are_left_alone(case: Any) -> None:
    assert said(check_gold_actions(case("x", cancel(), street("1 New Road")))) == []


# -- ids ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["#S100009", "card_99999999", "lamp_100009", "ada_9999"])
def test_what_looks_like_an_id_and_is_none_is_an_error(case: Any, wrong: str) -> None:
    (finding,) = check_ids(case(f"You mean {wrong} and no other."))
    assert finding.message.startswith(f"{wrong} in the instruction is not in the database")


@pytest.mark.parametrize(
    "text",
    [
        "#S100001 and card_11112222",
        "born 1970-03-09",
        "zip 60601, call 555-0100",
        "the 27-inch one",
    ],
)
def test_ids_that_exist_and_what_is_no_id_are_left_alone(case: Any, text: str) -> None:
    assert said(check_ids(case(text))) == []


# -- outputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("20", "a price"),
        ("32.50", "20 + 12.5, two items' prices"),
        ("7.5", "20 - 12.5"),
        ("40", "2 * 20, the instruction says two"),
        ("clamp", "an option"),
        ("visa", "a brand"),
    ],
)
def test_what_tools_tell_or_follows_from_it_is_derivable(case: Any, output: str, why: str) -> None:
    task = case("How much are #S100001 and #S100002, and two lamps?", outputs=[output])
    assert said(check_outputs(task)) == [], why


@pytest.mark.parametrize("output", ["987.65", "purple"])
def test_what_no_tool_leads_to_is_for_a_person(case: Any, output: str) -> None:
    (finding,) = check_outputs(case("How much is #S100001?", outputs=[output]))
    assert (finding.level, finding.subjects) == ("for a person", {output})


def test_an_output_in_the_instruction_is_an_error_since_an_echo_passes(case: Any) -> None:
    task = case("Is it $20.00 that #S100001 cost?", outputs=["20"])
    (finding,) = check_outputs(task)
    assert finding.level == "error"
    assert "stands in the instruction" in finding.message


def test_a_number_is_given_away_only_as_a_number(case: Any) -> None:
    assert said(check_outputs(case("What did #S100001 of 2020 cost?", outputs=["20"]))) == []


# -- facts ----------------------------------------------------------------------------------------


def test_an_argument_nobody_could_know_is_an_error(case: Any) -> None:
    (finding,) = check_facts(case(ADA + "You have moved.", street("7 New Road")))
    assert finding.level == "error"
    assert "'7 New Road'" in finding.message
    assert "street" in finding.subjects


def test_an_argument_may_be_said_or_looked_up(case: Any) -> None:
    assert said(check_facts(case(ADA + "To 7 New Road.", street("7 New Road")))) == []
    assert said(check_facts(case(ADA + "To 7 New Road, not the old.", street("5 Old Road")))) == []


def test_a_user_nobody_could_identify_is_an_error(case: Any) -> None:
    (finding,) = check_facts(case("You are Ada, cancel #S100001.", cancel()))
    assert "by what the agent could find ada_1234" in finding.message


@pytest.mark.parametrize("who", ["Ada Kern in zip 60601", "ada_1234"])
def test_a_user_is_identified_by_id_or_by_what_a_tool_finds_it_by(case: Any, who: str) -> None:
    assert said(check_facts(case(f"You are {who}, cancel #S100001.", cancel()))) == []


# -- additional -----------------------------------------------------------------------------------


def test_an_order_that_is_named_and_could_be_cancelled_too_is_for_a_person(case: Any) -> None:
    task = case("Cancel #S100001 and, if you can, #S100002.", cancel())
    (finding,) = check_additional(task)
    assert finding.level == "for a person"
    assert {"#S100002", "S100002", "cancel_order"} <= finding.subjects


def test_what_the_tool_refuses_or_the_user_declines_is_no_addition(case: Any) -> None:
    assert said(check_additional(case("Cancel #S100001, then #S100003.", cancel()))) == []
    text = "You write about #S100002, which you do not want cancelled."
    assert said(check_additional(case(text))) == []


def test_where_all_are_asked_for_the_one_left_out_is_listed(case: Any) -> None:
    task = case("Cancel all your orders. You know no numbers.", cancel())
    assert [each.message.split(" too")[0] for each in check_additional(task)] == [
        "cancel_order would take #S100002"
    ]
    spared = case("Cancel all your orders but the one with the glass vase.", cancel())
    assert said(check_additional(spared)) == []


@pytest.mark.parametrize("output", ["inf", "1e999", "1e308", "-Infinity", "nan", "9" * 400])
def test_an_output_that_no_figure_can_be_is_looked_for_as_a_word(case: Any, output: str) -> None:
    (finding,) = check_outputs(case("How much is #S100001?", outputs=[output]))
    assert output in finding.message


# -- floor ----------------------------------------------------------------------------------------


def test_a_task_that_silence_passes_is_an_error(case: Any) -> None:
    found = {each.subjects for each in check_floor(case("You only say hello."))}
    assert found == {frozenset({"silent"}), frozenset({"transfer"})}


def test_a_task_whose_gold_is_the_transfer_alone_is_passed_by_transferring_at_once(
    case: Any,
) -> None:
    task = case("You want a person.", ("transfer", {"summary": "wants a person"}))
    assert any("transfers at once" in each.message for each in check_floor(task))


def test_an_answer_is_not_given_by_reciting_every_amount(case: Any) -> None:
    task = case("What did #S100001 cost?", outputs=["20"])
    assert task.floor.rewards == {"silent": 0, "transfer": 0, "recital": 0, "oracle": 1}


def test_a_task_that_asks_for_a_change_or_an_answer_has_a_floor_of_nothing(case: Any) -> None:
    assert said(check_floor(case("Cancel #S100001.", cancel()))) == []
    assert said(check_floor(case("What did #S100001 cost?", outputs=["20"]))) == []
    rewards = case("Cancel #S100001.", cancel()).floor.rewards
    assert rewards == {"silent": 0, "transfer": 0, "oracle": 1}
