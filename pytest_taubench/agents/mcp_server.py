"""A trial's tools as an MCP server on loopback, for agents that reach their tools that way."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_taubench.agents.protocol import AgentContext
from pytest_taubench.errors import FatalError

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolResult


class ToolServer:
    """Serves the tools of one trial over streamable HTTP, from entering to leaving a ``with``.

    Every call is recorded as an action of the trial, as a call of ``context.tools`` is.

    Args:
        context: The trial's context.

    Attributes:
        url: Where an MCP client finds the tools; no other trial's agent can guess it.
    """

    def __init__(self, context: AgentContext) -> None:
        try:
            import uvicorn
        except ImportError as error:
            raise FatalError("serving tools over MCP needs the extra 'mcp'") from error
        self._socket = socket.create_server(("127.0.0.1", 0))
        # Any process of the machine can find the port; the calls would count as this trial's.
        path = f"/{secrets.token_urlsafe(16)}/mcp"
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}{path}"
        app = mcp_server(context).streamable_http_app(
            streamable_http_path=path, stateless_http=True, json_response=True
        )
        config = uvicorn.Config(app, log_level="critical", lifespan="on", ws="none")
        self._server: uvicorn.Server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="MCP tools", daemon=True
        )

    def __enter__(self) -> ToolServer:
        """Begin to serve. The port listens already, so a client that comes early waits."""
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()


def mcp_server(context: AgentContext) -> Server[Any]:
    """Return the MCP server of a trial's tools, to be run over any transport."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    functions = {tool.__name__: tool for tool in context.tools}
    listed = [
        types.Tool(
            name=schema["function"]["name"],
            description=schema["function"].get("description"),
            input_schema=schema["function"]["parameters"],
        )
        for schema in context.tool_schemas
    ]

    async def list_tools(request: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        request: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        function = functions.get(params.name)
        if function is None:
            return _result(f"Error: there is no tool {params.name!r}")
        return _result(await asyncio.to_thread(_called, function, params.arguments or {}))

    return Server("tools", on_list_tools=list_tools, on_call_tool=call_tool)


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    try:
        return str(function(**arguments))
    except BaseException as error:
        # How an episode breaks off an agent's loop; it must reach the agent, not end the server.
        return f"Error: {error or 'the conversation is over'}"


def _result(text: str) -> CallToolResult:
    import mcp_types as types

    content = types.TextContent(type="text", text=text)
    return types.CallToolResult(content=[content], is_error=text.startswith("Error: "))
