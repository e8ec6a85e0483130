"""A tool graph in numbers, as the search for subgraphs needs it."""

from __future__ import annotations

from collections.abc import Mapping
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
