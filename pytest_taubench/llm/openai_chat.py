"""The one network edge: a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pytest_taubench.errors import (
    ContextLengthError,
    EndpointDownError,
    EndpointFailedError,
    EndpointRefusedError,
    FatalError,
    InfrastructureError,
    RequestRefusedError,
)
from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.llm.endpoint import Endpoint, redirection, served_model
from pytest_taubench.llm.faults import Refusal
from pytest_taubench.llm.prices import Pricer, is_known, price, why_unknown, with_cost
from pytest_taubench.llm.reply import ErrorInReplyError, MalformedReplyError, parts_in, read_reply
from pytest_taubench.llm.retry import Backoff, GaveUpError, TransientError
from pytest_taubench.schema import ModelSettings
from pytest_taubench.text.secrets import secret_texts
from pytest_taubench.trial_clock import apart, asking, not_counted

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")


class Bill(Protocol):
    """Where the cost of one request is put down."""

    cost: float | None
    why_unknown: str


Admission = Callable[[], AbstractAsyncContextManager[Bill]]
"""What every single request passes through: waits for its turn, and takes its cost."""


_NO_CONNECTION = frozenset({"ConnectError", "ConnectTimeout"})


class OpenAIChatModel:
    """A chat model behind an OpenAI-compatible endpoint.

    Args:
        settings: Model name and sampling settings, which are sent as they are.
        role: Who asks; messages name it, and whose time the calls take depends on it.
        endpoint: Where it is served; by default what the settings and the environment say.
        defaults: Sampling settings sent until the model refuses one; those the user set win.
        refused: Defaults this model refused. Passed in so that the trials of a process share it.
        answered: Roles this model has answered. Likewise shared.
        admission: What each request passes through, retries included.
        pricer: Gives the cost of a call.
        backoff: When to try again.
        now: Seconds since the epoch, to read a Retry-After date.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        role: str = "agent",
        endpoint: Endpoint | None = None,
        defaults: Mapping[str, Any] | None = None,
        refused: set[str] | None = None,
        answered: set[str] | None = None,
        admission: Admission | None = None,
        pricer: Pricer = price,
        backoff: Backoff | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._endpoint = endpoint or Endpoint.of(settings)
        if not settings.name and self._endpoint.base_url is None:
            raise FatalError(
                "no model is named: pass --tau-agent-model (or --tau-user-model, --tau-judge-model)"
            )
        if problem := parts_in(settings.args):
            raise FatalError(f"of the {role}'s settings, {problem}")
        self._name = settings.name
        self._role = role
        self._whose = role.partition("-")[0]
        self._args = dict(settings.args)
        self._defaults = dict(defaults or {})
        self._refused = set() if refused is None else refused
        self._answered = set() if answered is None else answered
        self._admission = admission
        self._pricer = pricer
        self._backoff = backoff or Backoff()
        self._now = now
        self._client: AsyncOpenAI | None = None

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> ChatReply:
        """Return the model's reply; see ChatModel."""
        request: dict[str, Any] = {"messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        timed = asking if self._whose == "agent" else apart
        # Before the request's place in the rate is taken: the first import takes a second.
        with not_counted():
            self._connect()
        async with timed(self._who):
            reply = await self._patiently(lambda: self._admitted(request))
        self._answered.add(self._role)
        return reply

    async def find_name(self) -> str:
        """Return the model's name, asked of the endpoint where none was given.

        Raises:
            TauBenchError: As ``complete``.
        """
        if self._name is None:
            self._connect()
            self._name = await self._patiently(self._listed)
        return self._name

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    def __str__(self) -> str:
        """Return role, model and address, for messages."""
        return f"{self._who} at {self._endpoint}"

    @property
    def _who(self) -> str:
        return f"the {self._whose}'s model {self._name or ''}".rstrip()

    def _connect(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = self._endpoint.client()
        return self._client

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        try:
            return await self._backoff.run(call)
        except GaveUpError as error:
            gave_up = EndpointDownError if error.unreachable else EndpointFailedError
            raise gave_up(f"{self}: {error}") from error

    async def _listed(self) -> str:
        try:
            async with self._failures_sorted():
                return await served_model(self._connect())
        except _RefusedError as error:
            raise self._fault(error.refusal, {}) from None

    async def _admitted(self, request: Mapping[str, Any]) -> ChatReply:
        if self._admission is None:
            return self._priced(await self._attempt(request))
        async with self._admission() as bill:
            reply = self._priced(await self._attempt(request))
            bill.cost = reply.usage.cost if reply.usage else None
            bill.why_unknown = self._why_unknown(reply)
            return reply

    async def _attempt(self, request: Mapping[str, Any]) -> ChatReply:
        sampling = {k: v for k, v in self._defaults.items() if k not in self._refused} | self._args
        try:
            async with self._failures_sorted():
                return await self._send(request, sampling)
        except _RefusedError as error:
            raise self._fault(error.refusal, sampling) from None

    async def _send(self, request: Mapping[str, Any], sampling: Mapping[str, Any]) -> ChatReply:
        client = self._connect()
        if self._name is None:
            self._name = await served_model(client)
        # Posted as it is: the typed call walks through every message and tool schema first, tens of
        # milliseconds each time, and it knows no settings but its own version's.
        body = {"model": self._name, **request, **sampling}
        text = await client.post("/chat/completions", cast_to=str, body=body)
        return read_reply(self._endpoint.scrub_reply(text, secret_texts(self._args)), self._name)

    @asynccontextmanager
    async def _failures_sorted(self) -> AsyncIterator[None]:
        import openai

        from pytest_taubench.llm.bounded_client import AnswerNotReadError

        try:
            # The client's own limit is on each pause of an answer, not on the whole of it.
            async with asyncio.timeout(self._endpoint.timeout):
                yield
        except TimeoutError as error:
            raise self._hung() from error
        except MalformedReplyError as error:
            if isinstance(error, ErrorInReplyError) and (refusal := self._refusal_in(error)):
                raise _RefusedError(refusal) from None
            # From none: a record keeps the traceback, and the cause would say it unscrubbed.
            raise TransientError(self._scrubbed(str(error))) from None
        except AnswerNotReadError as error:
            raise TransientError(str(error)) from None
        except openai.APIConnectionError as error:
            reason = error.__cause__ or error
            if isinstance(reason, AnswerNotReadError):  # as older clients pass it on
                raise TransientError(str(reason)) from None
            # By name: which library of connections is below differs between versions.
            down = type(reason).__name__ in _NO_CONNECTION
            if isinstance(error, openai.APITimeoutError) and not down:
                raise self._hung() from error
            says = f"connection failed: {type(reason).__name__}: {reason}"
            if down and (proxy := self._endpoint.proxy()):
                says += f", through the proxy of {proxy}"
            raise TransientError(self._scrubbed(says), unreachable=down) from error
        except openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            response = error.response
            text = response.text
            if 300 <= error.status_code < 400:
                text = redirection(str(response.url), headers.get("location"))
            raise _RefusedError(Refusal(error.status_code, text, headers)) from None

    def _refusal_in(self, error: ErrorInReplyError) -> Refusal | None:
        """Gateways put the provider's refusal into a response of status 200."""
        return Refusal.in_reply(error.status, error.text)

    def _scrubbed(self, text: str) -> str:
        return self._endpoint.scrub(text, secret_texts(self._args))

    def _hung(self) -> TransientError:
        says = f"no answer within {self._endpoint.timeout:g} s (--tau-request-timeout)"
        return TransientError(says, hung=True)

    def _fault(self, refusal: Refusal, sampling: Mapping[str, Any]) -> Exception:
        status = f"{refusal.answered} with an error" if refusal.answered else refusal.status
        says = f"{self} answered {status}: {_summary(self._scrubbed(refusal.text))}"
        if refusal.kind == "retry":
            return TransientError(says, wait=refusal.retry_after(self._now()))
        if refusal.kind == "context_length":
            blamed = {name for name, value in self._args.items() if refusal.blames(name, value)}
            return _to_set_otherwise(says, blamed) if blamed else ContextLengthError(says)
        if refusal.kind == "fatal":
            return FatalError(f"{says}; {_advice(refusal, self._endpoint)}")
        named = {name for name in sampling if refusal.names(name)}
        ours = named & (self._defaults.keys() - self._args.keys())
        if ours:
            # A reasoning model, for instance, takes no temperature: asked again without it.
            self._refused |= ours
            return TransientError(says, wait=0.0)
        if named:
            return _to_set_otherwise(says, named)
        if self._role not in self._answered:
            return EndpointRefusedError(says)
        if refusal.filters_content:  # whatever was said, the next trial says something else
            return InfrastructureError(says, source="model")
        return RequestRefusedError(says)

    def _why_unknown(self, reply: ChatReply) -> str:
        return f"{self} answered without usage" if reply.usage is None else why_unknown(str(self))

    def _priced(self, reply: ChatReply) -> ChatReply:
        if reply.usage is None:
            return reply
        price = self._pricer(reply.usage, self._name or reply.model, self._endpoint.base_url)
        return replace(reply, usage=with_cost(reply.usage, price))


class _RefusedError(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


def _summary(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 500 else text[:500] + "…"


def _to_set_otherwise(says: str, names: set[str]) -> FatalError:
    return FatalError(f"{says}; set otherwise: {', '.join(sorted(names))}")


def _advice(refusal: Refusal, endpoint: Endpoint) -> str:
    if refusal.refuses_key and endpoint.api_key is None:
        return f"no key was sent: check that {endpoint.key_variable} is set"
    if refusal.refuses_key:
        return f"check {endpoint.key_variable} and what it may use"
    if refusal.status == 404:
        return "check the model's name and the base URL (most end in /v1)"
    return "check the model's name and the account"


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
