"""Time TaskEval over many samples, and say what share of it rouge-score takes.

Samples are drawn from the multimedia graph; the predicted plans are gold ones with some tools,
links and words changed, so that every metric has work to do. Step lengths follow the published
data (about 12 words a step). Run: ``python benchmarks/taskeval_speed.py [COUNT] [PROCESSES]``.
"""

from __future__ import annotations

import copy
import random
import sys
import time
from typing import Any

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.taskeval import evaluate

_WORDS = [
    "take",
    "the",
    "given",
    "input",
    "and",
    "turn",
    "it",
    "into",
    "text",
    "image",
    "audio",
    "video",
    "file",
    "result",
    "then",
    "search",
    "translate",
    "simplify",
    "extract",
    "apply",
    "using",
    "with",
]


def make_sample(graph: ToolGraph, number: int, generator: random.Random) -> dict[str, Any]:
    """Make one annotation: a chain of tools, with steps of about twelve words."""
    size = generator.choices(range(1, 11), [9, 5, 9, 9, 5, 4, 3, 2, 1, 1])[0]
    tools = generator.sample(sorted(graph.tools), size)
    steps = [
        f"Step {i + 1}: " + " ".join(generator.choices(_WORDS, k=generator.randint(8, 16)))
        for i in range(size)
    ]
    return {
        "id": str(number),
        "type": "single" if size == 1 else generator.choice(["chain", "dag"]),
        "task_steps": steps,
        "task_nodes": [
            {"task": tool, "arguments": [f"<node-{i - 1}>" if i else "example.jpg"]}
            for i, tool in enumerate(tools)
        ],
        "task_links": [],
    }


def predict(gold: dict[str, Any], tools: list[str], generator: random.Random) -> dict[str, Any]:
    """Return a prediction that is partly wrong."""
    result = copy.deepcopy({key: gold[key] for key in ("task_steps", "task_nodes", "task_links")})
    result["task_steps"] = [
        " ".join(w if generator.random() < 0.7 else generator.choice(_WORDS) for w in s.split())
        for s in result["task_steps"]
    ]
    for node in result["task_nodes"]:
        if generator.random() < 0.2:
            node["task"] = generator.choice(tools)
    return {"id": gold["id"], "result": result}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    graph = load_tool_graph("multimedia")
    generator = random.Random(1)
    gold = [make_sample(graph, number, generator) for number in range(count)]
    tools = sorted(graph.tools)
    predictions = [predict(sample, tools, generator) for sample in gold]
    for mode in ("reference", "strict"):
        seconds = {}
        for rouge in (False, True):
            start = time.perf_counter(), time.process_time()
            evaluate(gold, predictions, graph, mode, rouge=rouge, processes=processes)
            seconds[rouge] = time.perf_counter() - start[0], time.process_time() - start[1]
        share = 1 - seconds[False][0] / seconds[True][0]
        print(
            f"{mode}: {count} samples, all groups, {processes} process(es): "
            f"{seconds[True][0]:.2f} s ({seconds[True][1]:.2f} s of CPU in this process), "
            f"{seconds[False][0]:.2f} s without ROUGE; rouge-score's share {share:.0%}"
        )


if __name__ == "__main__":
    main()
