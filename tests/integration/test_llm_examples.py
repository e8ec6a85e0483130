"""The examples, each run against the test server, its tools used as the framework uses them."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from small_shop import POLICY, TOOLS, Lines, environment

from pytest_taubench.agents.loading import load_agent
from pytest_taubench.agents.protocol import AgentContext, bind_tool
from pytest_taubench.schema import Ending, ModelSettings
from pytest_taubench.trial.episode import Episode

ROOT = Path(__file__).parents[2]
FRAMEWORKS = {
    "openai_agent": "openai",
    "openai_agents_sdk": "agents",
    "langgraph_agent": "langchain_openai",
    "pydantic_ai_agent": "pydantic_ai",
    "mcp_agent": "mcp",
}


def need(module: str) -> None:
    """Skip where a framework is absent, unless the environment says that it must be there."""
    if "TAUBENCH_FRAMEWORKS" not in os.environ:
        reason = (
            f"{module} is not installed (the extra 'frameworks'); TAUBENCH_FRAMEWORKS requires it"
        )
        pytest.importorskip(module, reason=reason)


def play(example: str, url: str = "http://unused") -> Episode:
    """Let an example's agent cancel order #1 for a user who then thanks it."""

    async def run() -> Episode:
        episode = Episode(environment(), Lines("please cancel #1", "thanks"), POLICY, 10)
        context = AgentContext(
            policy=POLICY,
            tools=[bind_tool(tool, episode.call_tool) for tool in TOOLS.values()],
            tool_schemas=episode.environment.tool_schemas(),
            model=ModelSettings(name="test-model", base_url=url),
            seed=1,
        )
        agent = load_agent(f"examples/{example}.py", ROOT).make(context)
        try:
            await episode.run(agent, timeout=60)
        finally:
            await agent.close()
        return episode

    return asyncio.run(run())


# A framework's own deprecations are not ours to fix.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("example", FRAMEWORKS)
def test_a_framework_takes_the_tools_as_they_are(
    example: str, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(FRAMEWORKS[example])
    monkeypatch.setenv("OPENAI_BASE_URL", chat_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    chat_server.answer_with(
        wire.tool_calls(("get_order", {"order_id": "#1"}), ids="first"),
        wire.tool_calls(("cancel_order", {"order_id": "#1"}), ids="second"),
        wire.text("It is cancelled."),
        wire.text("You are welcome."),
    )
    episode = play(example, chat_server.url)
    assert episode.error is None
    assert episode.ending == Ending.USER_STOP
    assert episode.told == ["It is cancelled.", "You are welcome."]
    assert [(a.name, a.ok) for a in episode.actions] == [
        ("get_order", True),
        ("cancel_order", True),
    ]
    assert episode.environment.changes()["orders"]["#1"].after == {"status": "cancelled"}
    offered = {
        tool["function"]["name"]: tool["function"] for tool in chat_server.requests[0]["tools"]
    }
    assert set(offered) == set(TOOLS)
    assert offered["cancel_order"]["parameters"]["required"] == ["order_id"]
    roles = [message["role"] for message in chat_server.requests[-1]["messages"]]
    assert roles == ["system", "user", *["assistant", "tool"] * 2, "assistant", "user"]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("example", [name for name in FRAMEWORKS if name != "openai_agent"])
def test_a_refused_call_is_read_by_the_frameworks_model(
    example: str, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(FRAMEWORKS[example])
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    chat_server.answer_with(
        wire.tool_calls(("get_order", {"order_id": "#9"})),
        wire.text("No such order."),
        wire.text("Bye."),
    )
    episode = play(example, chat_server.url)
    assert episode.ending == Ending.USER_STOP
    assert [action.ok for action in episode.actions] == [False]
    assert "no order #9" in str(chat_server.requests[1]["messages"][-1]["content"])


class Service(BaseHTTPRequestHandler):
    """The service behind examples/http_agent.py: cancels what it is first told of."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "results" in asked:
            answer: dict[str, Any] = {"text": f"It is {asked['results'][0]}."}
        elif "cancel" in asked["message"]:
            answer = {"calls": [{"name": "cancel_order", "arguments": {"order_id": "#1"}}]}
        else:
            answer = {"text": "You are welcome."}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Keep test output clean."""


@pytest.fixture
def service() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/chat"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_agent_behind_http_is_played(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_URL", service)
    episode = play("http_agent")
    assert episode.told == ["It is cancelled.", "You are welcome."]
    assert episode.ending == Ending.USER_STOP
