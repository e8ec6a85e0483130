"""Tools served over MCP are reached by who was told their address, and by nobody else."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from small_shop import agent_context, environment

from pytest_taubench.agents.mcp_server import ToolServer
from pytest_taubench.agents.protocol import AgentContext, bind_tool

pytest.importorskip("mcp")
pytest.importorskip("uvicorn")

LIST_TOOLS = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}'


def context(called: list[str]) -> AgentContext:
    def call(name: str, arguments: dict[str, object]) -> str:
        called.append(name)
        return "done"

    plain = agent_context("http://127.0.0.1:1/v1")
    tools = [bind_tool(tool, call) for tool in environment().tools.values()]
    return AgentContext("", tools, plain.tool_schemas, plain.model, 1)


def status(url: str) -> int:
    headers = {"content-type": "application/json", "accept": "application/json"}
    try:
        with urlopen(Request(url, LIST_TOOLS, headers), timeout=10) as response:
            return int(response.status)
    except OSError as error:
        return int(getattr(error, "code", 0))


@pytest.mark.parametrize("path", ["/mcp", "/", "//mcp", "/x/mcp"])
def test_who_knows_the_port_alone_reaches_no_tools(path):
    with ToolServer(context([])) as server:
        address = urlsplit(server.url)
        assert status(f"http://{address.netloc}{path}") == 404


def test_no_two_trials_serve_their_tools_under_one_path():
    with ToolServer(context([])) as one, ToolServer(context([])) as other:
        assert urlsplit(one.url).path != urlsplit(other.url).path
        assert len(urlsplit(one.url).path) > 20
        crossed = urlsplit(one.url)._replace(path=urlsplit(other.url).path).geturl()
        assert status(crossed) == 404


def test_the_agent_that_was_told_the_address_calls_its_tools():
    from mcp.client import Client

    called: list[str] = []

    async def use(url: str) -> str:
        async with Client(url) as client:
            result = await client.call_tool("cancel_order", {"order_id": "#1"})
            return str(result.content[0].text)

    with ToolServer(context(called)) as server:
        assert asyncio.run(use(server.url)) == "done"
    assert called == ["cancel_order"]
