"""Draw chains: simple paths of exactly so many tools."""

from __future__ import annotations

import random

from pytest_taubench.taskbench.adjacency import Adjacency

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
