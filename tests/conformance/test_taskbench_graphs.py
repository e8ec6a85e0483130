"""The tool graphs equal the published ones, edge for edge."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_file import load_tool_graph

PUBLISHED_FOLDER = {
    "huggingface": "huggingface",
    "multimedia": "multimedia",
    "dailylife": "dailylifeapis",
}

graphs = pytest.mark.parametrize("name", sorted(PUBLISHED_FOLDER))


def edges_of(graph: ToolGraph) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.target, edge.type) for edge in graph.edges}


def published(upstream: Path, name: str) -> tuple[Path, set[tuple[str, str, str]]]:
    folder = upstream / "taskbench" / "graphs" / PUBLISHED_FOLDER[name]
    data = json.loads((folder / "graph_desc.json").read_text())
    return folder, {(link["source"], link["target"], link["type"]) for link in data["links"]}


@graphs
def test_built_from_the_published_tools_the_edges_are_the_published_ones(
    upstream: Path, name: str
) -> None:
    folder, edges = published(upstream, name)
    graph = load_tool_graph(folder / "tool_desc.json")
    assert edges_of(graph) == edges
    assert len(graph.edges) == len(edges)


@graphs
def test_the_published_graph_file_is_read_as_it_is(upstream: Path, name: str) -> None:
    folder, edges = published(upstream, name)
    assert edges_of(load_tool_graph(folder / "graph_desc.json")) == edges


@graphs
def test_the_bundled_graph_has_the_published_edges(upstream: Path, name: str) -> None:
    _, edges = published(upstream, name)
    assert edges_of(load_tool_graph(name)) == edges


@graphs
def test_the_bundled_tools_take_and_give_what_the_published_ones_do(
    upstream: Path, name: str
) -> None:
    folder, _ = published(upstream, name)
    theirs = load_tool_graph(folder / "tool_desc.json").tools
    ours = load_tool_graph(name).tools
    assert ours.keys() == theirs.keys()
    for id_, tool in ours.items():
        assert Counter(tool.inputs) == Counter(theirs[id_].inputs), id_
        assert tool.outputs == theirs[id_].outputs, id_
        assert [(p.name, p.type) for p in tool.parameters] == [
            (p.name, p.type) for p in theirs[id_].parameters
        ], id_


@graphs
def test_no_description_is_taken_from_the_published_graph(upstream: Path, name: str) -> None:
    folder, _ = published(upstream, name)
    theirs = load_tool_graph(folder / "tool_desc.json").tools
    for id_, tool in load_tool_graph(name).tools.items():
        assert tool.description.lower() != theirs[id_].description.lower(), id_
