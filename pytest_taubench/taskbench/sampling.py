"""Draw subgraphs of a tool graph: ``Sample(G, mode, size)`` of arXiv 2311.18760, section 3.1."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any, Literal

from pytest_taubench.errors import TauBenchError
from pytest_taubench.randomness import stable_seed
from pytest_taubench.taskbench.graph import Edge, GraphTool, ToolGraph
from pytest_taubench.taskbench.subgraph_search import Adjacency, ChainSampler, DagSampler

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


MODE_RATIO: Mapping[SampleMode, float] = {"node": 3, "chain": 7, "dag": 8}
SIZE_WEIGHTS: Mapping[int, float] = {
    2: 0.1,
    3: 0.2,
    4: 0.3,
    5: 0.2,
    6: 0.1,
    7: 0.05,
    8: 0.025,
    9: 0.025,
    10: 0.025,
}
"""The paper's weights; they sum to 1.025 and are used as weights only."""

_TRIES_FOR_BRANCHES = 24
"""How often a DAG that came out as a plain path is drawn again, from three tools on."""


class Sampler:
    """Draws subgraphs of one graph.

    Args:
        graph: The tool graph.
    """

    def __init__(self, graph: ToolGraph) -> None:
        self.graph = graph
        self._adjacency = Adjacency(graph)
        self._chains = ChainSampler(self._adjacency)
        self._dags = DagSampler(self._adjacency)

    def draw(self, mode: SampleMode, size: int, generator: random.Random) -> Subgraph:
        """Draw a subgraph.

        Args:
            mode: ``node``, ``chain`` or ``dag``.
            size: How many tools, 1 for a node and at least 2 otherwise.
            generator: The source of randomness; the same state draws the same subgraph.

        Raises:
            NoSuchSubgraph: The graph has none of that mode and size.
        """
        fits = size == 1 if mode == "node" else size >= 2
        subgraph = None
        if fits and self.graph.tools:
            subgraph = self._draw(mode, size, generator)
        if subgraph is None:
            raise NoSuchSubgraph(f"the graph {self.graph.name!r} has no {mode} of size {size}")
        return subgraph

    def _draw(self, mode: SampleMode, size: int, generator: random.Random) -> Subgraph | None:
        if mode == "node":
            return Subgraph(mode, (generator.choice(self._adjacency.ids),), ())
        if mode == "chain":
            path = self._chains.draw(size, generator)
            return None if path is None else self._chain(path)
        return self._draw_dag(size, generator)

    def _chain(self, path: Sequence[int]) -> Subgraph:
        tools = tuple(self._adjacency.ids[node] for node in path)
        return Subgraph("chain", tools, tuple(self._edge(*pair) for pair in pairwise(path)))

    def _draw_dag(self, size: int, generator: random.Random) -> Subgraph | None:
        drawn = None
        for _ in range(1 if size == 2 else _TRIES_FOR_BRANCHES):
            pairs = self._dags.draw(size, generator)
            if pairs is None:
                return None
            drawn = self._dag(pairs)
            if drawn.branches:
                break
        return drawn

    def _dag(self, pairs: Sequence[tuple[int, int]]) -> Subgraph:
        edges = tuple(self._edge(*pair) for pair in sorted(pairs))
        return Subgraph("dag", tuple(_ordered(edges)), edges)

    def _edge(self, source: int, target: int) -> Edge:
        ids = self._adjacency.ids
        return Edge(ids[source], ids[target], self._adjacency.types[source, target])


def _ordered(edges: Sequence[Edge]) -> list[str]:
    """Return the tools of a DAG's edges, producers before consumers."""
    waits = Counter({edge.source: 0 for edge in edges})
    waits.update(edge.target for edge in edges)
    order = [tool for tool, times in waits.items() if not times]
    for tool in order:  # grows while it is read
        for edge in edges:
            if edge.source == tool:
                waits[edge.target] -= 1
                if not waits[edge.target]:
                    order.append(edge.target)
    return order


@dataclass(frozen=True)
class Draw:
    """One sampled subgraph of a batch, and the seed that draws it again."""

    seed: int
    subgraph: Subgraph


@dataclass
class Batch:
    """A batch of sampled subgraphs.

    Attributes:
        draws: The subgraphs.
        impossible: Modes and sizes that came up and that the graph does not have.
    """

    draws: list[Draw] = field(default_factory=list)
    impossible: set[tuple[SampleMode, int]] = field(default_factory=set)


def draw_batch(
    graph: ToolGraph,
    number: int,
    seed: int,
    *,
    modes: Mapping[SampleMode, float] = MODE_RATIO,
    sizes: Mapping[int, float] = SIZE_WEIGHTS,
) -> Batch:
    """Draw subgraphs whose modes and sizes follow the ratios.

    What the graph does not have is drawn anew and reported, so that the ratios of the rest hold.

    Args:
        graph: The tool graph.
        number: How many.
        seed: Decides all of them; each gets a seed of its own from it.
        modes: The weight of each mode.
        sizes: The weight of each size of chains and DAGs.

    Raises:
        NoSuchSubgraph: The graph has nothing of any mode and size asked for.
    """
    sampler = Sampler(graph)
    batch = Batch()
    for index in range(number):
        own = stable_seed(seed, graph.name, index)
        batch.draws.append(Draw(own, _draw_one(sampler, own, modes, sizes, batch.impossible)))
    return batch


def _draw_one(
    sampler: Sampler,
    seed: int,
    modes: Mapping[SampleMode, float],
    sizes: Mapping[int, float],
    impossible: set[tuple[SampleMode, int]],
) -> Subgraph:
    asked = {
        (mode, size)
        for mode, weight in modes.items()
        for size in (sizes if mode != "node" else (1,))
        if weight and (mode == "node" or sizes[size])
    }
    # A generator an attempt: whether an impossible mode was known before must change nothing.
    for attempt in count():
        if asked <= impossible:
            break
        generator = random.Random(stable_seed(seed, attempt))
        mode = generator.choices(list(modes), list(modes.values()))[0]
        size = 1
        if mode != "node":
            size = generator.choices(list(sizes), list(sizes.values()))[0]
        try:
            return sampler.draw(mode, size, generator)
        except NoSuchSubgraph:
            impossible.add((mode, size))
    wanted = ", ".join(f"{mode} of size {size}" for mode, size in sorted(asked))
    raise NoSuchSubgraph(f"the graph {sampler.graph.name!r} has none of: {wanted}")


__all__ = [
    "MODE_RATIO",
    "SAMPLE_MODES",
    "SIZE_WEIGHTS",
    "Batch",
    "Draw",
    "NoSuchSubgraph",
    "SampleMode",
    "Sampler",
    "Subgraph",
    "draw_batch",
]
