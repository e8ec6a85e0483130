"""Where a model is served, and with which key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import getproxies_environment, proxy_bypass

from pytest_taubench.errors import FatalError
from pytest_taubench.llm.scrubbing import scrubbed
from pytest_taubench.schema import ModelSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

SHARED_KEY = "OPENAI_API_KEY"
"""The environment variable of the key that all of a run's models share, on one server."""

SECONDS_A_REQUEST = 300.0
"""How long one request may take where nothing else is said."""

_OPENAI = "api.openai.com"
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
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

        # Loading the certificates takes longer than a whole replayed trial, and plain HTTP has no
        # use for them; no client may be led on, then, nor make a GET of what it was to post.
        plain = (self.base_url or "").lower().startswith("http://")
        # Shorter than a request's time, so that no connection is told apart from no answer.
        to_connect = min(self.timeout / 2, _SECONDS_TO_CONNECT)
        try:
            unled = DefaultAsyncHttpxClient(verify=not plain, follow_redirects=False)
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
            if self.base_url is not None and urlsplit(self.base_url).hostname != _OPENAI:
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
        address = urlsplit(self.base_url or f"https://{_OPENAI}")
        proxies = getproxies_environment()
        if proxy_bypass(address.hostname or ""):
            return None
        of = next((name for name in (address.scheme, "all") if proxies.get(name)), None)
        return of and f"{of.upper()}_PROXY"

    def __str__(self) -> str:
        """Return the address for messages, without user and password."""
        if self.base_url is None:
            return _OPENAI
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def key_in(environ: Mapping[str, str], name: str) -> str | None:
    """Return a key; a line break behind it, as of a file that it was read from, is not part of it."""
    return environ.get(name, "").strip() or None
