"""The client that connections to models are made with: no answer is read without an end.

To be imported when a model is asked, since it loads the openai package.
"""

from __future__ import annotations

import zlib
from typing import Any

from openai import DefaultAsyncHttpxClient

MOST_BYTES = 16 * 2**20
"""The longest answer that is read, in bytes after decompression: tens of what a model can write."""


class AnswerNotReadError(Exception):
    """An answer is too long, or packed as nobody asked; what is left of it is not read."""


class BoundedClient(DefaultAsyncHttpxClient):
    """A client that gives up an answer which goes on and on, compressed or not."""

    async def send(self, request: Any, **settings: Any) -> Any:
        """Send a request and read its answer.

        Raises:
            AnswerNotReadError: The answer is too long, or packed in another way than asked for.
        """
        request.headers["Accept-Encoding"] = "gzip"
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
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity", "gzip"):
        raise AnswerNotReadError(
            f"the answer is packed as {packing!r:.40}, where gzip was asked for"
        )
    # Unpacked here: the client unpacks all that has come in one go, a gigabyte of a megabyte.
    gzip = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS) if packing == "gzip" else None
    body = bytearray()
    async for part in response.aiter_raw():
        try:
            body += gzip.decompress(part, MOST_BYTES + 1 - len(body)) if gzip else part
        except zlib.error as error:
            raise AnswerNotReadError(f"the answer is no gzip: {error}") from None
        if len(body) > MOST_BYTES:
            raise AnswerNotReadError(f"the answer is longer than {MOST_BYTES // 2**20} MiB")
    return bytes(body)
