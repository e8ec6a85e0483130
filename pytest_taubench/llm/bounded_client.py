"""The client that connections to models are made with: no answer is read without an end.

To be imported when a model is asked, since it loads the openai package.
"""

from __future__ import annotations

from typing import Any

from openai import DefaultAsyncHttpxClient

MOST_BYTES = 16 * 2**20
"""The longest answer that is read, in bytes after decompression: tens of what a model can write."""


class AnswerTooLongError(Exception):
    """An answer had more than ``MOST_BYTES``; what is left of it is not read."""

    def __init__(self) -> None:
        super().__init__(f"the answer is longer than {MOST_BYTES // 2**20} MiB")


class BoundedClient(DefaultAsyncHttpxClient):
    """A client that gives up an answer which goes on and on, compressed or not."""

    async def send(self, request: Any, **settings: Any) -> Any:
        """Send a request and read its answer.

        Raises:
            AnswerTooLongError: The answer is too long.
        """
        response = await super().send(request, **settings | {"stream": True})
        try:
            body = await _read(response)
        finally:
            await response.aclose()
        # What the body went through on its way is undone already.
        left_out = ("content-encoding", "content-length", "transfer-encoding")
        # Of its own class: which library of connections is below differs between versions.
        return type(response)(
            response.status_code,
            headers=[pair for pair in response.headers.multi_items() if pair[0] not in left_out],
            content=body,
            request=response.request,
            extensions=response.extensions,
            history=response.history,
        )


async def _read(response: Any) -> bytes:
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > MOST_BYTES:
            raise AnswerTooLongError
    return bytes(body)
