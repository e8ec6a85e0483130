"""An OpenAI-compatible address on loopback for agents that call a model through their own SDK.

What they ask goes through the trial's models, so that it is recorded, replayed, limited and
counted like the calls of the built-in agents.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import secrets
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pytest_taubench.errors import (
    ContextLengthError,
    FatalError,
    InfrastructureError,
    TauBenchError,
)
from pytest_taubench.llm.chat import ChatReply, UsageTally
from pytest_taubench.llm.provider import TrialModels
from pytest_taubench.llm.reply import PARTS
from pytest_taubench.schema import ModelSettings, Usage
from pytest_taubench.trial_clock import cut_off

_SECONDS_TO_END = 5.0
_SERVED = "/chat/completions"


class ProxiedTrial:
    """One trial's place at the proxy.

    Attributes:
        url: The base URL to give the agent's SDK.
        context: That of the agent's turn, whose time limit is not to run while a call waits.
        fault: The first failure that is not the agent's, whatever the agent made of it.
        too_long: The last refusal for length; an agent may shorten its request and go on.
        unserved: The last request for what the proxy has not; an agent may go on without it.
    """

    def __init__(self, url: str, models: TrialModels, settings: ModelSettings) -> None:
        self.url = url
        self.context = contextvars.Context()
        self.fault: TauBenchError | None = None
        self.too_long: ContextLengthError | None = None
        self.unserved: FatalError | None = None
        self._models = models
        self._settings = settings
        self._tally = UsageTally()
        self._calls: dict[asyncio.Task[ChatReply], asyncio.AbstractEventLoop] = {}
        self._idle = threading.Condition()
        self._cut_off = False

    @property
    def model(self) -> str | None:
        """The model that was named for the agent, if any."""
        return self._settings.name

    def usage(self) -> Usage:
        """Return the model use so far."""
        return self._tally.total()

    def refuse(self, path: str) -> str:
        """Take note that the agent asked for what is not served, and return what to answer."""
        self.unserved = FatalError(
            f"--tau-proxy serves {_SERVED} only, and the agent asked for {path}: "
            "let it use the chat completions API, or leave out --tau-proxy"
        )
        return str(self.unserved)

    def answer(self, body: Mapping[str, Any]) -> ChatReply:
        """Return the model's reply to a request as the agent's SDK sent it, from any thread.

        Raises:
            InfrastructureError: The trial is over; so are the calls that were waiting then.
        """
        context = self.context.copy()
        try:
            reply = context.run(asyncio.run, self._call(body))
            if context.run(cut_off) is not None:
                # The limit strikes before the agent gets to see the reply, as it did once.
                with self._idle:
                    self._idle.wait_for(lambda: self._cut_off, _SECONDS_TO_END)
            return reply
        except asyncio.CancelledError:
            raise InfrastructureError("the trial is over", source="model") from None

    def cut_off(self) -> None:
        """Cancel the calls that wait for a model: the trial's time limit has struck."""
        with self._idle:
            self._cut_off = True
            self._idle.notify_all()
            for call, loop in self._calls.items():
                loop.call_soon_threadsafe(call.cancel)

    def wait(self) -> None:
        """Return when what was cancelled has ended, and is recorded."""
        with self._idle:
            self._idle.wait_for(lambda: not self._calls, _SECONDS_TO_END)

    async def _call(self, body: Mapping[str, Any]) -> ChatReply:
        call = asyncio.ensure_future(self._complete(body))
        with self._idle:
            self._calls[call] = asyncio.get_running_loop()
            if self._cut_off:
                call.cancel()
        try:
            return await call
        finally:
            with self._idle:
                del self._calls[call]
                self._idle.notify_all()

    async def _complete(self, body: Mapping[str, Any]) -> ChatReply:
        args = {name: value for name, value in body.items() if name not in PARTS}
        settings = self._settings.model_copy(
            update={
                "name": body.get("model") or self._settings.name,
                "args": self._settings.args | args,
            }
        )
        model = self._models.chat_model("agent-sdk", settings)
        try:
            reply = await model.complete(body.get("messages") or [], body.get("tools"))
        except ContextLengthError as error:
            self.too_long = error
            raise
        except TauBenchError as error:
            self.fault = self.fault or error
            raise
        finally:
            await model.close()
        self._tally.add(reply)
        return reply


