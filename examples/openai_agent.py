"""An agent on the plain ``openai`` package: a function of messages and tools.

    pytest --tau-suite=retail --tau-agent=examples/openai_agent.py

Model, address and key come from MODEL, OPENAI_BASE_URL and OPENAI_API_KEY. The harness runs the tool
calls of the message that the function returns, and calls it again with their results.
"""

import os

from openai import OpenAI


def agent(messages, tools):
    with OpenAI() as client:
        return client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-4o"), messages=messages, tools=tools
        )
