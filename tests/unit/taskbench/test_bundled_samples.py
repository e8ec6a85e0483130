"""The bundled samples: consistent in themselves, possible in their graph, plain in what they ask."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from subgraph_rules import subgraph_problems

from pytest_taubench.bundled import suites_root
from pytest_taubench.taskbench.graph import Edge, ToolGraph
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.sampling import Subgraph

DOMAINS = ("huggingface", "multimedia", "dailylife")
REFERENCE = re.compile(r"<node-(\d+)>")


@cache
def samples_of(domain: str) -> list[dict[str, Any]]:
    file: Path = suites_root() / "taskbench" / f"{domain}.tau.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {row["domain"] for row in rows} == {domain}
    return [row["graph"] for row in rows]


@cache
def graph_of(domain: str) -> ToolGraph:
    return load_tool_graph(domain)


def literals(sample: dict[str, Any]) -> list[str]:
    arguments = [argument for node in sample["task_nodes"] for argument in node["arguments"]]
    values = [a["value"] if isinstance(a, dict) else a for a in arguments]
    return [value for value in values if not REFERENCE.fullmatch(value)]


def reference_pairs(sample: dict[str, Any]) -> set[tuple[str, str]]:
    names = [node["task"] for node in sample["task_nodes"]]
    return {
        (names[int(found[1])], node["task"])
        for node in sample["task_nodes"]
        for argument in node["arguments"]
        if (found := REFERENCE.fullmatch(argument))
    }


def test_each_domain_has_fifty_samples_of_one_to_ten_tools_and_all_types() -> None:
    for domain in DOMAINS:
        samples = samples_of(domain)
        assert len(samples) == 50
        assert {sample["n_tools"] for sample in samples} == set(range(1, 11))
        types = Counter(sample["type"] for sample in samples)
        assert types["single"] == 10
        assert min(types["chain"], types["dag"]) >= 18


def test_no_id_and_no_request_is_there_twice() -> None:
    everything = [sample for domain in DOMAINS for sample in samples_of(domain)]
    for field in ("id", "user_request"):
        assert len({sample[field] for sample in everything}) == 150


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_tool_of_the_graph_is_used(domain: str) -> None:
    used = {node["task"] for sample in samples_of(domain) for node in sample["task_nodes"]}
    assert used == set(graph_of(domain).tools)


@pytest.mark.parametrize("domain", DOMAINS)
def test_counts_steps_and_sampled_parts_agree_with_the_nodes(domain: str) -> None:
    for sample in samples_of(domain):
        names = [node["task"] for node in sample["task_nodes"]]
        assert sample["n_tools"] == len(names) == len(sample["task_steps"])
        assert [node["task"] for node in sample["sampled_nodes"]] == names
        assert sample["sampled_links"] == sample["task_links"]


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_gold_graph_is_a_valid_subgraph_of_its_type(domain: str) -> None:
    graph = graph_of(domain)
    for sample in samples_of(domain):
        tools = tuple(node["task"] for node in sample["task_nodes"])
        ends = [(link["source"], link["target"]) for link in sample["task_links"]]
        edges = tuple(Edge(*pair, graph.edge_types[pair]) for pair in ends)
        mode = {"single": "node"}.get(sample["type"], sample["type"])
        subgraph = Subgraph(mode, tools, edges)
        assert subgraph_problems(graph, subgraph, sample["n_tools"]) == [], sample["id"]
        # Capacity holds for chains too, and a DAG is one that branches.
        if mode != "node":
            as_dag = Subgraph("dag", tools, edges)
            assert subgraph_problems(graph, as_dag, len(tools)) == [], sample["id"]
        assert subgraph.branches == (mode == "dag"), sample["id"]


@pytest.mark.parametrize("domain", ["huggingface", "multimedia"])
def test_links_are_those_of_the_references_and_point_back(domain: str) -> None:
    for sample in samples_of(domain):
        links = {(link["source"], link["target"]) for link in sample["task_links"]}
        assert reference_pairs(sample) == links, sample["id"]
        for place, node in enumerate(sample["task_nodes"]):
            numbers = [int(n) for a in node["arguments"] for n in REFERENCE.findall(a)]
            assert all(number < place for number in numbers), sample["id"]


@pytest.mark.parametrize("domain", ["huggingface", "multimedia"])
def test_each_call_has_the_inputs_of_its_tool(domain: str) -> None:
    tools = graph_of(domain).tools
    for sample in samples_of(domain):
        nodes = sample["task_nodes"]
        for node in nodes:
            inputs = tools[node["task"]].inputs
            assert len(node["arguments"]) == len(inputs), sample["id"]
            for argument, type_ in zip(node["arguments"], inputs, strict=True):
                if found := REFERENCE.fullmatch(argument):
                    assert tools[nodes[int(found[1])]["task"]].outputs == (type_,), sample["id"]


def test_each_daily_life_call_sets_every_parameter() -> None:
    tools = graph_of("dailylife").tools
    for sample in samples_of("dailylife"):
        for node in sample["task_nodes"]:
            names = [argument["name"] for argument in node["arguments"]]
            assert names == [p.name for p in tools[node["task"]].parameters], sample["id"]


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_value_stands_in_the_request_word_for_word(domain: str) -> None:
    for sample in samples_of(domain):
        for value in literals(sample):
            assert value in sample["user_request"], (sample["id"], value)
