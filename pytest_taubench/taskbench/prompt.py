"""What a planner is told: the tools, and the JSON format of the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pytest_taubench.schema import Sample
from pytest_taubench.taskbench.graph import GraphTool, ToolGraph

RESOURCE_FORMAT = """\
Answer with one JSON object and nothing else:
{
  "task_steps": ["one sentence for each step, in the order of execution"],
  "task_nodes": [
    {"task": "the name of a tool", "arguments": ["an input: text, a file name, or <node-j>"]}
  ],
  "task_links": [{"source": "the tool that gives", "target": "the tool that takes"}]
}
There is one entry in "task_nodes" for each tool call, in the order of execution. A call has exactly
the inputs that its tool lists, in that order. Where an input is the output of another call, write
<node-j> for it, j being the position of that call in "task_nodes", counted from 0, and put a link
from its tool to this one in "task_links". Inputs that the request gives are copied from it
unchanged. Use only the tools listed, and only those that are needed."""

TEMPORAL_FORMAT = """\
Answer with one JSON object and nothing else:
{
  "task_steps": ["one sentence for each step, in the order of execution"],
  "task_nodes": [
    {"task": "the name of a tool", "arguments": [{"name": "a parameter", "value": "its value"}]}
  ],
  "task_links": [{"source": "the tool that runs first", "target": "the tool that runs after it"}]
}
There is one entry in "task_nodes" for each tool call, in the order of execution, and a link in
"task_links" wherever one call must come right before another. Set every parameter of a tool. Values
are texts, copied from the request unchanged. Use only the tools listed, and only those that are
needed."""

TASK_PROMPT = """\
Plan how the tools below fulfil the user's request. Do not carry anything out: say which tools are
called with which arguments, and how they depend on one another.

# Tools
{tools}

# Answer
{answer_format}"""


def answer_format(graph: ToolGraph) -> str:
    """Return the description of the answer's JSON."""
    return RESOURCE_FORMAT if graph.dependency == "resource" else TEMPORAL_FORMAT


def tool_descriptions(graph: ToolGraph) -> list[dict[str, Any]]:
    """Return the tools as a planner gets them."""
    return [_described(tool, graph) for tool in graph.tools.values()]


def _described(tool: GraphTool, graph: ToolGraph) -> dict[str, Any]:
    data: dict[str, Any] = {"name": tool.id, "description": tool.description}
    if graph.dependency == "resource":
        return {**data, "inputs": list(tool.inputs), "outputs": list(tool.outputs)}
    parameters = [
        {"name": p.name, "type": p.type, "description": p.description} for p in tool.parameters
    ]
    return {**data, "parameters": parameters}


def plan_messages(
    request: str,
    tools: Sequence[dict[str, Any]],
    format_: str,
    demonstrations: Sequence[Sample] = (),
) -> list[dict[str, Any]]:
    """Return the conversation that asks a model for a plan, examples as earlier turns."""
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    system = TASK_PROMPT.format(tools=listed, answer_format=format_)
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
    for sample in demonstrations:
        answer = json.dumps(gold_plan(sample), ensure_ascii=False)
        messages.append({"role": "user", "content": sample.user_request})
        messages.append({"role": "assistant", "content": answer})
    return [*messages, {"role": "user", "content": request}]


def gold_plan(sample: Sample) -> dict[str, Any]:
    """Return a sample's annotation in the form of an answer."""
    return {
        "task_steps": list(sample.task_steps),
        "task_nodes": [dict(node) for node in sample.task_nodes],
        "task_links": [dict(link) for link in sample.task_links],
    }
