"""Where a model is served: its address, its key, and how it is reached."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies_environment, proxy_bypass

from pytest_taubench.errors import FatalError
from pytest_taubench.schema import ModelSettings
from pytest_taubench.text.secrets import scrubbed

if TYPE_CHECKING:
    from openai import AsyncOpenAI

AGENT_KEY = "TAU_AGENT_API_KEY"
USER_KEY = "TAU_USER_API_KEY"
"""The user's, and that of all other models that are not under test."""

_OPENAI = "https://api.openai.com"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ServerKeys:
    """The keys of a run, by environment variable.

    ``OPENAI_API_KEY`` belongs to the server of ``--tau-base-url``, else ``OPENAI_BASE_URL``, else
    OpenAI. Each side may have a key of its own, and a server that was named for one side alone is
    sent no other.

    Attributes:
        base_url: The address of ``--tau-base-url``.
        environ: Where the keys are.
    """

    base_url: str | None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def fit(self, role: str, endpoint: Endpoint) -> Endpoint:
        """Return the endpoint of a role with the key that is its server's."""
        own = AGENT_KEY if role.startswith("agent") else USER_KEY
        shared_by = self.base_url or self.environ.get("OPENAI_BASE_URL") or _OPENAI
        shares = _origin(endpoint.base_url or _OPENAI) == _origin(shared_by)
        name = SHARED_KEY if shares and not key_in(self.environ, own) else own
        return dataclasses.replace(endpoint, api_key=key_in(self.environ, name), key_variable=name)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


_ASKED = ("/chat/completions", "/models")


def redirection(asked: str, location: str | None) -> str:
    """Return where a response redirects to, and which option takes the address.

    It is not followed: a POST would become a GET, and prompts go nowhere but where the user says.
    Password, query and fragment of the address are left out, for a secret may stand in each.

    Args:
        asked: The address that was asked.
        location: What the response's header says, if anything.
    """
    try:
        target = urlsplit(urljoin(asked, location or ""))
    except ValueError:
        location = None
    if not location:
        return "it redirects, and does not say where to"
    address = urlunsplit(
        target._replace(netloc=target.netloc.rpartition("@")[2], query="", fragment="")
    )
    path = next((path for path in _ASKED if address.endswith(path)), None)
    if path is None:
        return (
            f"it redirects to {address}; --tau-base-url should be the address that serves the model"
        )
    base_url = address.removesuffix(path)
    return (
        f"it redirects to {address}; if the model is served there, pass --tau-base-url={base_url}"
    )


@contextmanager
def loopback_reached_directly() -> Iterator[None]:
    """Except loopback from the environment's proxies, which the SDKs of agents honour."""
    before = {name: os.environ.get(name) for name in ("no_proxy", "NO_PROXY")}
    excepted = next((value for value in before.values() if value), "")
    os.environ.update(dict.fromkeys(before, f"{excepted},127.0.0.1".lstrip(",")))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


SHARED_KEY = "OPENAI_API_KEY"
"""The environment variable of the key that all of a run's models share, on one server."""

SECONDS_A_REQUEST = 300.0
"""How long one request may take where nothing else is said."""

_OPENAI_HOST = "api.openai.com"
_NO_KEY = "no-key-needed"
_SECONDS_TO_CONNECT = 5.0
_SHORTEST_SECRET = 16
_SHORTEST_IN_FAULT = 8


