"""Sums of usage, and prices where they are known."""

from __future__ import annotations

import sys

import pytest

from pytest_taubench.llm.chat import ChatReply, UsageTally, add_usage
from pytest_taubench.llm.prices import price
from pytest_taubench.llm.recording import packed_reply, unpacked_reply
from pytest_taubench.schema import Message, Usage


def test_calls_add_up() -> None:
    tally = UsageTally()
    for cost in (0.25, 0.5):
        usage = Usage(calls=1, input_tokens=10, output_tokens=2, cached_tokens=4, cost=cost)
        usage.input_cost, usage.output_cost = cost / 2, cost / 4
        tally.add(ChatReply(Message(role="assistant"), usage, "m"))
    total = tally.total()
    assert (total.calls, total.input_tokens, total.output_tokens) == (2, 20, 4)
    assert total.cached_tokens == 8
    assert (total.cost, total.input_cost, total.output_cost) == (0.75, 0.375, 0.1875)


def test_a_call_whose_cost_was_recorded_unsplit_leaves_the_split_unknown() -> None:
    split = Usage(calls=1, cost=0.5, input_cost=0.3, output_cost=0.2)
    total = add_usage([split, Usage(calls=1, cost=0.25)])
    assert (total.cost, total.input_cost, total.output_cost) == (0.75, None, None)


def test_a_call_of_unknown_use_makes_the_sum_partial() -> None:
    total = add_usage([Usage(calls=1, input_tokens=10, cost=0.1), None])
    assert total == Usage(calls=2, input_tokens=10, cost=None, complete=False)


def test_no_calls_have_no_cost() -> None:
    assert add_usage([]) == Usage(calls=0, cost=None, complete=True)


def test_a_known_model_has_the_price_of_its_maker() -> None:
    pytest.importorskip("genai_prices", reason="needs the extra 'prices'")
    million = Usage(calls=1, input_tokens=1_000_000, output_tokens=1_000_000)
    # Published: $2.50 for a million input tokens, $10 for a million output tokens.
    found = price(million, "gpt-4o")
    assert found is not None
    assert (found.input, found.output, found.total) == pytest.approx((2.5, 10.0, 12.5))


@pytest.mark.parametrize(
    ("model", "base_url"), [("no-such-model", None), ("gpt-4o", "http://127.0.0.1:8000/v1")]
)
def test_an_unknown_price_is_none_and_no_error(model: str, base_url: str | None) -> None:
    assert price(Usage(calls=1, input_tokens=5), model, base_url) is None


def test_without_the_extra_every_price_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert price(Usage(calls=1, input_tokens=5), "gpt-4o") is None


def test_a_recording_holds_of_usage_only_what_is_known_and_older_ones_are_read() -> None:
    message = Message(role="assistant", content="hello")
    split = Usage(calls=1, input_tokens=10, cost=0.5, input_cost=0.375, output_cost=0.125)
    packed = packed_reply(ChatReply(message, split, "m"))
    assert unpacked_reply(packed).usage == split
    assert "cached_tokens" not in packed["usage"], "it is 0"

    for name in ("input_cost", "output_cost"):
        del packed["usage"][name]
    assert unpacked_reply(packed).usage == Usage(calls=1, input_tokens=10, cost=0.5)
    priceless = packed_reply(ChatReply(message, Usage(calls=1, input_tokens=10), "m"))
    assert priceless["usage"] == {"calls": 1, "input_tokens": 10}
