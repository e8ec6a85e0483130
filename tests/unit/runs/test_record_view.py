"""A record in the words of its domain."""

from __future__ import annotations

import pytest

from pytest_taubench.runs.view import RecordView
from pytest_taubench.schema import (
    ActionRecord,
    Ending,
    FunctionCall,
    Message,
    ToolCall,
    TrialRecord,
)
from pytest_taubench.trial.episode import HARNESS

CALL = ToolCall(id="1", function=FunctionCall(name="get_order", arguments="{}"))
TRAJECTORY = [
    Message(role="user", content="Return the bottle."),
    Message(role="assistant", content="Let me look."),
    Message(role="user", content="Yes, please."),
    Message(role="assistant", content="(thinking)", tool_calls=[CALL]),
    Message(role="tool", content="{}", name="get_order"),
    Message(role="user", content="Reply with something.", name=HARNESS),
    Message(role="assistant", content=None),
    Message(role="assistant", content="It is done."),
]
ACTIONS = [
    ActionRecord(name="get_order", arguments={"order_id": "#W1"}, message_index=3),
    ActionRecord(name="return_items", arguments=None, ok=False, message_index=6),
    ActionRecord(name="return_items", arguments={"item_ids": ["1"]}, message_index=6),
    ActionRecord(name="early", arguments={}, message_index=None),
]


@pytest.fixture
def view() -> RecordView:
    return RecordView(
        TrialRecord(
            nodeid="x.tau.yaml::a[trial-1]",
            suite="x",
            domain="shop",
            task_id="a",
            trial=1,
            outcome="scored",
            reward=1,
            ending=Ending.USER_STOP,
            trajectory=TRAJECTORY,
            actions=ACTIONS,
        )
    )


def test_calls_come_in_order_and_by_name(view):
    assert [call.name for call in view.calls()] == [
        "get_order",
        "return_items",
        "return_items",
        "early",
    ]
    assert [call.ok for call in view.calls("return_items")] == [False, True]
    assert view.first_call("get_order").arguments == {"order_id": "#W1"}
    assert view.calls("cancel") == []


def test_a_call_follows_the_last_message_of_the_user_and_no_earlier_one(view):
    assert view.first_call("get_order").follows_user_message("YES")
    assert not view.first_call("get_order").follows_user_message("bottle")


def test_what_the_harness_says_is_not_said_by_the_user(view):
    assert view.first_call("return_items").follows_user_message("yes")
    assert view.user_texts == ["Return the bottle.", "Yes, please."]


def test_a_call_before_any_message_follows_none(view):
    assert not view.first_call("early").follows_user_message("return")


def test_a_call_that_never_was_is_an_error_that_lists_those_that_were(view):
    with pytest.raises(LookupError, match="'cancel' was never called; calls were: get_order, "):
        view.first_call("cancel")


def test_agent_texts_are_what_the_user_was_told(view):
    assert view.agent_texts == ["Let me look.", "It is done."]
    assert (view.reward, view.ending) == (1, "user_stop")


def test_the_view_shows_itself_in_a_failed_assertion(view):
    assert repr(view) == (
        "<x.tau.yaml::a[trial-1]: reward 1, user_stop, "
        "calls: get_order, return_items, return_items, early>"
    )
