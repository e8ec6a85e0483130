"""The few-shot agent: examples from a file, never of the task's own user."""

from __future__ import annotations

import pytest
from chat_server import ChatServer
from small_shop import POLICY, agent_context, play

from pytest_taubench.agents.few_shot import (
    Example,
    ExampleError,
    examples_without,
    make_few_shot,
    read_examples,
)
from pytest_taubench.errors import FatalError, InfrastructureError

MESSAGES = [
    {"role": "user", "content": "where is #7?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": "get_order", "arguments": '{"order_id": "#7"}'}}],
    },
    {"role": "tool", "content": "pending"},
    {"role": "assistant", "content": "It is pending."},
]


def test_examples_follow_the_policy_in_the_system_prompt(chat_server: ChatServer) -> None:
    examples = [Example("ann", "User: hi\nAssistant: hello")]
    play(make_few_shot, chat_server.url, options={"examples": examples})
    system, first = chat_server.requests[0]["messages"]
    assert system["content"].startswith(POLICY)
    assert system["content"].endswith("User: hi\nAssistant: hello")
    assert first == {"role": "user", "content": "please cancel #1"}


def test_no_example_is_of_the_tasks_own_user() -> None:
    examples = [Example("ann", "a"), Example("bob", "b"), Example("cy", "I am ann's brother: ann")]
    assert [e.user_id for e in examples_without(examples, "ann")] == ["bob"]


def test_the_first_examples_are_taken_so_that_prompts_agree() -> None:
    examples = [Example(str(n), str(n)) for n in range(9)]
    assert examples_without(examples, None, limit=3) == examples[:3]


def test_a_user_whose_id_begins_anothers_is_another_user() -> None:
    examples = [Example("mei_12", "User: I am mei_12."), Example("bob", "Asks mei_1's brother.")]
    assert [e.user_id for e in examples_without(examples, "mei_1")] == ["mei_12"]


def test_examples_hold_openai_messages_or_text() -> None:
    entries = [
        {"user_id": "ann", "messages": MESSAGES},
        {"user_id": "bob", "messages_display": "User: hi\n"},
    ]
    ann, bob = read_examples(entries)
    assert ann.text.splitlines() == [
        "User: where is #7?",
        'Assistant calls get_order: {"order_id": "#7"}',
        "Tool: pending",
        "Assistant: It is pending.",
    ]
    assert bob == Example("bob", "User: hi")


@pytest.mark.parametrize(
    "data",
    [
        {},
        [1],
        [{"messages": []}],
        [{"user_id": "a"}],
        [{"user_id": "a", "messages": ["hi"]}],
        [{"user_id": "a", "messages": [{"role": "user", "content": [["hi"]]}]}],
        [{"user_id": "a", "messages": [{"role": "assistant", "tool_calls": [{}]}]}],
    ],
)
def test_data_that_is_no_examples_says_what_was_expected(data: object) -> None:
    with pytest.raises(ExampleError, match="expected a list of examples"):
        read_examples(data)


def test_without_examples_the_run_stops(chat_server: ChatServer) -> None:
    with pytest.raises(FatalError, match="example"):
        make_few_shot(agent_context(chat_server.url))


def test_a_task_without_an_example_of_others_is_that_tasks_fault(chat_server: ChatServer) -> None:
    with pytest.raises(InfrastructureError, match="no example") as raised:
        make_few_shot(agent_context(chat_server.url, examples=[]))
    assert raised.value.source == "task"
