"""Whose fault an exception in code with a model SDK of its own is: its own, or the endpoint's."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_taubench.errors import (
    EndpointDownError,
    EndpointFailedError,
    InfrastructureError,
    text_of,
)

# A refused key or an empty account says nothing of what the agent can do, either.
_STATUSES = frozenset({401, 402, 408, 409, 425, 429})
_NO_CONNECTION = frozenset(
    {
        "ClientConnectorError",
        "ConnectError",
        "ConnectTimeout",
        "ConnectionRefusedError",
        "NewConnectionError",
        "gaierror",
    }
)
_NAMES = _NO_CONNECTION | frozenset(
    {
        "APIConnectionError",
        "APITimeoutError",
        "ChunkedEncodingError",
        "ClientConnectionError",
        "ClientPayloadError",
        "ConnectionError",
        "IncompleteRead",
        "InternalServerError",
        "OverloadedError",
        "PoolTimeout",
        "RateLimitError",
        "ReadError",
        "ReadTimeout",
        "RemoteProtocolError",
        "ServiceUnavailableError",
        "Timeout",
        "URLError",
        "WriteError",
        "WriteTimeout",
    }
)


def endpoint_fault(error: BaseException, whose: str) -> EndpointFailedError | None:
    """Return what to raise for an endpoint that is down, overloaded or limits the rate.

    Agents bring their own SDK, so the exception is known by its HTTP status or by the names
    that the common SDKs share; none of them is imported for it. What a framework raises from
    such an exception counts as that exception does.

    Args:
        error: What the agent raised.
        whose: Whose endpoint it is, for the message.

    Returns:
        None where the exception is the agent's own.
    """
    chain = list(_reasons(error))
    if not any(_is_infrastructure(each) for each in _up_to_status(chain)):
        return None
    says = f"{whose} endpoint failed: {text_of(error)}"
    if (root := text_of(chain[-1])) not in says:
        says += f" ({root})"
    down = any(_names(each) & _NO_CONNECTION for each in _up_to_status(chain))
    return EndpointDownError(says) if down else EndpointFailedError(says)


def _reasons(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and what it says it comes from, the nearest first."""
    seen: set[int] = set()
    reason: object = error
    while isinstance(reason, BaseException) and id(reason) not in seen:
        seen.add(id(reason))
        yield reason
        # urllib and requests keep theirs in an attribute, and as the first argument.
        told = (reason.__cause__, getattr(reason, "reason", None), *reason.args[:1])
        reason = next((each for each in told if isinstance(each, BaseException)), None)


def _up_to_status(chain: list[BaseException]) -> Iterator[BaseException]:
    """Yield the exceptions up to the first with an HTTP status, which decides."""
    for each in chain:
        yield each
        if _status(each) is not None:
            return


def _is_infrastructure(error: BaseException) -> bool:
    status = _status(error)
    if status is not None:
        return status in _STATUSES or status >= 500
    if isinstance(error, (ConnectionError, TimeoutError)):
        return True
    return isinstance(error, InfrastructureError) or bool(_names(error) & _NAMES)


def _status(error: BaseException) -> int | None:
    """Return the HTTP status an exception carries, by any of the names in use."""
    response = getattr(error, "response", None)
    held = ((error, "status_code"), (error, "status"), (error, "code"), (response, "status_code"))
    statuses = (getattr(each, name, None) for each, name in held)
    return next((s for s in statuses if isinstance(s, int) and 400 <= s < 600), None)


def _names(error: BaseException) -> set[str]:
    names = {cls.__name__ for cls in type(error).__mro__}
    return names | ({"ConnectError"} if isinstance(error, EndpointDownError) else set())
