"""An agent on pydantic-ai (``pip install 'pydantic-ai-slim[openai]'``).

    pytest --tau-suite=retail --tau-agent=examples/pydantic_ai_agent.py --tau-agent-model=gpt-4o

``context.tools`` become the agent's tools as they are.
"""

import os

import pydantic_ai
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


class Agent:
    def __init__(self, context):
        self.client = AsyncOpenAI(
            base_url=context.model.base_url, api_key=os.environ.get("OPENAI_API_KEY", "none")
        )
        provider = OpenAIProvider(openai_client=self.client)
        self.agent = pydantic_ai.Agent(
            OpenAIChatModel(context.model.name or "gpt-4o", provider=provider),
            instructions=context.policy or None,
            tools=list(context.tools),
        )
        self.history = []

    async def respond(self, text):
        result = await self.agent.run(text, message_history=self.history)
        self.history = result.all_messages()
        return result.output

    async def close(self):
        await self.client.close()
