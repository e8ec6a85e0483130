"""What the first call of a process would import, imported before the clock of any trial runs."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

from pytest_taubench.errors import FatalError
from pytest_taubench.llm.endpoint import Endpoint
from pytest_taubench.llm.prices import is_known

_AT_FIRST_REQUEST = ("anyio._backends._asyncio", "h11")


def import_client() -> None:
    """Import the client of endpoints, its connections and the prices.

    On a busy machine that takes seconds, over which no event loop goes on: inside a trial they
    would be the agent's, and what is left of its limit no measure of an endpoint that hangs.
    """
    with suppress(FatalError):  # what no client can be made of, a trial says of its own endpoint
        Endpoint("http://127.0.0.1:9/v1", None).client()
    is_known("gpt-4o")
    for name in _AT_FIRST_REQUEST:
        with suppress(ImportError):  # other versions of the client connect by other means
            import_module(name)
