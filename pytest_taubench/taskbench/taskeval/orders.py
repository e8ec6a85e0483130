"""The orders in which a graph's tools can run, and the one closest to a given sequence."""

from __future__ import annotations

from collections.abc import Sequence

_WIDEST = 3_000
"""Most states kept at a time. Ten tools have at most 252 × 6, so that the result is exact; only
graphs far larger reach this, and of theirs the states that matched most are kept."""


def longest_match(
    tools: Sequence[str], links: Sequence[tuple[int, int]], sequence: Sequence[str]
) -> int:
    """Return the longest common subsequence of ``sequence`` with any order the links allow.

    Links that form a cycle allow no order at all; ``has_cycle`` tells.

    Args:
        tools: The names of the graph's nodes.
        links: Pairs of positions; the first must run before the second.
        sequence: The names to compare with.
    """
    needs = _predecessors(links, len(tools))
    nexts = {tool: _next_places(tool, sequence) for tool in {*tools} & {*sequence}}
    # A state is the set of nodes run so far and how many of them matched; of the states alike in
    # both, only the one that used up least of the sequence can be part of the best order.
    states: dict[tuple[int, int], int] = {(0, 0): 0}
    for _ in tools:
        states = _run_one_more(states, tools, needs, nexts)
        if len(states) > _WIDEST:
            best = sorted(states.items(), key=lambda item: (-item[0][1], item[1]))
            states = dict(best[:_WIDEST])
    return max(matched for _, matched in states)


def has_cycle(links: Sequence[tuple[int, int]], size: int) -> bool:
    """Return whether some of ``size`` nodes wait for one another."""
    needs = _predecessors(links, size)
    done, remaining = 0, set(range(size))
    while remaining:
        ready = {node for node in remaining if needs[node] & ~done == 0}
        if not ready:
            return True
        remaining -= ready
        done |= sum(1 << node for node in ready)
    return False


def _predecessors(links: Sequence[tuple[int, int]], size: int) -> list[int]:
    """Return each node's predecessors as a bit set."""
    needs = [0] * size
    for source, target in links:
        needs[target] |= 1 << source
    return needs


def _next_places(name: str, sequence: Sequence[str]) -> list[int]:
    """Return for each place the place after the name's next occurrence, 0 for none."""
    nexts = [0] * (len(sequence) + 1)
    for place in range(len(sequence) - 1, -1, -1):
        nexts[place] = place + 1 if sequence[place] == name else nexts[place + 1]
    return nexts


def _run_one_more(
    states: dict[tuple[int, int], int],
    tools: Sequence[str],
    needs: Sequence[int],
    nexts: dict[str, list[int]],
) -> dict[tuple[int, int], int]:
    after: dict[tuple[int, int], int] = {}
    for (done, matched), place in states.items():
        for node, tool in enumerate(tools):
            bit = 1 << node
            if done & bit or needs[node] & ~done:
                continue
            _keep(after, (done | bit, matched), place)
            if tool in nexts and (next_place := nexts[tool][place]):
                _keep(after, (done | bit, matched + 1), next_place)
    return after


def _keep(states: dict[tuple[int, int], int], state: tuple[int, int], place: int) -> None:
    if state not in states or place < states[state]:
        states[state] = place
