"""An agent on LangGraph (``pip install langgraph langchain langchain-openai``).

    pytest --tau-suite=retail --tau-agent=examples/langgraph_agent.py --tau-agent-model=gpt-4o

``context.tools`` become the graph's tools as they are.
"""

import os

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI


class Agent:
    def __init__(self, context):
        model = ChatOpenAI(
            model=context.model.name or "gpt-4o",
            base_url=context.model.base_url,
            api_key=os.environ.get("OPENAI_API_KEY", "none"),
        )
        self.graph = create_agent(model, context.tools, system_prompt=context.policy or None)
        self.messages = []

    def respond(self, text):
        self.messages.append({"role": "user", "content": text})
        self.messages = self.graph.invoke({"messages": self.messages})["messages"]
        return self.messages[-1].content
