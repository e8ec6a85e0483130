"""Which sampling settings reach the endpoint, and what a refusal of one means."""

from __future__ import annotations

import chat_server as wire
import pytest
from chat_question import ask
from chat_server import ChatServer

from pytest_taubench.errors import (
    ContextLengthError,
    FatalError,
)


def test_sampling_settings_are_sent_only_when_set(chat_server: ChatServer) -> None:
    ask(chat_server)
    assert set(chat_server.requests[0]) == {"model", "messages"}


def test_any_setting_passes_through(chat_server: ChatServer) -> None:
    ask(chat_server, args={"temperature": 0.3, "min_p": 0.1, "reasoning_effort": "low"})
    sent = chat_server.requests[0]
    assert (sent["temperature"], sent["min_p"], sent["reasoning_effort"]) == (0.3, 0.1, "low")


def test_a_default_that_the_model_refuses_is_dropped_and_stays_dropped(
    chat_server: ChatServer,
) -> None:
    chat_server.answer_with(
        wire.error(400, "Unsupported value: 'temperature' does not support 0 with this model.")
    )
    refused: set[str] = set()
    ask(chat_server, defaults={"temperature": 0}, refused=refused)
    ask(chat_server, defaults={"temperature": 0}, refused=refused)
    assert ["temperature" in request for request in chat_server.requests] == [True, False, False]


def test_a_refused_setting_of_the_users_own_is_said_not_dropped(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.error(400, "Unsupported value: 'temperature' does not support 0"))
    with pytest.raises(FatalError, match="temperature"):
        ask(chat_server, defaults={"temperature": 0}, args={"temperature": 0})


TOO_LARGE = "max_tokens is too large: {}. This model's maximum context length is 8192 tokens."


@pytest.mark.parametrize("asked", [100_000, 8000])
def test_a_setting_too_large_for_the_context_is_the_settings_fault(
    chat_server: ChatServer, asked: int
) -> None:
    chat_server.answer_with(wire.error(400, TOO_LARGE.format(asked)))
    with pytest.raises(FatalError, match="set otherwise: max_tokens"):
        ask(chat_server, args={"max_tokens": asked})


def test_a_conversation_that_leaves_no_room_for_a_small_setting_is_too_long(
    chat_server: ChatServer,
) -> None:
    chat_server.answer_with(wire.error(400, TOO_LARGE.format(500)))
    with pytest.raises(ContextLengthError):
        ask(chat_server, args={"max_tokens": 500})


def test_a_servers_own_fault_that_speaks_of_a_context_is_tried_again(
    chat_server: ChatServer,
) -> None:
    chat_server.answer_with(wire.error(500, "failed to allocate the context window"))
    assert ask(chat_server).text == "ok"


def test_a_key_refused_with_400_stops_the_run(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.error(400, "API key not valid. Please pass a valid API key."))
    with pytest.raises(FatalError, match="check OPENAI_API_KEY"):
        ask(chat_server)


def test_a_setting_wins_over_the_default(chat_server: ChatServer) -> None:
    ask(chat_server, defaults={"temperature": 0}, args={"temperature": 0.7})
    assert chat_server.requests[0]["temperature"] == 0.7


def test_a_setting_that_would_replace_a_part_of_the_request_is_refused(
    chat_server: ChatServer,
) -> None:
    with pytest.raises(FatalError, match="model, stream cannot be set"):
        ask(chat_server, args={"model": "other", "top_p": 1, "stream": True})
    assert chat_server.requests == []
