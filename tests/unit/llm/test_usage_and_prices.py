"""Sums of usage, and prices where they are known."""

from __future__ import annotations

import sys

import pytest

from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.llm.prices import price
from pytest_taubench.llm.usage import UsageTally, add_usage
from pytest_taubench.schema import Message, Usage


def test_calls_add_up() -> None:
    tally = UsageTally()
    for cost in (0.25, 0.5):
        usage = Usage(calls=1, input_tokens=10, output_tokens=2, cached_tokens=4, cost=cost)
        tally.add(ChatReply(Message(role="assistant"), usage, "m"))
    assert tally.total() == Usage(
        calls=2, input_tokens=20, output_tokens=4, cached_tokens=8, cost=0.75
    )


def test_a_call_of_unknown_use_makes_the_sum_partial() -> None:
    total = add_usage([Usage(calls=1, input_tokens=10, cost=0.1), None])
    assert total == Usage(calls=2, input_tokens=10, cost=None, complete=False)


def test_no_calls_have_no_cost() -> None:
    assert add_usage([]) == Usage(calls=0, cost=None, complete=True)


def test_a_known_model_has_the_price_of_its_maker() -> None:
    pytest.importorskip("genai_prices", reason="needs the extra 'prices'")
    million = Usage(calls=1, input_tokens=1_000_000, output_tokens=1_000_000)
    # Published: $2.50 for a million input tokens, $10 for a million output tokens.
    assert price(million, "gpt-4o") == pytest.approx(12.5)


@pytest.mark.parametrize(
    ("model", "base_url"), [("no-such-model", None), ("gpt-4o", "http://127.0.0.1:8000/v1")]
)
def test_an_unknown_price_is_none_and_no_error(model: str, base_url: str | None) -> None:
    assert price(Usage(calls=1, input_tokens=5), model, base_url) is None


def test_without_the_extra_every_price_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert price(Usage(calls=1, input_tokens=5), "gpt-4o") is None
