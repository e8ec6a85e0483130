"""What endpoints do to models, through pytest to the record: faults that pass, and that last."""

from __future__ import annotations

import json
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
from small_shop import at_once

from pytest_taubench.llm import wiring
from pytest_taubench.llm.provider import OpenAIModels
from pytest_taubench.llm.retry import Backoff

if TYPE_CHECKING:
    from conftest import Shop

ATTEMPTS = 2


@pytest.fixture
def endpoint(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> ChatServer:
    """The server, asked by clients that wait at most a second for a reply and not between two."""

    def impatient(**given: Any) -> OpenAIModels:
        backoff = Backoff(attempts=ATTEMPTS, sleep=at_once)
        return OpenAIModels(**given | {"timeout": 1.0, "backoff": backoff})

    monkeypatch.setattr(wiring, "OpenAIModels", impatient)
    return chat_server


WEATHER = {
    "429": wire.rate_limited("0.1"),
    "500": wire.server_error(),
    "hang": wire.hang(30),
    "cut": wire.cut_connection(),
    "truncated": wire.truncated_body(),
    "no choices": wire.completion({"role": "assistant"}, choices=[]),
}


@pytest.mark.parametrize("model", [AGENT, USER])
@pytest.mark.parametrize("fault", WEATHER.values(), ids=WEATHER)
def test_a_fault_of_the_endpoint_that_passes_costs_no_trial(
    shop: Shop, endpoint: ChatServer, model: str, fault: wire.Response
) -> None:
    endpoint.answer_with(fault, model=model)  # of the user, that is its very first message
    user_says(endpoint, "Cancel A1.", "###STOP###")
    agent_does(endpoint, wire.tool_calls(CANCEL), wire.text("Done."))
    record = play_one(shop, endpoint)
    assert (record.outcome, record.reward, record.error) == ("scored", 1.0, None)
    assert [m.content for m in record.trajectory if m.role == "user"] == ["Cancel A1."]
    assert (len(endpoint.asked(AGENT)), len(endpoint.asked(USER))) == (
        (3, 2) if model == AGENT else (2, 3)
    )


@pytest.mark.parametrize("model", [AGENT, USER])
@pytest.mark.parametrize("fault", WEATHER.values(), ids=WEATHER)
def test_a_fault_of_the_endpoint_that_lasts_leaves_the_trial_unscored(
    shop: Shop, endpoint: ChatServer, model: str, fault: wire.Response
) -> None:
    endpoint.answer_with(*[fault] * ATTEMPTS, model=model)
    user_says(endpoint, "Cancel A1.")
    record = play_one(shop, endpoint)
    assert (record.outcome, record.ending, record.reward) == ("unscored", "model_error", None)
    assert record.error is not None
    assert f"{model} at" in record.error.message
    assert f"tried {ATTEMPTS} times" in record.error.message
    assert len(endpoint.asked(model)) == ATTEMPTS


@pytest.mark.parametrize("model", [AGENT, USER])
def test_a_rate_limit_at_a_trials_start_leaves_that_trial_unscored_and_the_others_scored(
    shop: Shop, endpoint: ChatServer, model: str
) -> None:
    shop.many_tasks(3)
    shop.tasks(CANCELLING.replace("order A1", "order A1 in the storm"), "tasks/storm.tau.yaml")

    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        asked = AGENT if tools else USER
        stormy = "storm" in json.dumps(messages[:2])  # the user's instruction, or its opening
        if stormy and asked == model:
            return wire.rate_limited()
        if asked == AGENT:
            return "Done." if messages[-1]["role"] == "tool" else wire.tool_calls(CANCEL)
        opening = "Cancel A1, storm or not." if stormy else "Cancel A1."
        return "###STOP###" if len(messages) > 2 else opening

    endpoint.behave = behave
    shop.run(*args_of(endpoint))
    outcomes = {r.task_id: (r.outcome, r.ending, r.reward) for r in shop.records()}
    assert outcomes.pop("cancel") == ("unscored", "model_error", None)
    assert outcomes == {f"t{n}": ("scored", "user_stop", 1.0) for n in range(3)}


STRANGE = 'Grüße, 東京 🚀\u2028"\\ \x07 ‮rtl'


def test_unicode_reaches_user_tool_and_record_as_it_is(shop: Shop, endpoint: ChatServer) -> None:
    user_says(endpoint, STRANGE, "###STOP###")
    call = ("cancel_order", {"order_id": STRANGE})
    agent_does(endpoint, wire.tool_calls(call), wire.text(f"{STRANGE}!"))
    record = play_one(shop, endpoint)
    assert record.outcome == "scored"
    assert [m.content for m in record.trajectory if m.role != "tool"][::2] == [
        STRANGE,
        STRANGE + "!",
    ]
    assert record.actions[0].arguments == {"order_id": STRANGE}
    assert tool_answers(record) == [f"Error: order {STRANGE} not found"]
    assert endpoint.asked(USER)[1][-1]["content"] == STRANGE + "!"


def test_a_reply_of_a_megabyte_is_kept_whole(shop: Shop, endpoint: ChatServer) -> None:
    user_says(endpoint, "Cancel A1.", "###STOP###")
    agent_does(endpoint, wire.tool_calls(CANCEL), wire.text("é" * 500_000))
    record = play_one(shop, endpoint)
    assert record.reward == 1.0
    assert record.trajectory[-1].content == "é" * 500_000
    assert endpoint.asked(USER)[1][-1]["content"] == "é" * 500_000


OTHER_FORMATS = {
    b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n': "an event stream",
    b": ping\n\ndata: [DONE]\n\n": "an event stream",
    b"\n<!DOCTYPE html><html><title>Sign in</title></html>": "an HTML page: is the base URL right",
    b"<HTML><body>It works!</body></HTML>": "an HTML page: is the base URL right",
}


@pytest.mark.parametrize(("body", "says"), OTHER_FORMATS.items())
def test_a_stream_or_a_page_in_place_of_a_reply_is_called_so(
    shop: Shop, endpoint: ChatServer, body: bytes, says: str
) -> None:
    endpoint.answer_with(*[wire.Response(body)] * ATTEMPTS, model=AGENT)
    user_says(endpoint, "Cancel A1.")
    record = play_one(shop, endpoint)
    assert (record.outcome, record.ending) == ("unscored", "model_error")
    assert record.error is not None
    assert f"the server answers with {says}" in record.error.message
