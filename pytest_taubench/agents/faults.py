"""Whose fault an exception in an agent is: its own, or that of an endpoint it calls."""

from __future__ import annotations

_STATUSES = frozenset({408, 409, 425, 429})
_NAMES = frozenset(
    {
        "APIConnectionError",
        "APITimeoutError",
        "ConnectError",
        "ConnectTimeout",
        "InternalServerError",
        "OverloadedError",
        "PoolTimeout",
        "RateLimitError",
        "ReadError",
        "ReadTimeout",
        "RemoteProtocolError",
        "ServiceUnavailableError",
        "WriteError",
    }
)


def is_infrastructure(error: BaseException) -> bool:
    """Return True for an endpoint that is down, overloaded or limits the rate.

    Agents bring their own SDK, so the exception is known by its HTTP status or by the names
    that the common SDKs share; none of them is imported for it.
    """
    status = getattr(error, "status_code", None) or getattr(error, "status", None)
    if isinstance(status, int):
        return status in _STATUSES or 500 <= status < 600
    if isinstance(error, (ConnectionError, TimeoutError)):
        return True
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & _NAMES)
