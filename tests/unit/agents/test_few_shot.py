"""The few-shot agent: examples from a file, never of the task's own user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chat_server import ChatServer
from small_shop import POLICY, agent_context, play

from pytest_taubench.agents.few_shot import (
    Example,
    examples_without,
    load_examples,
    make_few_shot,
)
from pytest_taubench.errors import FatalError

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


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".yaml"])
def test_example_files_hold_openai_messages_or_text(tmp_path: Path, suffix: str) -> None:
    entries = [
        {"user_id": "ann", "messages": MESSAGES},
        {"user_id": "bob", "messages_display": "User: hi\n"},
    ]
    path = tmp_path / f"examples{suffix}"
    lines = [json.dumps(entry) for entry in entries]
    path.write_text("\n".join(lines) if suffix == ".jsonl" else json.dumps(entries))
    ann, bob = load_examples(path)
    assert ann.text.splitlines() == [
        "User: where is #7?",
        'Assistant calls get_order: {"order_id": "#7"}',
        "Tool: pending",
        "Assistant: It is pending.",
    ]
    assert bob == Example("bob", "User: hi")


@pytest.mark.parametrize("content", ["{}", "[1]", '[{"messages": []}]', '[{"user_id": "a"}]', "[{"])
def test_a_wrong_example_file_says_what_was_expected(tmp_path: Path, content: str) -> None:
    path = tmp_path / "examples.json"
    path.write_text(content)
    with pytest.raises(FatalError, match="few-shot examples"):
        load_examples(path)


def test_without_examples_the_run_stops(chat_server: ChatServer) -> None:
    with pytest.raises(FatalError, match="example"):
        make_few_shot(agent_context(chat_server.url))
