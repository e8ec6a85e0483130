"""Sampling: valid by the definition, exact about what a graph has, and the same for a seed."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest
from subgraph_rules import subgraph_problems

from pytest_taubench.taskbench.graph import Edge, GraphTool, ToolGraph, build_graph
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.sampling import (
    MODE_RATIO,
    SAMPLE_MODES,
    SIZE_WEIGHTS,
    NoSuchSubgraph,
    SampleMode,
    Sampler,
    Subgraph,
    draw_batch,
)

GRAPHS = ("huggingface", "multimedia", "dailylife")


def tool(id_: str, inputs: str, outputs: str) -> GraphTool:
    return GraphTool(id_, inputs=tuple(inputs), outputs=tuple(outputs))


def resource_graph(*tools: GraphTool) -> ToolGraph:
    return build_graph("small", "resource", tools)


@pytest.mark.parametrize("mode", SAMPLE_MODES)
@pytest.mark.parametrize("name", GRAPHS)
def test_every_subgraph_is_valid_and_drawn_again_by_its_seed(name: str, mode: SampleMode) -> None:
    graph = load_tool_graph(name)
    first, second = Sampler(graph), Sampler(graph)
    seeds = range(300)
    sizes = [1 if mode == "node" else 2 + seed % 9 for seed in seeds]
    drawn = [first.draw(mode, n, random.Random(s)) for s, n in zip(seeds, sizes, strict=True)]
    assert [subgraph_problems(graph, d, n) for d, n in zip(drawn, sizes, strict=True)] == [[]] * 300
    for seed in reversed(seeds):  # in another order: what was drawn before must change nothing
        assert second.draw(mode, sizes[seed], random.Random(seed)) == drawn[seed]


def has_chain(graph: ToolGraph, size: int) -> bool:
    edges = graph.edge_types
    return any(
        all(pair in edges for pair in pairwise(path)) for path in permutations(graph.tools, size)
    )


def has_dag(graph: ToolGraph, size: int) -> bool:
    """Try every set of tools and every set of size-1 edges: a valid DAG holds such a tree."""
    return any(
        not subgraph_problems(graph, Subgraph("dag", tools, edges), size)
        for tools in combinations(graph.tools, size)
        for edges in combinations(
            [e for e in graph.edges if e.source in tools and e.target in tools], size - 1
        )
    )


def random_graph(generator: random.Random) -> ToolGraph:
    types = "abc"
    tools = [
        tool(
            str(number),
            "".join(generator.choices(types, k=generator.randint(0, 2))),
            generator.choice(["", *types]),
        )
        for number in range(6)
    ]
    return resource_graph(*tools)


@pytest.mark.parametrize("seed", range(40))
def test_a_subgraph_is_found_exactly_where_one_exists(seed: int) -> None:
    generator = random.Random(seed)
    graph = random_graph(generator)
    sampler = Sampler(graph)
    for size in range(2, 6):
        for mode, exists in (("chain", has_chain(graph, size)), ("dag", has_dag(graph, size))):
            if not exists:
                with pytest.raises(NoSuchSubgraph):
                    sampler.draw(mode, size, generator)  # type: ignore[arg-type]
                continue
            drawn = sampler.draw(mode, size, generator)  # type: ignore[arg-type]
            assert subgraph_problems(graph, drawn, size) == []


def test_a_missing_mode_and_size_is_named() -> None:
    graph = resource_graph(tool("a", "", "x"), tool("b", "x", ""))
    with pytest.raises(NoSuchSubgraph, match=r"'small' has no chain of size 3"):
        Sampler(graph).draw("chain", 3, random.Random(1))


@pytest.mark.parametrize(("mode", "size"), [("node", 2), ("chain", 1), ("dag", 1), ("chain", 0)])
def test_a_size_that_the_mode_never_has_is_refused(mode: SampleMode, size: int) -> None:
    with pytest.raises(NoSuchSubgraph):
        Sampler(load_tool_graph("multimedia")).draw(mode, size, random.Random(1))


def test_the_longest_search_without_a_result_ends_at_once() -> None:
    # Four hubs between thirty leaves: no path visits ten tools, and there are 10^8 to try.
    hubs = [tool(f"hub{n}", "a", "b") for n in range(4)]
    leaves = [tool(f"leaf{n}", "b", "a") for n in range(30)]
    sampler = Sampler(resource_graph(*hubs, *leaves))
    assert len(sampler.draw("chain", 9, random.Random(1)).tools) == 9
    with pytest.raises(NoSuchSubgraph):
        sampler.draw("chain", 10, random.Random(1))


def test_a_consumer_takes_no_more_of_a_type_than_it_has_inputs() -> None:
    producers = [tool(f"p{n}", "", "x") for n in range(5)]
    sampler = Sampler(resource_graph(tool("join", "xx", "y"), *producers))
    joined = {frozenset(sampler.draw("dag", 3, random.Random(s)).tools) for s in range(200)}
    assert len(joined) == 10  # every pair of five producers comes up
    with pytest.raises(NoSuchSubgraph):
        sampler.draw("dag", 4, random.Random(1))


def test_a_diamond_can_be_drawn() -> None:
    graph = resource_graph(
        tool("start", "", "x"), tool("l", "x", "y"), tool("r", "x", "y"), tool("end", "yy", "")
    )
    diamond = {("start", "l"), ("start", "r"), ("l", "end"), ("r", "end")}
    drawn = [Sampler(graph).draw("dag", 4, random.Random(seed)) for seed in range(100)]
    assert any({(e.source, e.target) for e in subgraph.edges} == diamond for subgraph in drawn)


@pytest.mark.parametrize("name", GRAPHS)
def test_dags_of_three_and_more_tools_branch(name: str) -> None:
    graph = load_tool_graph(name)
    drawn = [Sampler(graph).draw("dag", 3 + s % 8, random.Random(s)) for s in range(200)]
    assert sum(subgraph.branches for subgraph in drawn) >= 198


def test_a_graph_that_only_has_paths_still_gives_its_dag() -> None:
    graph = resource_graph(tool("a", "", "x"), tool("b", "x", "y"), tool("c", "y", ""))
    drawn = Sampler(graph).draw("dag", 3, random.Random(1))
    assert (drawn.tools, drawn.branches) == (("a", "b", "c"), False)


def test_modes_and_sizes_follow_the_ratios() -> None:
    number = 6000
    batch = draw_batch(load_tool_graph("multimedia"), number, seed=5)
    modes = Counter(draw.subgraph.mode for draw in batch.draws)
    for mode, weight in MODE_RATIO.items():
        share = weight / 18
        # Four standard deviations of a binomial share.
        assert abs(modes[mode] / number - share) < 4 * (share * (1 - share) / number) ** 0.5
    sizes = Counter(len(d.subgraph.tools) for d in batch.draws if d.subgraph.mode != "node")
    for size, weight in SIZE_WEIGHTS.items():
        share = weight / 1.025
        spread = (share * (1 - share) / sizes.total()) ** 0.5
        assert abs(sizes[size] / sizes.total() - share) < 4 * spread
    assert batch.impossible == set()


def test_a_batch_passes_over_what_the_graph_does_not_have_and_says_so() -> None:
    graph = resource_graph(tool("a", "", "x"), tool("b", "x", ""))
    batch = draw_batch(graph, 60, seed=1, modes={"chain": 1}, sizes={2: 1, 3: 1})
    assert {len(draw.subgraph.tools) for draw in batch.draws} == {2}
    assert batch.impossible == {("chain", 3)}
    with pytest.raises(NoSuchSubgraph, match="none of: chain of size 3"):
        draw_batch(graph, 1, seed=1, modes={"chain": 1, "dag": 0}, sizes={2: 0, 3: 1})


def test_a_batch_is_decided_by_its_seed() -> None:
    graph = load_tool_graph("huggingface")
    assert draw_batch(graph, 50, seed=3) == draw_batch(graph, 50, seed=3)
    assert draw_batch(graph, 50, seed=3) != draw_batch(graph, 50, seed=4)


@pytest.mark.parametrize(
    ("subgraph", "problem"),
    [
        (Subgraph("node", ("a", "b"), ()), "2 tools instead of 1"),
        (Subgraph("chain", ("a", "b"), ()), "the edges are not those of a chain"),
        (Subgraph("chain", ("a", "a"), ()), "a tool is there twice"),
        (Subgraph("chain", ("a", "nobody"), ()), "no such tool: nobody"),
        (Subgraph("dag", ("a", "b"), ()), "it falls apart"),
        (Subgraph("dag", ("a", "b"), (Edge("a", "b", "y"),)), "the graph has no such edge"),
        (
            Subgraph("dag", ("b", "c"), (Edge("b", "c", "x"), Edge("c", "b", "x"))),
            "there is a cycle",
        ),
        (
            Subgraph("dag", ("a", "b", "c"), (Edge("a", "b", "x"), Edge("c", "b", "x"))),
            "b takes x from 2 tools",
        ),
    ],
)
def test_an_invalid_subgraph_is_told_why(subgraph: Subgraph, problem: str) -> None:
    graph = resource_graph(tool("a", "", "x"), tool("b", "x", "x"), tool("c", "x", "x"))
    size = 1 if subgraph.mode == "node" else len(subgraph.tools)
    assert any(text.startswith(problem) for text in subgraph_problems(graph, subgraph, size))
