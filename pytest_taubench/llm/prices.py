"""The price of a call, from the optional ``genai-prices`` package."""

from __future__ import annotations

from collections.abc import Callable

from pytest_taubench.schema import Usage

Pricer = Callable[[Usage, str, str | None], float | None]
"""From usage, model name and base URL to US dollars, or None where the price is unknown."""


def price(usage: Usage, model: str, base_url: str | None = None) -> float | None:
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
    return float(result.total_price)
