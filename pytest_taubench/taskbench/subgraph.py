"""A sampled subgraph."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from pytest_taubench.errors import TauBenchError
from pytest_taubench.taskbench.graph import Edge, GraphTool, ToolGraph

SampleMode = Literal["node", "chain", "dag"]
SAMPLE_MODES: tuple[SampleMode, ...] = ("node", "chain", "dag")

SAMPLE_TYPE = {"node": "single", "chain": "chain", "dag": "dag"}
"""The ``type`` that a sample of each mode has in TaskBench's data."""


class NoSuchSubgraph(TauBenchError):
    """A graph has no subgraph of the mode and size asked for."""


@dataclass(frozen=True)
class Subgraph:
    """A subgraph of a tool graph.

    Attributes:
        mode: ``node``, ``chain`` or ``dag``.
        tools: The tools' ids, producers before consumers.
        edges: The edges.
    """

    mode: SampleMode
    tools: tuple[str, ...]
    edges: tuple[Edge, ...]

    @property
    def branches(self) -> bool:
        """True when some tool has several producers or several consumers: a real DAG."""
        ends = Counter(("from", edge.source) for edge in self.edges)
        ends.update(("to", edge.target) for edge in self.edges)
        return any(times > 1 for times in ends.values())

    def as_sample(self, graph: ToolGraph, id_: str, seed: int) -> dict[str, Any]:
        """Return the fields of a TaskBench sample that sampling decides."""
        return {
            "id": id_,
            "seed": seed,
            "n_tools": len(self.tools),
            "type": SAMPLE_TYPE[self.mode],
            "sampled_nodes": [_node(graph.tools[tool], graph) for tool in self.tools],
            "sampled_links": [{"source": e.source, "target": e.target} for e in self.edges],
        }


def _node(tool: GraphTool, graph: ToolGraph) -> dict[str, Any]:
    if graph.dependency == "resource":
        return {
            "task": tool.id,
            "input-type": list(tool.inputs),
            "output-type": list(tool.outputs),
        }
    arguments = [{"name": p.name, "type": p.type, "desc": p.description} for p in tool.parameters]
    return {"task": tool.id, "arguments": arguments}
