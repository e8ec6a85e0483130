"""An agent that reaches its tools through MCP (``pip install 'pytest-taubench[mcp]'``).

    pytest --tau-suite=retail --tau-agent=examples/mcp_agent.py --tau-agent-model=gpt-4o

``ToolServer`` serves the tools of this trial at a URL of its own; what connects to it here are a few
lines on the ``mcp`` and ``openai`` packages, and would be your agent.
"""

import json
import os

from mcp.client import Client
from openai import AsyncOpenAI

from pytest_taubench.agents.mcp_server import ToolServer


class Agent:
    def __init__(self, context):
        self.model = context.model.name or "gpt-4o"
        self.openai = AsyncOpenAI(
            base_url=context.model.base_url, api_key=os.environ.get("OPENAI_API_KEY", "none")
        )
        self.messages = [{"role": "system", "content": context.policy}]
        self.server = ToolServer(context).__enter__()

    async def respond(self, text):
        self.messages.append({"role": "user", "content": text})
        async with Client(self.server.url) as client:
            tools = [as_function(tool) for tool in (await client.list_tools()).tools]
            while (message := await self.ask(tools)).tool_calls:
                for call in message.tool_calls:
                    arguments = json.loads(call.function.arguments)
                    result = await client.call_tool(call.function.name, arguments)
                    answer = {"role": "tool", "tool_call_id": call.id}
                    self.messages.append(answer | {"content": result.content[0].text})
        return message.content or ""

    async def ask(self, tools):
        completion = await self.openai.chat.completions.create(
            model=self.model, messages=self.messages, tools=tools
        )
        message = completion.choices[0].message
        self.messages.append(message.model_dump(exclude_none=True))
        return message

    async def close(self):
        self.server.__exit__()
        await self.openai.close()


def as_function(tool):
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}
