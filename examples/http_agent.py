"""An agent behind HTTP: any service that takes a message and answers with one.

    AGENT_URL=http://127.0.0.1:8000/chat pytest --tau-suite=retail --tau-agent=examples/http_agent.py

The service gets ``{"session", "message", "policy", "tools", "results"}`` and answers with
``{"text": ...}``, or with ``{"calls": [{"name", "arguments"}, ...]}`` to have tools called; their
results come with the next request of the session. (A service that speaks the OpenAI format needs no
code at all: give its URL to ``--tau-agent``.)
"""

import json
import os
import urllib.request
import uuid


class Agent:
    def __init__(self, context):
        self.tools = {tool.__name__: tool for tool in context.tools}
        self.start = {"policy": context.policy, "tools": list(context.tool_schemas)}
        self.session = uuid.uuid4().hex

    def respond(self, text):
        answer = self.post({"message": text, **self.start})
        while "calls" in answer:
            results = [self.call(**call) for call in answer["calls"]]
            answer = self.post({"results": results})
        return answer["text"]

    def call(self, name, arguments):
        tool = self.tools.get(name)
        return tool(**arguments) if tool else f"Error: there is no tool {name}"

    def post(self, data):
        body = json.dumps({"session": self.session, **data}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(os.environ["AGENT_URL"], body, headers)
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)
