"""The OpenAI client against a real server on loopback that does what real endpoints do."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import chat_server as wire
import pytest
from chat_server import ChatServer

from pytest_taubench.errors import (
    ContextLengthError,
    EndpointFailedError,
    FatalError,
    InfrastructureError,
    TauBenchError,
)
from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.llm.endpoint import Endpoint
from pytest_taubench.llm.openai_chat import OpenAIChatModel
from pytest_taubench.llm.prices import Price
from pytest_taubench.llm.retry import Backoff
from pytest_taubench.schema import ModelSettings, Usage

HELLO = [{"role": "user", "content": "hello"}]
TOOL = {
    "type": "function",
    "function": {"name": "get_order", "description": "Gets.", "parameters": {"type": "object"}},
}


class Waits:
    """Stands in for sleep: notes the seconds and goes on at once."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def ask(
    server: ChatServer,
    *,
    times: int = 1,
    tools: list[dict[str, Any]] | None = None,
    args: dict[str, Any] | None = None,
    timeout: float = 5.0,
    waits: Waits | None = None,
    attempts: int = 4,
    key: str | None = "sk-secret",
    **model_options: Any,
) -> ChatReply:
    """Ask the server's model for a reply, the given number of times, and return the last."""

    async def run() -> ChatReply:
        model = OpenAIChatModel(
            ModelSettings(name="test-model", args=args or {}),
            endpoint=Endpoint(server.url, key, timeout),
            backoff=Backoff(attempts=attempts, random=random.Random(1), sleep=waits or Waits()),
            **model_options,
        )
        try:
            for _ in range(times):
                reply = await model.complete(HELLO, tools)
            return reply
        finally:
            await model.close()

    return asyncio.run(run())


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


@pytest.mark.parametrize(
    "fault",
    [
        wire.rate_limited(),
        wire.server_error(),
        wire.error(503, "overloaded"),
        wire.error(408, "timeout"),
        wire.cut_connection(),
        wire.truncated_body(),
        wire.hang(30),
        wire.completion({"role": "assistant"}, choices=[]),
        wire.Response(b'{"choices": [{"message": {"content": "ha'),
        wire.Response(b"<html>bad gateway</html>"),
        wire.Response(b'{"error": {"message": "provider overloaded", "code": 502}}'),
        wire.Response(b"[]"),
        wire.Response(b""),
    ],
    ids=lambda fault: f"{fault.status}-{fault.cut or fault.body[:16].decode()}",
)
def test_a_passing_fault_is_tried_again(chat_server: ChatServer, fault: wire.Response) -> None:
    times = 1 if fault.hang else 2
    chat_server.answer_with(*[fault] * times, wire.text("here again"))
    timeout = 0.3 if fault.hang else 5.0
    assert ask(chat_server, timeout=timeout).text == "here again"
    assert len(chat_server.requests) == times + 1


def test_an_endpoint_that_hangs_is_asked_only_twice(chat_server: ChatServer) -> None:
    chat_server.answer_with(*[wire.hang(30)] * 9)
    with pytest.raises(EndpointFailedError, match=r"tried 2 times.* no answer within 0\.2 s"):
        ask(chat_server, timeout=0.2)
    assert len(chat_server.requests) == 2


@pytest.mark.parametrize(
    ("role", "named"),
    [
        ("agent", "the agent's model test-model"),
        ("agent-sdk", "the agent's model test-model"),
        ("user", "the user's model test-model"),
        ("judge", "the judge's model test-model"),
    ],
)
@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_failure_names_the_role_whose_model_it_is(
    chat_server: ChatServer, role: str, named: str, status: int
) -> None:
    chat_server.behave = lambda messages, tools: wire.error(status, "no")
    with pytest.raises(TauBenchError) as caught:
        ask(chat_server, role=role)
    assert str(caught.value).startswith(f"{named} at http://127.0.0.1:")


@pytest.mark.parametrize(
    "fault", [wire.rate_limited(), wire.server_error(), wire.cut_connection(), wire.Response(b"[]")]
)
def test_a_lasting_fault_is_infrastructure_not_the_agent(
    chat_server: ChatServer, fault: wire.Response
) -> None:
    chat_server.answer_with(*[fault] * 9)
    with pytest.raises(InfrastructureError, match="tried 4 times") as caught:
        ask(chat_server)
    assert caught.value.source == "model"
    assert len(chat_server.requests) == 4


def test_retry_after_is_honoured(chat_server: ChatServer) -> None:
    waits = Waits()
    chat_server.answer_with(wire.rate_limited("7"), wire.text("ok"))
    ask(chat_server, waits=waits)
    assert len(waits.seconds) == 1
    assert 7 <= waits.seconds[0] <= 8


def test_an_excessive_retry_after_is_bounded(chat_server: ChatServer) -> None:
    waits = Waits()
    chat_server.answer_with(wire.rate_limited("86400"), wire.text("ok"))
    ask(chat_server, waits=waits)
    assert waits.seconds == [60.0]


@pytest.mark.parametrize(
    ("status", "message", "says"),
    [
        (401, "Incorrect API key provided: sk-secret", "OPENAI_API_KEY"),
        (403, "Country not supported", "OPENAI_API_KEY"),
        (404, "The model `test-model` does not exist", "model's name"),
        (400, "model `test-model` not found, try pulling it first", "model's name"),
        (429, "insufficient_quota: check your plan", "account"),
    ],
)
def test_what_no_call_can_overcome_stops_the_run_at_once(
    chat_server: ChatServer, status: int, message: str, says: str
) -> None:
    chat_server.answer_with(wire.error(status, message))
    with pytest.raises(FatalError, match=says) as caught:
        ask(chat_server)
    assert len(chat_server.requests) == 1
    assert "sk-secret" not in str(caught.value)
    assert "test-model" in str(caught.value)


def test_another_bad_request_is_not_tried_again(chat_server: ChatServer) -> None:
    chat_server.answer_with(wire.error(400, "messages.3: invalid value"))
    with pytest.raises(InfrastructureError, match=r"messages\.3"):
        ask(chat_server)
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        wire.context_length(),
        wire.error(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        wire.error(500, "Requested tokens (4101) exceed context window of 4096"),
        wire.error(413, "the request exceeds the available context size"),
    ],
    ids=lambda refusal: str(refusal.status),
)
def test_a_conversation_too_long_is_the_agents_own_fault(
    chat_server: ChatServer, refusal: wire.Response
) -> None:
    chat_server.answer_with(refusal)
    with pytest.raises(ContextLengthError):
        ask(chat_server)
    assert len(chat_server.requests) == 1


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