class ChatProxy:
    """The server; one for a process, started at once.

    Each trial has an address of its own that nobody can guess.
    """

    def __init__(self) -> None:
        self._trials: dict[str, ProxiedTrial] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self._trials))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="model proxy",
            daemon=True,
        )
        self._thread.start()

    def open(self, models: TrialModels, settings: ModelSettings) -> ProxiedTrial:
        """Return a new trial's place; requests at its URL go to its models."""
        token = secrets.token_hex(8)
        url = f"http://127.0.0.1:{self._server.server_address[1]}/{token}/v1"
        self._trials[token] = ProxiedTrial(url, models, settings)
        return self._trials[token]

    def forget(self, trial: ProxiedTrial) -> None:
        """Close a trial's address."""
        self._trials.pop(trial.url.split("/")[3], None)

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def completion(reply: ChatReply) -> dict[str, Any]:
    """Return a reply as the chat completion that an SDK expects."""
    usage = reply.usage
    message = reply.message.as_openai()
    data: dict[str, Any] = {
        "id": "chatcmpl-proxied",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model,
        "choices": [
            {"index": 0, "message": message, "finish_reason": reply.finish_reason or "stop"}
        ],
    }
    if usage is not None:
        data["usage"] = {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.input_tokens + usage.output_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        }
    return data


def chunks(reply: ChatReply) -> list[dict[str, Any]]:
    """Return a reply as the two chunks of a stream: all of it, then the end."""
    whole = completion(reply)
    choice = whole["choices"][0]
    calls = [call | {"index": n} for n, call in enumerate(choice["message"].get("tool_calls", []))]
    delta = choice["message"] | ({"tool_calls": calls} if calls else {})
    base = whole | {"object": "chat.completion.chunk"}
    usage = base.pop("usage", None)
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    return [
        base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        base | {"choices": [end], "usage": usage},
    ]


def _handler_of(trials: Mapping[str, ProxiedTrial]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            trial, path = self._asked()
            if trial is None or path != _SERVED:
                self._refuse(trial, path)
                return
            try:
                body = json.loads(raw)
                reply = trial.answer(body)
            except Exception as error:
                self._send(*_failure(error))
                return
            if body.get("stream"):
                self._stream(reply)
            else:
                self._send(200, completion(reply))

        def do_GET(self) -> None:
            trial, path = self._asked()
            if trial is None or path != "/models":
                self._refuse(trial, path)
                return
            listed = [{"id": trial.model, "object": "model"}] if trial.model else []
            self._send(200, {"object": "list", "data": listed})

        def _asked(self) -> tuple[ProxiedTrial | None, str]:
            token, _, path = self.path.partition("?")[0].removeprefix("/").partition("/v1")
            return trials.get(token), path

        def _refuse(self, trial: ProxiedTrial | None, path: str) -> None:
            says = trial.refuse(path) if trial else "this trial is over, or never was"
            self._send(404, _error(says))

        def _send(self, status: int, data: Mapping[str, Any]) -> None:
            self._write(status, "application/json", json.dumps(data, ensure_ascii=False))

        def _stream(self, reply: ChatReply) -> None:
            events = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks(reply)]
            text = "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])
            self._write(200, "text/event-stream", text)

        def _write(self, status: int, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            # Ours have been tried again already; the SDK's own retries would only repeat them.
            self.send_header("x-should-retry", "false")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            """Say nothing: a test run's output is no place for an access log."""

    return Handler


def _failure(error: Exception) -> tuple[int, dict[str, Any]]:
    if isinstance(error, ContextLengthError):
        return 400, _error(str(error), "context_length_exceeded")
    if isinstance(error, FatalError):
        return 401, _error(str(error))
    if isinstance(error, TauBenchError):
        return 503, _error(str(error))
    return 400, _error(f"the request could not be read: {error}")


def _error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "proxy_error", "code": code}}
