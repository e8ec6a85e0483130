"""An OpenAI-compatible endpoint on loopback that can be told to misbehave."""

from __future__ import annotations

import json
import socket
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "total_tokens": 110,
    "prompt_tokens_details": {"cached_tokens": 60},
}
Behaviour = Callable[
    [list[dict[str, Any]], list[dict[str, Any]]], "Response | dict[str, Any] | str"
]


@dataclass(frozen=True)
class Response:
    """One response on the wire.

    ``cut`` sends that many bytes of the body and drops the connection, ``hang`` waits that many
    seconds before anything is sent, ``drip`` that many before each byte of the body.
    """

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    hang: float = 0.0
    drip: float = 0.0


def completion(message: Mapping[str, Any], **fields: Any) -> Response:
    """A well-formed completion; ``fields`` replace its top-level fields, None leaves one out."""
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    payload: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model",
        "choices": [{"index": 0, "message": dict(message), "finish_reason": finish}],
        "usage": USAGE,
    }
    payload.update(fields)
    kept = {name: value for name, value in payload.items() if value is not None}
    return Response(json.dumps(kept, ensure_ascii=False).encode())


def text(content: str | None, **fields: Any) -> Response:
    """A completion with text."""
    return completion({"role": "assistant", "content": content}, **fields)


def tool_calls(
    *calls: tuple[str, str | Mapping[str, Any]], content: str | None = None, ids: str = "call"
) -> Response:
    """A completion with tool calls; arguments given as text are sent as they are."""
    return completion(
        {
            "role": "assistant",
            "content": content,
            "tool_calls": [
                {
                    "id": f"{ids}_{index}",
                    "type": "function",
                    "function": {
                        "name": name,
                        "arguments": arguments
                        if isinstance(arguments, str)
                        else json.dumps(arguments),
                    },
                }
                for index, (name, arguments) in enumerate(calls)
            ],
        }
    )


def error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """An error response in OpenAI's format."""
    body = {"error": {"message": message, "type": "error", "code": code, **more}}
    return Response(json.dumps(body).encode(), status, dict(headers or {}))


def rate_limited(retry_after: str | None = None) -> Response:
    """A 429."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return error(429, "Rate limit reached", code="rate_limit_exceeded", headers=headers)


def server_error() -> Response:
    """A 500."""
    return error(500, "The server had an error")


def cut_connection() -> Response:
    """The connection is dropped before any byte."""
    return Response(b"", cut=-1)


def truncated_body() -> Response:
    """Half of a body, then the connection is dropped."""
    whole = text("a reply of which only half arrives").body
    return Response(whole, cut=len(whole) // 2)


def hang(seconds: float) -> Response:
    """Silence, then a reply."""
    return Response(text("too late").body, hang=seconds)


def context_length() -> Response:
    """What OpenAI says of a conversation that is too long."""
    return error(
        400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"
    )


class ChatServer:
    """A threaded server speaking ``/v1/chat/completions`` and ``/v1/models``.

    Queued responses are sent in order, those for one model to requests that name it; when none is
    left the behaviour answers, which by default says "ok". The ``weather`` may put a fault in the
    place of any answer. Every request body, its headers and its path are recorded.
    """

    def __init__(
        self, behave: Behaviour | None = None, models: tuple[str, ...] = ("test-model",)
    ) -> None:
        self.queue: deque[Response] = deque()
        self.queue_of: defaultdict[str, deque[Response]] = defaultdict(deque)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.models = models
        self.behave: Behaviour = behave or (lambda messages, tools: text("ok"))
        self.weather: Callable[[], Response | None] = lambda: None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL, as --tau-base-url takes it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer_with(self, *responses: Response, model: str | None = None) -> None:
        """Queue responses for the next requests, or for the next that ask that model."""
        (self.queue if model is None else self.queue_of[model]).extend(responses)

    def asked(self, model: str) -> list[list[dict[str, Any]]]:
        """The messages of each request to that model, in order."""
        return [each["messages"] for each in self.requests if each["model"] == model]

    def close(self) -> None:
        """Stop serving, hanging responses included."""
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _respond(self, body: dict[str, Any], headers: dict[str, str]) -> Response:
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            for queue in (self.queue_of[body.get("model", "")], self.queue):
                if queue:
                    return queue.popleft()
            if storm := self.weather():
                return storm
        answer = self.behave(body.get("messages", []), body.get("tools", []))
        if isinstance(answer, str):
            return text(answer)
        return answer if isinstance(answer, Response) else completion(answer)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are what these tests are about."""


def _handler_of(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            listed = [{"id": name, "object": "model"} for name in server.models]
            self._send(Response(json.dumps({"object": "list", "data": listed}).encode()))

        def do_POST(self) -> None:
            server.paths.append(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._send(server._respond(json.loads(raw), dict(self.headers)))

        def _send(self, response: Response) -> None:
            if response.hang and server._stopping.wait(response.hang):
                self.close_connection = True
                return
            if response.cut == -1:
                self._drop()
                return
            self.send_response(response.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(response.body)))
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for byte in response.body if response.drip else b"":
                if server._stopping.wait(response.drip):
                    self.close_connection = True
                    return
                self.wfile.write(bytes([byte]))
            self.wfile.write(b"" if response.drip else response.body[: response.cut])
            if response.cut is not None:
                self.wfile.flush()
                self._drop()

        def _drop(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *args: Any) -> None:
            """Keep test output clean."""

    return Handler
