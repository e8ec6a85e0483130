"""Draw many subgraphs of each bundled graph and mode, and check every one by the definition.

Run: ``python benchmarks/sampling_validity.py [COUNT]`` (20,000 by default).
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from typing import Any

from pytest_taubench.taskbench.graph_file import load_tool_graph, tool_graph_names
from pytest_taubench.taskbench.sampling import (
    MODE_RATIO,
    SAMPLE_MODES,
    SIZE_WEIGHTS,
    Sampler,
    draw_batch,
    subgraph_problems,
)


def check_mode(graph: Any, mode: Any, count: int) -> None:
    sampler = Sampler(graph)
    start = time.perf_counter()
    drawn = []
    for seed in range(count):
        generator = random.Random(seed)
        size = 1
        if mode != "node":
            size = generator.choices(list(SIZE_WEIGHTS), list(SIZE_WEIGHTS.values()))[0]
        drawn.append((seed, size, sampler.draw(mode, size, generator)))
    seconds = time.perf_counter() - start
    invalid = sum(bool(subgraph_problems(graph, s, size)) for _, size, s in drawn)
    fresh = Sampler(graph)
    changed = 0
    for seed, size, subgraph in reversed(drawn):
        generator = random.Random(seed)
        if mode != "node":
            generator.choices(list(SIZE_WEIGHTS), list(SIZE_WEIGHTS.values()))
        changed += fresh.draw(mode, size, generator) != subgraph
    line = f"{graph.name} {mode}: {count} in {seconds:.1f} s, {invalid} invalid, {changed} changed"
    if mode == "dag":
        able = [s for _, size, s in drawn if size > 2]
        joins = sum(max(Counter(e.target for e in s.edges).values()) > 1 for s in able)
        cyclic = sum(len(s.edges) >= len(s.tools) for s in able)
        branching = sum(s.branches for s in able)
        line += (
            f"; of {len(able)} with more than 2 tools {branching / len(able):.1%} branch, "
            f"{joins / len(able):.1%} join, {cyclic / len(able):.1%} hold a diamond or shortcut"
        )
    print(line, flush=True)


def check_ratios(graph: Any, count: int) -> None:
    batch = draw_batch(graph, count, seed=1)
    modes = Counter(draw.subgraph.mode for draw in batch.draws)
    total = sum(MODE_RATIO.values())
    shares = ", ".join(
        f"{mode} {modes[mode] / count:.4f} (asked {MODE_RATIO[mode] / total:.4f})"
        for mode in SAMPLE_MODES
    )
    sizes = Counter(len(d.subgraph.tools) for d in batch.draws if d.subgraph.mode != "node")
    weights = sum(SIZE_WEIGHTS.values())
    off = max(
        abs(sizes[size] / sizes.total() - weight / weights) for size, weight in SIZE_WEIGHTS.items()
    )
    print(f"{graph.name}: {shares}; sizes off by {off:.4f} at most; none of {batch.impossible}")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    for name in tool_graph_names():
        graph = load_tool_graph(name)
        for mode in SAMPLE_MODES:
            check_mode(graph, mode, count)
        check_ratios(graph, count)


if __name__ == "__main__":
    main()
