"""Which model an endpoint serves, where nobody named one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_taubench.errors import FatalError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

UNNAMED = "default"
"""Sent to an endpoint that lists no models: an agent behind HTTP, say, for which the name means nothing."""


async def served_model(client: AsyncOpenAI) -> str:
    """Return the name of the one model the endpoint lists.

    Raises:
        FatalError: It lists several; which one is meant must not be guessed.
        openai.APIError: It could not be asked.
    """
    import openai

    try:
        response = await client.models.with_raw_response.list()
    except openai.APIStatusError as error:
        if error.status_code in (404, 405, 501):
            return UNNAMED
        raise
    names = _names(str(response.http_response.text))
    if len(names) > 1:
        shown = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        raise FatalError(f"the endpoint serves several models, so name one: {shown}")
    return names[0] if names else UNNAMED


def _names(body: str) -> list[str]:
    try:
        listed = json.loads(body)["data"]
        return [str(model["id"]) for model in listed]
    except (ValueError, TypeError, KeyError):
        return []
