"""The OpenAI client against a real server on loopback: what it reads, and where it asks."""

from __future__ import annotations

from typing import Any

import chat_server as wire
import pytest
from chat_question import TOOL, ask
from chat_server import ChatServer

from pytest_taubench.errors import (
    FatalError,
)
from pytest_taubench.llm.endpoint import Endpoint
from pytest_taubench.llm.openai_chat import OpenAIChatModel
from pytest_taubench.llm.prices import Price
from pytest_taubench.schema import ModelSettings, Usage


def test_text_reply_and_its_usage_are_read(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.text("Grüße, 東京 🚀"))
    reply = ask(chat_server)
    assert reply.text == "Grüße, 東京 🚀"
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(calls=1, input_tokens=100, output_tokens=10, cached_tokens=60)


def test_parallel_calls_are_all_read_in_order(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.tool_calls(("a", {"x": 1}), ("b", {}), content="one moment"))
    message = ask(chat_server, tools=[TOOL]).message
    assert [call.function.name for call in message.tool_calls or []] == ["a", "b"]
    assert message.content == "one moment"


def test_arguments_that_are_no_json_are_kept_as_sent(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.tool_calls(("a", '{"order_id": #W1')))
    message = ask(chat_server).message
    assert message.tool_calls is not None
    assert message.tool_calls[0].function.arguments == '{"order_id": #W1'


@pytest.mark.parametrize(
    ("sent", "read"), [({"x": 1}, '{"x": 1}'), (None, "{}"), ("", "{}")], ids=str
)
def test_arguments_in_other_dialects_become_json_text(
    chat_server: ChatServer, sent: Any, read: str
) -> None:
    call = {"function": {"name": "a", "arguments": sent}}
    chat_server.answer_with(wire.completion({"role": "assistant", "tool_calls": [call, call]}))
    calls = ask(chat_server).message.tool_calls or []
    assert [call.function.arguments for call in calls] == [read, read]
    assert len({call.id for call in calls}) == 2


def test_content_none_is_a_reply_without_text(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.text(None))
    reply = ask(chat_server)
    assert reply.message.content is None
    assert reply.text == ""


def test_missing_usage_is_unknown_and_stops_nothing(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.text("hi", usage=None))
    assert ask(chat_server).usage is None


def test_a_reply_of_a_megabyte_arrives_whole(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.text("é" * 500_000))
    assert ask(chat_server).text == "é" * 500_000


def test_reasoning_is_kept_apart_from_the_text(chat_server: ChatServer) -> None:
    chat_server.answer_with(
        wire.completion({"role": "assistant", "content": "hi", "reasoning_content": "be polite"})
    )
    message = ask(chat_server).message
    assert (message.content, message.thought) == ("hi", "be polite")
    assert "thought" not in message.as_openai()


def test_a_local_server_needs_no_key(chat_server: ChatServer) -> None:
    assert ask(chat_server, key=None).text == "ok"


def test_without_key_and_address_the_run_stops_with_what_to_set() -> None:
    with pytest.raises(FatalError, match=r"OPENAI_API_KEY.*--tau-base-url"):
        Endpoint.of(ModelSettings(name="m"), environ={}).client()


def test_endpoint_comes_from_settings_then_environment() -> None:
    environ = {"OPENAI_BASE_URL": "http://env/v1", "OPENAI_API_KEY": "k"}
    assert Endpoint.of(ModelSettings(), environ).base_url == "http://env/v1"
    own = Endpoint.of(ModelSettings(base_url="http://own/v1"), environ)
    assert (own.base_url, own.api_key) == ("http://own/v1", "k")


def test_no_message_shows_key_or_password() -> None:
    endpoint = Endpoint("http://me:pass@host:1/v1?token=t", "sk-secret")
    assert str(endpoint) == "http://host:1/v1"
    assert "sk-secret" not in repr(endpoint)


def test_a_call_is_priced(chat_server: ChatServer) -> None:
    def pricer(usage: Usage, model: str, base_url: str | None) -> Price:
        return Price(input=usage.input_tokens * 0.5, output=usage.output_tokens * 2.0, total=71.0)

    usage = ask(chat_server, pricer=pricer).usage
    assert usage is not None
    # 100 tokens sent, 10 received; the maker may charge the call for more than its tokens.
    assert (usage.input_cost, usage.output_cost, usage.cost) == (50.0, 20.0, 71.0)


def test_a_model_without_a_name_says_which_option_is_missing() -> None:
    with pytest.raises(FatalError, match="--tau-agent-model"):
        OpenAIChatModel(ModelSettings())


def test_openai_is_imported_only_when_a_call_is_made() -> None:
    import subprocess
    import sys

    code = (
        "import sys; import pytest_taubench.llm.provider; "
        "sys.exit('openai' in sys.modules or 'genai_prices' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
