"""Half a surrogate pair: what a text holds that was cut inside a character.

Python keeps it, but it can be sent to no model and written to no file in UTF-8.
"""

from __future__ import annotations

from typing import Any


def whole_text(text: str) -> str:
    """Return the text with each half pair as U+FFFD, and pairs as the character they stand for."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def whole_texts(data: Any) -> Any:
    """Return JSON-able data with every text in it whole."""
    if isinstance(data, str):
        return whole_text(data)
    if isinstance(data, dict):
        return {whole_texts(key): whole_texts(value) for key, value in data.items()}
    if isinstance(data, list):
        return [whole_texts(value) for value in data]
    return data
