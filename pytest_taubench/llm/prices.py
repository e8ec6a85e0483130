"""The price of a call, from the optional ``genai-prices`` package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from pytest_taubench.schema import Usage

PRICES_MISSING = (
    "the prices of models are the extra 'prices', which is not installed: "
    "pip install 'pytest-taubench[prices]'"
)


@dataclass(frozen=True)
class Price:
    """What one call costs, in US dollars.

    Attributes:
        input: For the tokens sent.
        output: For the tokens received.
        total: For both, and for whatever else the maker charges a call for.
    """

    input: float
    output: float
    total: float


Pricer = Callable[[Usage, str, str | None], Price | None]
"""From usage, model name and base URL to a price, or None where it is unknown."""


def with_cost(usage: Usage, price: Price | None) -> Usage:
    """Return the usage of a call with what it cost."""
    if price is None:
        return usage.model_copy(update={"cost": None, "input_cost": None, "output_cost": None})
    costs = {"cost": price.total, "input_cost": price.input, "output_cost": price.output}
    return usage.model_copy(update=costs)


def is_installed() -> bool:
    """Return whether there are prices at all."""
    return find_spec("genai_prices") is not None


def is_known(model: str, base_url: str | None = None) -> bool:
    """Return whether a model's calls have a price."""
    return price(Usage(calls=1, input_tokens=1, output_tokens=1), model, base_url) is not None


def why_unknown(model: str) -> str:
    """Return why a model's calls have no price.

    Args:
        model: Whose model it is, and where, for the message.
    """
    if not is_installed():
        return PRICES_MISSING
    return f"no price is known of {model} (prices go by model and address)"


def price(usage: Usage, model: str, base_url: str | None = None) -> Price | None:
    """Return the price of one call, or None where the package or its price is missing.

    A model served from some other address than its maker's has a price of its own, so the address
    decides where there is one: a model named ``gpt-4o`` on a local server has no known price.
    """
    try:
        from genai_prices import Usage as PricedUsage
        from genai_prices import calc_price
    except ImportError:
        return None
    priced = PricedUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
    )
    try:
        if base_url is None:
            result = calc_price(priced, model, provider_id="openai")
        else:
            result = calc_price(priced, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
    return Price(*map(float, (result.input_price, result.output_price, result.total_price)))
