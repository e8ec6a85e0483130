"""The function-calling agent: what it sends is stable, what it gets is returned as it is."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

from chat_server import ChatServer, text, tool_calls
from small_shop import POLICY, Lines, agent_context, play

from pytest_taubench.agents.loading import endpoint_factory
from pytest_taubench.agents.tool_calling import make_tool_calling


def prefix(request: dict[str, Any]) -> str:
    """System prompt and tools as sent, byte by byte."""
    return json.dumps([request["messages"][0], request["tools"]])


def test_the_policy_is_the_system_prompt(chat_server: ChatServer) -> None:
    play(make_tool_calling, chat_server.url)
    assert chat_server.requests[0]["messages"] == [
        {"role": "system", "content": POLICY},
        {"role": "user", "content": "please cancel #1"},
    ]


def test_system_prompt_and_tools_are_the_same_bytes_in_every_turn_and_trial(
    chat_server: ChatServer,
) -> None:
    for order in ("#1", "#2"):
        chat_server.answer_with(tool_calls(("get_order", {"order_id": order})), text("Pending."))
        play(make_tool_calling, chat_server.url, Lines(f"where is {order}?", "thanks"))
    assert len(chat_server.requests) == 6
    assert len({prefix(request) for request in chat_server.requests}) == 1


def test_each_request_only_adds_to_the_one_before(chat_server: ChatServer) -> None:
    chat_server.answer_with(tool_calls(("get_order", {"order_id": "#1"})), text("Pending."))
    play(make_tool_calling, chat_server.url, Lines("where is #1?", "thanks"))
    asked = [request["messages"] for request in chat_server.requests]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(asked))


def test_the_papers_temperature_is_sent(chat_server: ChatServer) -> None:
    play(make_tool_calling, chat_server.url)
    assert chat_server.requests[0]["temperature"] == 0


def test_usage_is_counted_over_the_trial(chat_server: ChatServer) -> None:
    chat_server.answer_with(tool_calls(("get_order", {"order_id": "#1"})), text("Pending."))
    _, agent = play(make_tool_calling, chat_server.url)
    usage = agent.usage()
    assert usage is not None
    assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (
        2,
        200,
        20,
        120,
    )


def test_a_url_is_an_agent_and_its_one_model_is_found(chat_server: ChatServer) -> None:
    chat_server.models = ("served-here",)

    def make(context: Any) -> Any:
        unnamed = context.model.model_copy(update={"name": None})
        return endpoint_factory(chat_server.url)(replace(context, model=unnamed))

    episode, _ = play(make, "http://127.0.0.1:9/not-asked")
    assert chat_server.requests[0]["model"] == "served-here"
    assert episode.told == ["ok"]


def test_no_model_is_made_before_the_first_step(chat_server: ChatServer) -> None:
    make_tool_calling(agent_context(chat_server.url))
    assert chat_server.requests == []


def test_reasoning_in_the_text_becomes_the_thought_and_is_not_sent(chat_server: ChatServer) -> None:
    chat_server.answer_with(
        tool_calls(("get_order", {"order_id": "#1"}), content="<think>look it up</think>"),
        text("<think>secret</think>\n\nPending."),
    )
    episode, _ = play(make_tool_calling, chat_server.url, Lines("where is #1?", "thanks"))
    said = [m for m in episode.trajectory if m.role == "assistant"]
    assert [(m.content, m.thought) for m in said[:2]] == [
        (None, "look it up"),
        ("Pending.", "secret"),
    ]
    assert "secret" not in json.dumps(chat_server.requests)
