"""An agent on the OpenAI Agents SDK (``pip install openai-agents``).

    pytest --tau-suite=retail --tau-agent=examples/openai_agents_sdk.py --tau-agent-model=gpt-4o

``context.tools`` become the SDK's function tools as they are.
"""

import os

import agents
from agents import OpenAIChatCompletionsModel, Runner, function_tool
from openai import AsyncOpenAI

agents.set_tracing_disabled(True)


class Agent:
    def __init__(self, context):
        # The address may be the recording proxy's, which needs no key.
        self.client = AsyncOpenAI(
            base_url=context.model.base_url, api_key=os.environ.get("OPENAI_API_KEY", "none")
        )
        self.agent = agents.Agent(
            name="support",
            instructions=context.policy,
            tools=[function_tool(tool, strict_mode=False) for tool in context.tools],
            model=OpenAIChatCompletionsModel(context.model.name or "gpt-4o", self.client),
        )
        self.history = []

    async def respond(self, text):
        self.history.append({"role": "user", "content": text})
        result = await Runner.run(self.agent, self.history, max_turns=30)
        self.history = result.to_input_list()
        return str(result.final_output)

    async def close(self):
        await self.client.close()
