"""Exceptions of agents' own SDKs, sorted by whose fault they are."""

from __future__ import annotations

import socket
import urllib.error
from types import SimpleNamespace
from typing import Any

import openai
import pytest

from pytest_taubench.errors import EndpointDownError, EndpointFailedError
from pytest_taubench.llm.faults import endpoint_fault

REQUEST: Any = SimpleNamespace(method="POST", url="http://127.0.0.1:9/v1/chat/completions")


def raised_from(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


def status_error(status: int) -> openai.APIStatusError:
    response: Any = SimpleNamespace(status_code=status, request=REQUEST, headers={})
    return openai.APIStatusError("no", response=response, body=None)


def named(name: str, says: str = "no", **attributes: object) -> Exception:
    """An exception of a library that need not be installed here."""
    return type(name, (Exception,), attributes)(says)


CONNECTION = openai.APIConnectionError(request=REQUEST)
DOWN = {
    "openai": raised_from(CONNECTION, named("ConnectError", "refused")),
    "httpx": named("ConnectTimeout", "slow"),
    "socket": ConnectionRefusedError(111, "Connection refused"),
    "urllib": urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")),
    "no such host": urllib.error.URLError(socket.gaierror(-2, "Name or service not known")),
    "aiohttp": named("ClientConnectorError"),
    "requests": type("ConnectionError", (OSError,), {})(
        named("MaxRetryError", reason=named("NewConnectionError"))
    ),
    "wrapped twice": raised_from(
        RuntimeError("agent failed"), raised_from(ValueError("model"), named("ConnectError", "x"))
    ),
    "this package's": raised_from(RuntimeError("x"), EndpointDownError("down")),
}
FAILED = {
    "openai 500": status_error(500),
    "openai 503": status_error(503),
    "openai 429": status_error(429),
    "refused key": status_error(401),
    "openai timeout": raised_from(openai.APITimeoutError(REQUEST), named("ReadTimeout", "slow")),
    "cut off": raised_from(openai.APIConnectionError(request=REQUEST), named("ReadError", "cut")),
    "httpx status": named("HTTPStatusError", response=SimpleNamespace(status_code=503)),
    "urllib status": urllib.error.HTTPError("http://x", 502, "bad gateway", {}, None),  # type: ignore[arg-type]
    "google": named("ServerError", code=503),
    "requests status": named("HTTPError", response=SimpleNamespace(status_code=500)),
    "framework": raised_from(RuntimeError("model failed"), status_error(529)),
    "reset": ConnectionResetError(104, "Connection reset by peer"),
    "own timeout": TimeoutError(),
}
ITS_OWN = {
    "bug": KeyError("zip"),
    "bad request": status_error(400),
    "unknown model": status_error(404),
    "bad request, wrapped": raised_from(RuntimeError("x"), status_error(422)),
    "file": FileNotFoundError(2, "No such file"),
    "exit code": named("ProcessError", code=1),
    "bug while handling a failure": KeyError("choices"),
}
ITS_OWN["bug while handling a failure"].__context__ = named("ConnectError", "refused")


@pytest.mark.parametrize("error", DOWN.values(), ids=DOWN.keys())
def test_an_endpoint_that_cannot_be_reached_is_down(error: Exception) -> None:
    assert type(endpoint_fault(error, "the agent's model")) is EndpointDownError


@pytest.mark.parametrize("error", FAILED.values(), ids=FAILED.keys())
def test_an_endpoint_that_fails_has_failed(error: Exception) -> None:
    assert type(endpoint_fault(error, "the agent's model")) is EndpointFailedError


@pytest.mark.parametrize("error", ITS_OWN.values(), ids=ITS_OWN.keys())
def test_all_else_is_the_agents_own(error: Exception) -> None:
    assert endpoint_fault(error, "the agent's model") is None


def test_the_message_names_whose_it_is_and_what_was_at_the_root() -> None:
    assert str(endpoint_fault(DOWN["openai"], "the agent's model")) == (
        "the agent's model endpoint failed: APIConnectionError: Connection error. "
        "(ConnectError: refused)"
    )


def test_exceptions_that_come_from_one_another_in_a_circle_end() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert endpoint_fault(first, "the agent's model") is None
