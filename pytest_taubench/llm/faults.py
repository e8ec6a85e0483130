"""Whose fault a failed model call is: worth another try, the agent's, or the end of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from pytest_taubench.errors import (
    EndpointDownError,
    EndpointFailedError,
    InfrastructureError,
    text_of,
)

Kind = Literal["retry", "context_length", "fatal", "refused"]

# How the servers in use say that the conversation is too long: OpenAI and vLLM, llama.cpp,
# llama-cpp-python, Anthropic's and Google's compatible endpoints, xAI, Bedrock, Groq and TGI.
_CONTEXT_LENGTH = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length"
    r"|context (size|window|length|limit)|maximum (prompt|model) length"
    r"|(prompt|input) is too (long|large)|input token count .{0,200}exceeds"
    r"|reduce the length of the (messages|prompt|input)|inputs?[`'\"]? tokens .{0,40}must be <=",
    re.IGNORECASE,
)
# A server's own fault may speak of a context too; what llama-cpp-python sends as 500 is exact.
_CONTEXT_LENGTH_IN_500 = re.compile(
    r"context_length_exceeded|exceed_context_size|exceeds? (the )?context window of \d+",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"context (?:length|window|size)\D{0,20}(\d+)", re.IGNORECASE)
_BAD_KEY = re.compile(
    r"API[ _]key (is )?(not valid|invalid|expired)|(invalid|incorrect)[ _]API[ _]key"
    r"|API_KEY_INVALID|invalid_api_key",
    re.IGNORECASE,
)
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|(unknown|invalid|no such) model|model\b.{0,80}\b(not found|does not exist)",
    re.IGNORECASE | re.DOTALL,
)
_FILTERED = re.compile(
    r"content[ _-]?(filter|policy|management)|moderation|\bflagged\b|responsible ?ai", re.IGNORECASE
)
_OUT_OF_CREDIT = re.compile(r"insufficient_quota|billing_hard_limit", re.IGNORECASE)
_RETRIED_STATUS = frozenset({408, 429})
_FATAL_STATUS = frozenset({401, 402, 403, 404})


@dataclass(frozen=True)
class Refusal:
    """An error status of an endpoint.

    Attributes:
        status: The HTTP status.
        text: The response's body as it came: a key that is some word must not change what it says.
            To be scrubbed before it is shown.
        headers: The response's headers, with lower-case names.
        answered: The status of the response itself, where it is another.
    """

    status: int
    text: str = field(repr=False)
    headers: Mapping[str, str]
    answered: int | None = None

    @property
    def kind(self) -> Kind:
        """What follows from the refusal."""
        # Before the status: servers send this one as 400, 413 and even 500.
        too_long = _CONTEXT_LENGTH if self.status < 500 else _CONTEXT_LENGTH_IN_500
        if too_long.search(self.text) and self.status not in (401, 403, 404, 429):
            return "context_length"
        if self.status in _FATAL_STATUS or _OUT_OF_CREDIT.search(self.text) or self.refuses_key:
            return "fatal"
        if self.status in _RETRIED_STATUS or self.status >= 500:
            return "retry"
        return "fatal" if _UNKNOWN_MODEL.search(self.text) else "refused"

    @classmethod
    def in_reply(cls, status: int | None, text: str) -> Refusal | None:
        """Return what an error in a response of status 200 stands for, or None where that is open.

        Args:
            status: The status that the error itself names, if any.
            text: The error.
        """
        refusal = cls(status or 400, text, {}, answered=200)
        return refusal if status or refusal.kind != "refused" else None

    @property
    def refuses_key(self) -> bool:
        """True when the key is what is wrong; Google's endpoint says so with a 400."""
        return self.status in (401, 403) or (
            self.status == 400 and bool(_BAD_KEY.search(self.text))
        )

    @property
    def filters_content(self) -> bool:
        """True when it is what the conversation says that is refused."""
        return bool(_FILTERED.search(self.text))

    def blames(self, parameter: str, value: Any) -> bool:
        """True when it is that setting, not the conversation, which is too long for the model.

        A refusal that names both is laid to the one that takes the greater half of the context.
        """
        window = _WINDOW.search(self.text)
        small = isinstance(value, int) and window is not None and 2 * value < int(window[1])
        return self.names(parameter) and not small

    def names(self, parameter: str) -> bool:
        """True when a request was refused on account of a parameter of that name."""
        named = re.search(rf"[\"'`]{re.escape(parameter)}[\"'`]", self.text)
        # A long name is no ordinary word of a message, so it counts without quotes too.
        return self.status in (400, 422) and bool(
            named or (len(parameter) > 5 and parameter in self.text)
        )

    def retry_after(self, now: float) -> float | None:
        """Return the seconds the endpoint asks to wait, or None where it does not say."""
        return retry_after(self.headers, now)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds a response asks to wait; its header holds seconds or a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, now)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except ValueError:
        return None


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
