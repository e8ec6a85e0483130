"""The search for chains and DAGs of exactly so many tools, which always ends."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pytest_taubench.taskbench.graph import ToolGraph

Capacities = Mapping[str, int]

_UNLIMITED = 1 << 30


@dataclass(frozen=True)
class Adjacency:
    """A tool graph by positions of its tools.

    Attributes:
        graph: The graph.
    """

    graph: ToolGraph

    @cached_property
    def ids(self) -> list[str]:
        """The tools' ids by position."""
        return list(self.graph.tools)

    @cached_property
    def types(self) -> Mapping[tuple[int, int], str]:
        """The edges' types by pair of positions."""
        place = {id_: position for position, id_ in enumerate(self.ids)}
        return {(place[e.source], place[e.target]): e.type for e in self.graph.edges}

    @cached_property
    def successors(self) -> list[list[int]]:
        """The consumers of each tool."""
        return self._neighbours(0)

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """The producers of each tool."""
        return self._neighbours(1)

    def _neighbours(self, end: int) -> list[list[int]]:
        neighbours: list[list[int]] = [[] for _ in self.ids]
        for pair in self.types:
            neighbours[pair[end]].append(pair[1 - end])
        return neighbours

    @cached_property
    def capacities(self) -> list[Capacities]:
        """How many in-edges of each type each tool takes; a temporal graph sets no limit."""
        if self.graph.dependency == "temporal":
            types = set(self.types.values())
            return [dict.fromkeys(types, _UNLIMITED) for _ in self.ids]
        tools = self.graph.tools.values()
        return [{type_: tool.capacity(type_) for type_ in tool.inputs} for tool in tools]

    @cached_property
    def classes(self) -> list[int]:
        """A class for each tool, the same for tools that could change places.

        Two tools are alike when swapping them leaves the graph as it is: they have the same
        neighbours by the same types, and the same inputs. What a search finds impossible with one
        is impossible with the other, which keeps exact search short: the tools of a resource
        graph fall into few classes, those of a temporal graph into one.
        """
        classes: list[int] = []
        first: list[int] = []
        for node in range(len(self.ids)):
            alike = next((c for c, one in enumerate(first) if self._alike(one, node)), len(first))
            if alike == len(first):
                first.append(node)
            classes.append(alike)
        return classes

    def _alike(self, one: int, other: int) -> bool:
        if self.capacities[one] != self.capacities[other]:
            return False
        swap = {one: other, other: one}
        return all(
            self.types.get((swap.get(a, a), swap.get(b, b))) == self.types.get((a, b))
            for end in range(len(self.ids))
            for a, b in ((one, end), (other, end), (end, one), (end, other))
        )


_State = tuple[int, tuple[int, ...]]


class ChainSampler:
    """Draws chains by a random walk that turns back where it cannot go on.

    Exact: it ends with a chain wherever the graph has one. A dead end is remembered by the class
    of the last tool and the classes of the tools used, so nothing alike is tried again.
    """

    def __init__(self, adjacency: Adjacency) -> None:
        self._adjacency = adjacency

    def draw(self, size: int, generator: random.Random) -> list[int] | None:
        """Return the positions of a chain's tools in order, or None where there is none."""
        nodes = range(len(self._adjacency.ids))
        starts = generator.sample(nodes, len(nodes))
        # Kept for this draw only: what earlier draws ruled out would spare random numbers, and the
        # same seed would no longer draw the same chain.
        dead: set[_State] = set()
        path: list[int] = []
        # One list of untried tools a level; the search goes deeper where it can.
        untried = [starts]
        while untried:
            if len(path) == size:
                return path
            if not untried[-1]:
                untried.pop()
                if path:
                    dead.add(self._state(path))
                    path.pop()
                continue
            path.append(untried[-1].pop())
            if dead and self._state(path) in dead:
                path.pop()
                continue
            untried.append(self._nexts(path, generator))
        return None

    def _nexts(self, path: list[int], generator: random.Random) -> list[int]:
        successors = self._adjacency.successors[path[-1]]
        nexts = [node for node in successors if node not in path]
        generator.shuffle(nexts)
        return nexts

    def _state(self, path: list[int]) -> _State:
        classes = [self._adjacency.classes[node] for node in path]
        return classes[-1], tuple(sorted(classes))


_DagState = tuple[tuple[int, tuple[tuple[str, int], ...]], ...]

_LUCKY_TRIES = 12
"""Attachments drawn blindly before all are listed; nearly always the first few fit."""


@dataclass(frozen=True)
class _Attachment:
    """A tool to add, and the edge that ties it to the tools that are there."""

    node: int
    source: int
    target: int