@dataclass(frozen=True)
class Endpoint:
    """Where a model is served.

    Attributes:
        base_url: The address, or None for OpenAI's own.
        api_key: The key. Kept out of the repr, so that no traceback shows it.
        timeout: Seconds one request may take.
        key_variable: The environment variable that the key is read from.
    """

    base_url: str | None
    api_key: str | None = field(repr=False)
    timeout: float = SECONDS_A_REQUEST
    key_variable: str = SHARED_KEY

    @classmethod
    def of(
        cls,
        settings: ModelSettings,
        environ: Mapping[str, str] | None = None,
        timeout: float = SECONDS_A_REQUEST,
    ) -> Endpoint:
        """Return the endpoint of a role: its settings first, then the usual environment variables."""
        environ = os.environ if environ is None else environ
        return cls(
            settings.base_url or environ.get("OPENAI_BASE_URL") or None,
            key_in(environ, SHARED_KEY),
            timeout,
        )

    def client(self) -> AsyncOpenAI:
        """Return a client of this endpoint that leaves retries to us.

        Raises:
            FatalError: The key is missing, or no request can carry it; or the environment names
                a proxy of an unknown kind.
        """
        if problem := self.key_problem("the model"):
            raise FatalError(problem)
        from openai import AsyncOpenAI, Timeout

        from pytest_taubench.llm.bounded_client import BoundedClient

        # Loading the certificates takes longer than a whole replayed trial, and plain HTTP has no
        # use for them; no client may be led on, then, nor make a GET of what it was to post.
        plain = (self.base_url or "").lower().startswith("http://")
        # Shorter than a request's time, so that no connection is told apart from no answer.
        to_connect = min(self.timeout / 2, _SECONDS_TO_CONNECT)
        try:
            unled = BoundedClient(verify=not plain, follow_redirects=False)
        except (ImportError, ValueError) as error:  # of a proxy that it cannot speak to
            proxies = ", ".join(f"{name.upper()}_PROXY" for name in getproxies_environment())
            raise FatalError(f"no connection to {self} by {proxies}: {error}") from error
        # What a gateway wants behind the question mark belongs behind each path, not before it.
        address, _, query = (self.base_url or "").partition("?")
        return AsyncOpenAI(
            base_url=address or None,
            default_query=dict(parse_qsl(query, keep_blank_values=True)),
            api_key=self.api_key or _NO_KEY,
            timeout=Timeout(self.timeout, connect=to_connect),
            max_retries=0,
            http_client=unled,
        )

    def key_problem(self, whose: str) -> str | None:
        """Return what is wrong with the key, if anything; only of OpenAI is it known to want one.

        Args:
            whose: Whose model it is, for the message.
        """
        if self.api_key is None:
            if self.base_url is not None and urlsplit(self.base_url).hostname != _OPENAI_HOST:
                return None
            return (
                f"no key for {whose} at {self}: set {self.key_variable}, "
                "or pass --tau-base-url for a server of your own"
            )
        if self.api_key.isascii() and self.api_key.isprintable() and " " not in self.api_key:
            return None
        # Sent nevertheless it would be shown: the library of connections quotes the header.
        return (
            f"{self.key_variable}, the key for {whose} at {self}, holds a blank, a line break or "
            "another sign that no key has"
        )

    def scrub(self, text: str, more: Iterable[str] = ()) -> str:
        """Return what a server says of a fault without the key, which some repeat in it.

        Args:
            text: What it says.
            more: Other secrets it was sent; one so short that it may be some word stays.
        """
        key = [self.api_key] if self.api_key else []
        return scrubbed(text, [*key, *(one for one in more if len(one) >= _SHORTEST_IN_FAULT)])

    def scrub_reply(self, body: str, more: Iterable[str] = ()) -> str:
        """Return the JSON of a reply without the key, and without other secrets it was sent.

        Short ones stay: a server without keys is given some word, which a reply may well hold.
        """
        secrets = (self.api_key or "", *more)
        return scrubbed(body, [one for one in secrets if len(one) >= _SHORTEST_SECRET])

    def proxy(self) -> str | None:
        """Return the environment variable of the proxy that stands before the endpoint, if any."""
        address = urlsplit(self.base_url or f"https://{_OPENAI_HOST}")
        proxies = getproxies_environment()
        if proxy_bypass(address.hostname or ""):
            return None
        of = next((name for name in (address.scheme, "all") if proxies.get(name)), None)
        return of and f"{of.upper()}_PROXY"

    def __str__(self) -> str:
        """Return the address for messages, without user and password."""
        if self.base_url is None:
            return _OPENAI_HOST
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def key_in(environ: Mapping[str, str], name: str) -> str | None:
    """Return a key; a line break behind it, as of a file that it was read from, is not part of it."""
    return environ.get(name, "").strip() or None


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
