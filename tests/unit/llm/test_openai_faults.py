"""Where an endpoint fails: the client asks again, gives up, or says whose fault it is."""

from __future__ import annotations

import gzip

import chat_server as wire
import pytest
from chat_question import Waits, ask
from chat_server import ChatServer

from pytest_taubench.errors import (
    ContextLengthError,
    EndpointFailedError,
    FatalError,
    InfrastructureError,
    TauBenchError,
)


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
    timeout = 1.0 if fault.hang else 5.0
    assert ask(chat_server, timeout=timeout).text == "here again"
    assert len(chat_server.requests) == times + 1


def test_an_endpoint_that_hangs_is_asked_only_twice(chat_server: ChatServer) -> None:
    chat_server.answer_with(*[wire.hang(30)] * 9)
    with pytest.raises(EndpointFailedError, match=r"tried 2 times.* no answer within 0\.2 s"):
        ask(chat_server, timeout=0.2)
    assert len(chat_server.requests) == 2


LONG = wire.text("x" * (16 * 2**20)).body


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_longer_than_any_model_writes_is_given_up_and_not_read_to_its_end(
    chat_server: ChatServer, status: int, packed: bool
) -> None:
    body = gzip.compress(LONG) if packed else LONG
    headers = {"Content-Encoding": "gzip"} if packed else {}
    chat_server.behave = lambda messages, tools: wire.Response(body, status, headers)
    with pytest.raises(EndpointFailedError, match="the answer is longer than 16 MiB"):
        ask(chat_server)


@pytest.mark.parametrize("packing", ["gzip, gzip", "br", "gzip,gzip,gzip"])
def test_an_answer_packed_as_nobody_asked_is_not_unpacked(
    chat_server: ChatServer, packing: str
) -> None:
    packed = wire.Response(
        gzip.compress(gzip.compress(LONG)), headers={"Content-Encoding": packing}
    )
    chat_server.behave = lambda messages, tools: packed
    with pytest.raises(EndpointFailedError, match=r"packed as '.*', where gzip was asked for"):
        ask(chat_server)
    assert {headers["Accept-Encoding"] for headers in chat_server.headers} == {"gzip"}


def test_an_answer_that_is_no_gzip_though_it_says_so_is_an_endpoint_that_failed(
    chat_server: ChatServer,
) -> None:
    plain = wire.Response(wire.text("ok").body, headers={"Content-Encoding": "gzip"})
    chat_server.behave = lambda messages, tools: plain
    with pytest.raises(EndpointFailedError, match="the answer is no gzip"):
        ask(chat_server)


def test_a_long_answer_of_a_million_characters_is_read_packed_or_not(
    chat_server: ChatServer,
) -> None:
    body = wire.text("x" * 10**6).body
    packed = wire.Response(gzip.compress(body), headers={"Content-Encoding": "gzip"})
    chat_server.answer_with(wire.Response(body), packed)
    assert [len(ask(chat_server).text or "") for _ in range(2)] == [10**6, 10**6]


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
        wire.error(
            400,
            "This model's maximum prompt length is 131072 but the request contains 160000 tokens.",
        ),
        wire.error(400, "ValidationException: Input is too long for requested model."),
        wire.error(
            400, "The decoder prompt (length 9001) is longer than the maximum model length of 8192"
        ),
        wire.error(
            400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"
        ),
        wire.error(400, "Please reduce the length of the messages or completion."),
        wire.error(
            422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097"
        ),
    ],
    ids=lambda refusal: refusal.body[:60].decode(),
)
def test_a_conversation_too_long_is_the_agents_own_fault(
    chat_server: ChatServer, refusal: wire.Response
) -> None:
    chat_server.answer_with(refusal)
    with pytest.raises(ContextLengthError):
        ask(chat_server)
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("key", ["x", "context", "length"])
def test_a_key_that_is_part_of_what_a_server_says_does_not_change_what_it_means(
    chat_server: ChatServer, key: str
) -> None:
    chat_server.answer_with(wire.context_length())
    with pytest.raises(ContextLengthError) as caught:
        ask(chat_server, key=key)
    assert f" {key} " not in str(caught.value)