class DagSampler:
    """Draws DAGs: first a random tree of edges of either direction, then further edges.

    Every valid DAG contains such a tree, and every tree can be grown tool by tool, so growing with
    backtracking is exact: it ends with a DAG wherever the graph has one. A dead end is remembered
    by the classes of its tools and what each can still take.
    """

    def __init__(self, adjacency: Adjacency) -> None:
        self._adjacency = adjacency

    def draw(self, size: int, generator: random.Random) -> list[tuple[int, int]] | None:
        """Return the edges of a DAG of ``size`` ≥ 2 tools, or None where there is none."""
        nodes = range(len(self._adjacency.ids))
        # For this draw only, so that the same seed draws the same DAG whatever was drawn before.
        dead: set[_DagState] = set()
        for start in generator.sample(nodes, len(nodes)):
            growth = _Growth(self._adjacency, start)
            if _grow(growth, size, generator, dead):
                growth.add_edges(generator)
                return growth.edges
        return None


def _grow(growth: _Growth, size: int, generator: random.Random, dead: set[_DagState]) -> bool:
    if len(growth.nodes) == size:
        return True
    if dead and growth.state() in dead:
        return False
    for attachment in growth.attachments(generator):
        growth.attach(attachment)
        if _grow(growth, size, generator, dead):
            return True
        growth.detach()
    dead.add(growth.state())
    return False


class _Growth:
    """A DAG while it grows."""

    def __init__(self, adjacency: Adjacency, start: int) -> None:
        self._adjacency = adjacency
        self.nodes = [start]
        self.edges: list[tuple[int, int]] = []
        self._left: dict[int, dict[str, int]] = {start: dict(adjacency.capacities[start])}

    def state(self) -> _DagState:
        """Return what decides whether this can grow on: classes, and what each can still take."""
        return tuple(
            sorted(
                (self._adjacency.classes[node], tuple(sorted(self._left[node].items())))
                for node in self.nodes
            )
        )

    def attachments(self, generator: random.Random) -> Iterator[_Attachment]:
        """Yield ways to add a tool: some drawn blindly, then all in random order."""
        for _ in range(_LUCKY_TRIES):
            attachment = self._draw_attachment(generator)
            if attachment is not None and self._fits(attachment):
                yield attachment
        everything = [a for a in self._all_attachments() if self._fits(a)]
        generator.shuffle(everything)
        yield from everything

    def _draw_attachment(self, generator: random.Random) -> _Attachment | None:
        node = generator.choice(self.nodes)
        forward = generator.random() < 0.5
        adjacency = self._adjacency
        others = adjacency.successors[node] if forward else adjacency.predecessors[node]
        if not others:
            return None
        other = generator.choice(others)
        return _Attachment(other, node, other) if forward else _Attachment(other, other, node)

    def _all_attachments(self) -> Iterator[_Attachment]:
        for node in self.nodes:
            yield from (_Attachment(o, node, o) for o in self._adjacency.successors[node])
            yield from (_Attachment(o, o, node) for o in self._adjacency.predecessors[node])

    def _fits(self, attachment: _Attachment) -> bool:
        if attachment.node in self._left:
            return False
        return attachment.node == attachment.target or self._takes(
            attachment.source, attachment.target
        )

    def _takes(self, source: int, target: int) -> bool:
        return self._left[target].get(self._adjacency.types[source, target], 0) > 0

    def attach(self, attachment: _Attachment) -> None:
        """Add a tool with its edge."""
        self.nodes.append(attachment.node)
        self._left[attachment.node] = dict(self._adjacency.capacities[attachment.node])
        self._connect(attachment.source, attachment.target)

    def detach(self) -> None:
        """Take the last tool and its edge away again."""
        source, target = self.edges.pop()
        self._left[target][self._adjacency.types[source, target]] += 1
        del self._left[self.nodes.pop()]

    def _connect(self, source: int, target: int) -> None:
        self.edges.append((source, target))
        self._left[target][self._adjacency.types[source, target]] -= 1

    def add_edges(self, generator: random.Random) -> None:
        """Add some of the further edges that keep it a DAG.

        In a resource graph few fit at all, since most tools take one input, and half of them are
        added; in a temporal graph all fit, and about half as many as tools are.
        """
        resource = self._adjacency.graph.dependency == "resource"
        chance = 0.5 if resource else 1 / len(self.nodes)
        order = self._random_order(generator)
        there = set(self.edges)
        pairs = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
        generator.shuffle(pairs)
        for pair in pairs:
            known = pair in self._adjacency.types and pair not in there
            if known and self._takes(*pair) and generator.random() < chance:
                self._connect(*pair)

    def _random_order(self, generator: random.Random) -> list[int]:
        """Return the tools in a random order in which every edge points forward."""
        waits = dict.fromkeys(self.nodes, 0)
        for _, target in self.edges:
            waits[target] += 1
        ready = [node for node, times in waits.items() if not times]
        order = []
        while ready:
            node = ready.pop(generator.randrange(len(ready)))
            order.append(node)
            for source, target in self.edges:
                if source == node:
                    waits[target] -= 1
                    if not waits[target]:
                        ready.append(target)
        return order
