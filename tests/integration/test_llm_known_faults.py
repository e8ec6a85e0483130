"""What agents that are models get wrong, through pytest over HTTP to the record."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from model_trial import (
    AGENT,
    CANCEL,
    CANCELLING,
    USER,
    agent_does,
    args_of,
    play_one,
    tool_answers,
    user_says,
)

if TYPE_CHECKING:
    from conftest import Shop


def test_all_of_several_calls_in_one_message_count(shop: Shop, chat_server: ChatServer) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    calls = [("get_order", {"order_id": "A2"}), CANCEL, ("get_order", {"order_id": "A1"})]
    agent_does(chat_server, wire.tool_calls(*calls), wire.text("Done."))
    record = play_one(shop, chat_server)
    assert [(action.name, action.arguments) for action in record.actions] == calls
    assert (record.reward, record.steps) == (1.0, 4)
    assert json.loads(tool_answers(record)[2])["status"] == "cancelled", "run in their order"


@pytest.mark.parametrize("arguments", ['{"order_id": A1}', '["A1"]', "cancel it"])
@pytest.mark.parametrize(("comes_to_its_senses", "reward"), [(True, 1.0), (False, 0.0)])
def test_a_trial_with_arguments_that_are_no_json_object_is_scored(
    shop: Shop, chat_server: ChatServer, arguments: str, comes_to_its_senses: bool, reward: float
) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    right = [wire.tool_calls(CANCEL)] * comes_to_its_senses
    agent_does(
        chat_server, wire.tool_calls(("cancel_order", arguments)), *right, wire.text("Well.")
    )
    record = play_one(shop, chat_server)
    assert (record.outcome, record.ending, record.reward) == ("scored", "user_stop", reward)
    assert record.actions[0].ok is False
    seen = chat_server.asked(AGENT)[1][-1]
    assert seen["role"] == "tool"
    assert seen["content"].startswith("Error")


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (("cancel_orders", {"order_id": "A1"}), "cancel_order"),
        (("cancel_order", {}), "order_id"),
        (("cancel_order", {"order_id": "A1", "reason": "x"}), "reason"),
    ],
    ids=["unknown tool", "missing argument", "extra argument"],
)
def test_a_trial_with_a_wrong_call_is_scored_and_the_fault_named(
    shop: Shop, chat_server: ChatServer, call: tuple[str, dict[str, str]], named: str
) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    agent_does(chat_server, wire.tool_calls(call), wire.text("Sorry."))
    record = play_one(shop, chat_server)
    assert (record.outcome, record.ending, record.reward) == ("scored", "user_stop", 0.0)
    assert record.actual_changes == {}
    assert named in tool_answers(record)[0]
    assert chat_server.asked(AGENT)[1][-1]["content"] == tool_answers(record)[0]


@pytest.mark.parametrize(
    "name",
    ["multi_tool_use.parallel", "cancel order", "", "n" * 99, "取消"],
    ids=["dot", "space", "empty", "long", "other script"],
)
def test_a_tool_name_that_no_strict_endpoint_takes_back_costs_no_trial(
    shop: Shop, chat_server: ChatServer, name: str
) -> None:
    def strict(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if not tools:
            return "Cancel A1." if len(messages) == 2 else "###STOP###"
        calls = [call["function"] for m in messages for call in m.get("tool_calls") or []]
        named = [m for m in messages if m["role"] == "tool" and "name" in m]
        if not all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", each["name"]) for each in calls + named):
            return wire.error(400, "Invalid 'messages[2].name': string does not match pattern.")
        asked = [wire.tool_calls((name, {})), wire.tool_calls(CANCEL), wire.text("Done.")]
        return asked[len(calls)]

    chat_server.behave = strict
    record = play_one(shop, chat_server)
    assert (record.outcome, record.ending, record.reward) == ("scored", "user_stop", 1.0)
    assert [action.name for action in record.actions] == [name, "cancel_order"]
    assert "unknown tool" in tool_answers(record)[0]


def test_an_agent_that_says_nothing_is_told_and_ends_its_own_trial_only(
    shop: Shop, chat_server: ChatServer
) -> None:
    shop.many_tasks(2)
    user_says(chat_server, "Cancel A1.", "Cancel A1.", "###STOP###")
    agent_does(chat_server, *[wire.text(None)] * 4, wire.tool_calls(CANCEL), wire.text("Done."))
    result = shop.run(*args_of(chat_server), "--tau-max-steps=4", "--tau-concurrency=1")
    result.assert_outcomes(passed=1, failed=1)
    silent, other = shop.records()
    assert (silent.outcome, silent.ending, silent.reward) == ("scored", "max_steps", 0.0)
    assert other.reward == 1.0
    assert "neither text nor a tool call" in chat_server.asked(AGENT)[1][-1]["content"]


def test_text_beside_a_call_is_kept_and_no_user_hears_it(
    shop: Shop, chat_server: ChatServer
) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    agent_does(chat_server, wire.tool_calls(CANCEL, content="Let me see."), wire.text("Done."))
    record = play_one(shop, chat_server)
    assert record.reward == 1.0
    assert record.trajectory[1].content == "Let me see."
    assert "Done." in json.dumps(chat_server.asked(USER))
    assert "Let me see." not in json.dumps(chat_server.asked(USER))


@pytest.mark.parametrize("agent", ["react", "act"])
@pytest.mark.parametrize(
    "malformed",
    [
        'Action: {"arguments": {"order_id": "A1"}}',
        'Action: Sure! {"name": "cancel_order", "arguments": {"order_id": "A1"}} Done.',
        'Thought: a\nThought: b\nAction: {"name": "cancel_order", "arguments": {"order_id": "A1"}}',
    ],
    ids=["no name", "prose round the JSON", "thought twice"],
)
def test_a_trial_with_a_text_reply_out_of_format_goes_on_and_is_scored(
    shop: Shop, chat_server: ChatServer, agent: str, malformed: str
) -> None:
    user_says(chat_server, "Cancel A1.", "###STOP###")
    actions = [
        {"name": "cancel_order", "arguments": {"order_id": "A1"}},
        {"name": "respond", "arguments": {"content": "Done."}},
    ]
    well_formed = [wire.text(f"Action: {json.dumps(action)}") for action in actions]
    agent_does(chat_server, wire.text(malformed), *well_formed)
    record = play_one(shop, chat_server, agent=agent)
    assert (record.outcome, record.ending, record.reward) == ("scored", "user_stop", 1.0)
    assert len(record.actions) == 1, "nothing out of format was run"
    assert chat_server.asked(AGENT)[1][-1]["content"].startswith("Format error: ")


def test_missing_usage_leaves_the_trial_scored_and_the_cost_partial(
    shop: Shop, chat_server: ChatServer
) -> None:
    shop.tasks(CANCELLING)
    user_says(chat_server, "Cancel A1.", "###STOP###")
    agent_does(chat_server, wire.tool_calls(CANCEL), wire.text("Done.", usage=None))
    result = shop.run(*args_of(chat_server))
    (record,) = shop.records()
    assert record.reward == 1.0
    usage = record.usage["agent"]
    assert (usage.calls, usage.input_tokens, usage.complete, usage.cost) == (2, 100, False, None)
    assert record.usage["user"].complete
    result.stdout.fnmatch_lines(["*unknown*partial*"])


def test_a_temperature_that_a_model_refuses_is_sent_once_in_the_run(
    shop: Shop, chat_server: ChatServer
) -> None:
    shop.many_tasks(2)
    user_says(chat_server, *["Cancel A1.", "###STOP###"] * 2)
    refusal = "Unsupported value: 'temperature' does not support 0 with this model."
    agent_does(chat_server, wire.error(400, refusal))
    agent_does(chat_server, *[wire.tool_calls(CANCEL), wire.text("Done.")] * 2)
    shop.run(*args_of(chat_server), "--tau-concurrency=1").assert_outcomes(passed=2)
    sent = [r.get("temperature") for r in chat_server.requests if r["model"] == AGENT]
    assert sent == [0, None, None, None, None]
