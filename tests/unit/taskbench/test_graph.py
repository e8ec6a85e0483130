"""Tool graphs: built by their rule, checked when read, described and drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.errors import DomainError
from pytest_taubench.taskbench.drawing import to_dot
from pytest_taubench.taskbench.graph import GraphTool, Parameter, build_graph, graph_statistics
from pytest_taubench.taskbench.graph_file import graph_from_data, load_tool_graph, tool_graph_names
from pytest_taubench.taskbench.sampling import Sampler


def read(**data: Any) -> Any:
    return graph_from_data(data, name="mine", where="tools.json")


def tool(id_: str, inputs: Any = (), outputs: Any = (), **more: Any) -> dict[str, Any]:
    return {"id": id_, "inputs": list(inputs), "outputs": list(outputs), **more}


@pytest.mark.parametrize(
    ("name", "tools", "edges", "types"),
    [
        ("huggingface", 23, 225, {"text": 174, "image": 46, "audio": 5}),
        ("dailylife", 40, 1560, {"complete": 1560}),
        (
            "multimedia",
            40,
            449,
            {"text": 304, "video": 52, "audio": 45, "image": 44, "url": 4},
        ),
    ],
)
def test_the_bundled_graphs_have_the_papers_sizes(
    name: str, tools: int, edges: int, types: dict[str, int]
) -> None:
    statistics = graph_statistics(load_tool_graph(name))
    assert (statistics.tools, statistics.edges) == (tools, edges)
    assert statistics.edges_by_type == types


def test_every_bundled_tool_and_parameter_is_described() -> None:
    assert set(tool_graph_names()) == {"huggingface", "multimedia", "dailylife"}
    for name in tool_graph_names():
        for item in load_tool_graph(name).tools.values():
            assert item.description.endswith(".")
            assert all(parameter.description for parameter in item.parameters)


def test_the_published_slip_leaves_image_search_without_out_edges() -> None:
    graph = load_tool_graph("multimedia")
    assert graph_statistics(graph).sinks == ["Image Search"]
    mended = [
        GraphTool(t.id, inputs=t.inputs, outputs=tuple(o.lower() for o in t.outputs))
        for t in graph.tools.values()
    ]
    assert len(build_graph("mended", "resource", mended).edges) == 455


def test_a_resource_edge_goes_where_a_type_is_shared_and_never_to_itself() -> None:
    graph = read(tools=[tool("a", "x", "yz"), tool("b", "zy", "x"), tool("c", "", "x")])
    assert graph.dependency == "resource"
    assert graph.edge_types == {("a", "b"): "y", ("b", "a"): "x", ("c", "a"): "x"}


def test_a_temporal_graph_has_every_ordered_pair() -> None:
    graph = read(tools=[{"id": i, "parameters": [{"name": "p"}]} for i in "abc"])
    assert graph.dependency == "temporal"
    assert len(graph.edges) == 6
    assert {edge.type for edge in graph.edges} == {"complete"}


def test_edges_that_a_file_gives_are_taken_instead_of_the_rule() -> None:
    tools = [tool("a", "", "x"), tool("b", "x"), tool("c", "x")]
    graph = read(tools=tools, edges=[{"source": "a", "target": "c", "type": "x"}])
    assert graph.edge_types == {("a", "c"): "x"}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({}, "expected a list of tools under 'tools'"),
        ({"tools": []}, "expected a list of tools under 'tools'"),
        ({"tools": [tool("a")], "edgs": []}, "the graph: unknown field 'edgs', 'edges'?"),
        ({"tools": ["a"]}, "tools[0]: expected an object with an 'id'"),
        ({"tools": [tool("a"), tool("a")]}, "tools[1]: the id 'a' is there twice"),
        ({"tools": [{"id": "a", "input": []}]}, "tools[0] (a): unknown field 'input', 'inputs'?"),
        ({"tools": [{"id": "a", "inputs": "text"}]}, "expected a list of type names, found 'text'"),
        ({"tools": [tool("a", [3])]}, "expected a list of type names, found [3]"),
        ({"tools": [tool("a", parameters=["p"])]}, "expected objects with a 'name', found 'p'"),
        (
            {"tools": [{"id": "a", "parameters": [{"name": "p"}, {"name": "p"}]}]},
            "the parameter 'p' is there twice",
        ),
        (
            {"tools": [tool("a", "x"), {"id": "b", "parameters": [{"name": "p"}]}]},
            "b: a resource graph's tools have no parameters",
        ),
        (
            {"dependency": "temporal", "tools": [tool("a", "x")]},
            "a: a temporal graph's tools have no inputs and outputs",
        ),
        ({"dependency": "causal", "tools": [tool("a")]}, "expected 'resource' or 'temporal'"),
        ({"tools": [tool("a")], "edges": 3}, "expected a list of edges under 'edges'"),
        ({"tools": [tool("a")], "edges": ["a"]}, "edges[0]: expected an object, found 'a'"),
        (
            {"tools": [tool("a", "x")], "edges": [{"source": "a", "target": "z"}]},
            "edges[0]: no such target tool: 'z'",
        ),
        (
            {
                "tools": [tool("a", "x", "x")],
                "edges": [{"source": "a", "target": "a", "type": "x"}],
            },
            "edges[0]: a points at itself",
        ),
        (
            {
                "tools": [tool("a", "", "x"), tool("b", "y")],
                "edges": [{"source": "a", "target": "b", "type": "x"}],
            },
            "edges[0]: a gives no 'x' that b takes",
        ),
        (
            {
                "tools": [tool("a", "", "x"), tool("b", "x")],
                "edges": [{"source": "a", "target": "b", "type": "x"}] * 2,
            },
            "edges[1]: a → b is there twice",
        ),
    ],
)
def test_a_wrong_graph_is_told_what_is_wrong_and_where(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(DomainError) as raised:
        read(**data)
    assert problem in str(raised.value)
    assert str(raised.value).startswith("tools.json: ")


def test_all_problems_of_a_graph_are_named_at_once() -> None:
    with pytest.raises(DomainError) as raised:
        read(tools=["a", tool("b", [3])], edges=3)
    assert len(str(raised.value).splitlines()) == 3


def test_a_graph_is_found_by_folder_and_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "tools.json").write_text(json.dumps({"tools": [tool("a", "", "x")]}))
    assert load_tool_graph("mine", base=tmp_path).name == "mine"
    assert load_tool_graph(folder / "tools.json").tools.keys() == {"a"}


def test_an_unknown_graph_is_answered_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match=r"no tool graph 'multimdia'.*did you mean 'multimedia'"):
        load_tool_graph("multimdia", base=tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DomainError, match=r"the folder holds none of tools\.json"):
        load_tool_graph("empty", base=tmp_path)
    (tmp_path / "tools.json").write_text("{")
    with pytest.raises(DomainError, match="not JSON"):
        load_tool_graph("tools.json", base=tmp_path)


def test_statistics_say_where_no_edge_leads() -> None:
    statistics = graph_statistics(
        read(tools=[tool("a", "", "x"), tool("b", "x", "y"), tool("c", "z", "")])
    )
    assert (statistics.sources, statistics.sinks) == (["a", "c"], ["b", "c"])
    assert (statistics.components, statistics.largest_cycle_component) == (2, 1)
    assert statistics.density == pytest.approx(1 / 6)


@pytest.mark.parametrize("name", ["huggingface", "multimedia", "dailylife"])
def test_a_picture_shows_every_tool_and_every_edge(name: str) -> None:
    graph = load_tool_graph(name)
    dot = to_dot(graph)
    assert dot.count(" -> ") == len(graph.edges)
    assert {tool for tool in graph.tools if f'  "{tool}";' in dot} == set(graph.tools)
    assert dot.startswith(f'digraph "{name}" {{')


def test_text_in_pictures_is_escaped() -> None:
    graph = build_graph(
        'a"<b>',
        "temporal",
        [GraphTool('say "hi" <now>', "a & b"), GraphTool("back\\slash")],
    )
    assert r'"say \"hi\" <now>" -> "back\\slash"' in to_dot(graph)


def test_a_subgraph_is_drawn_without_the_rest_from_left_to_right() -> None:
    import random

    graph = load_tool_graph("multimedia")
    chain = Sampler(graph).draw("chain", 4, random.Random(1))
    dot = to_dot(graph, chain)
    assert "rankdir=LR;" in dot
    assert [line.strip(' ";') for line in dot.splitlines() if line.endswith('";')] == [*chain.tools]
    assert dot.count(" -> ") == 3


def test_a_parameter_is_a_string_unless_said_otherwise() -> None:
    graph = read(tools=[{"id": "a", "parameters": [{"name": "p"}, {"name": "d", "type": "date"}]}])
    assert graph.tools["a"].parameters == (Parameter("p", "string"), Parameter("d", "date"))


TEMPORAL = {"dependency": "temporal"}


def test_an_id_with_an_underscore_is_the_name_with_a_space() -> None:
    graph = graph_from_data(
        {
            "tools": [
                {"id": "get_page", "outputs": ["page"]},
                {"id": "read page", "inputs": ["page"], "outputs": ["text"]},
            ]
        },
        name="own",
        where="own",
    )
    assert graph.tool_id("get_page") == graph.tool_id("get page") == "get_page"
    assert graph.tool_id("read_page") == graph.tool_id("read page") == "read page"
    assert graph.tool_id("no_such") == "no such"


def test_a_temporal_graphs_names_are_taken_as_they_stand() -> None:
    graph = graph_from_data({"tools": [{"id": "get_page"}]} | TEMPORAL, name="own", where="own")
    assert graph.tool_id("get_page") == "get_page"
    assert graph.tool_id("get page") == "get page"


def test_two_ids_that_are_one_name_are_refused_where_an_underscore_is_a_space() -> None:
    tools = {"tools": [{"id": "a b", "outputs": ["x"]}, {"id": "a_b", "outputs": ["x"]}]}
    with pytest.raises(DomainError, match="the ids 'a b' and 'a_b' are one name"):
        graph_from_data(tools, name="own", where="own")
    temporal = {"tools": [{"id": "a b"}, {"id": "a_b"}]} | TEMPORAL
    assert len(graph_from_data(temporal, name="own", where="own").tools) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "nested too deep"),
        ('{"name": ["x"], "tools": [{"id": "a"}]}', r"name: expected a text, found \['x'\]"),
        ('{"tools": [{"id": "a\\ud800"}]}', r"'\\ud800' is half a character"),
    ],
    ids=["deep", "name", "surrogate"],
)
def test_a_graph_file_that_cannot_be_used_is_refused_by_name(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "tools.json").write_text(text)
    with pytest.raises(DomainError, match=problem):
        load_tool_graph(tmp_path)
