"""Trials that were cut short, handed over or left by the user: unfinished, and whose fault."""

import pytest
from restaurant import CANCEL_1, CANCEL_2, MOVE_2, call, environment, played, task_of, why

from pytest_taubench.reward.attribution import attribute
from pytest_taubench.reward.ending_faults import question_left_open
from pytest_taubench.schema import Ending, ErrorInfo


def test_a_trial_at_the_step_cap_is_unfinished_and_what_is_undone_shows_no_decision():
    found = why([CANCEL_1], [], ending=Ending.MAX_STEPS)
    assert found.classes == ["unfinished", "missing_action"]
    assert found.paper_class is None


def test_a_trial_at_the_step_cap_with_all_done_is_unfinished_and_nothing_else():
    assert why([CANCEL_1], [CANCEL_1], ending=Ending.MAX_STEPS).classes == ["unfinished"]


def test_a_wrong_argument_counts_also_where_the_trial_was_broken_off():
    found = why([CANCEL_1, MOVE_2], [call("move_booking", booking_id="B2", day="tue", hour=3)],
                ending=Ending.MAX_STEPS)  # fmt: skip
    assert found.classes == ["unfinished", "wrong_argument", "missing_action"]
    assert found.paper_class == "wrong_argument"


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        (Ending.AGENT_ERROR, "agent_error"),
        (Ending.AGENT_TIMEOUT, "agent_timeout"),
        (Ending.CONTEXT_LENGTH, "context_length"),
    ],
)
def test_a_trial_that_the_agent_broke_off_says_with_what(ending, kind):
    task = task_of([CANCEL_1])
    error = ErrorInfo(type="KeyError", message="'choices'")
    found = attribute(played(task, [], ending=ending, error=error), task, environment())
    assert found.classes == [kind, "missing_action"]
    assert found.faults[0].detail == "'choices'"
    assert found.paper_class is None


def test_a_hand_over_with_work_undone_is_a_wrong_transfer():
    found = why([CANCEL_1], [call("call_the_owner")], ending=Ending.TRANSFER)
    assert found.classes == ["wrong_transfer", "missing_action"]
    assert found.faults[0].tool == "call_the_owner"
    assert found.paper_class == "wrong_decision"


def test_a_hand_over_that_the_annotation_makes_too_is_none():
    gold = [CANCEL_1, call("call_the_owner")]
    assert why(gold, [call("call_the_owner")], ending=Ending.TRANSFER).classes == ["missing_action"]


def test_a_user_who_leaves_while_the_agent_asks_stopped_early():
    found = why([CANCEL_1], [], said=["Hello!", "I will cancel B1. Shall I go ahead?"])
    assert found.classes == ["early_stop", "missing_action"]
    assert found.faults[0].detail.endswith("asking: Shall I go ahead?")
    assert found.paper_class is None


def test_a_user_who_leaves_before_the_agent_spoke_stopped_early():
    assert why([CANCEL_1], [], said=[]).classes == ["early_stop", "missing_action"]


@pytest.mark.parametrize(
    "said",
    [
        ["I cannot cancel that. Would you like to keep it?"],  # refused
        ["It is done. Is there anything else I can help you with?"],
        ["Which booking?", "Which booking?"],  # the answer was to no avail
        ["It is cancelled."],
    ],
)
def test_a_user_who_leaves_an_agent_that_waits_for_nothing_did_not_stop_early(said):
    assert why([CANCEL_1], [], said=said).classes == ["missing_action"]


def test_a_user_who_leaves_with_all_done_did_not_stop_early():
    found = why([CANCEL_1], [CANCEL_1, CANCEL_2], said=["Shall I go on?"])
    assert found.classes == ["extra_action"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Please confirm (yes/no).", True),
        ("I need:\n1. Would you like insurance?\nThen I can go on.", True),
        ("Just let me know how you'd like to proceed!", True),
        ("If there's anything else you need, feel free to let me know!", False),
        ("Do you have any other questions?", False),
        ("Unfortunately that is closed. Do you want another day?", False),
        ("", False),
    ],
)
def test_an_open_question_is_told_from_a_closing_one(text, asks):
    assert (question_left_open(text) is not None) is asks
