"""A predicted plan beside gold's."""

from __future__ import annotations

from typing import Any

from pytest_taubench.report.plan_comparison import comparison_lines, differences
from pytest_taubench.schema import Ending, TrialRecord


def node(task: str, *arguments: Any) -> dict[str, Any]:
    return {"task": task, "arguments": list(arguments)}


def record(gold: Any, predicted: Any, dependency: str = "resource") -> TrialRecord:
    plans = [
        plan if not isinstance(plan, list) else {"task_nodes": plan} for plan in (gold, predicted)
    ]
    graph = {"gold": plans[0], "prediction": plans[1], "dependency": dependency, "faults": []}
    return TrialRecord(
        kind="graph",
        nodeid="x::a[trial-1]",
        suite="x",
        domain="g",
        task_id="a",
        trial=1,
        outcome="scored",
        reward=0.0,
        ending=Ending.ANSWERED,
        graph=graph,
    )


GOLD = [node("Read Out", "a.txt"), node("Cut", "<node-0>")]


def test_what_differs_is_marked_and_references_are_named_by_their_tool():
    predicted = [node("Cut", "<node-1>"), node("Read Out", "b.txt")]
    assert comparison_lines(record(GOLD, predicted), full=False) == [
        "  nodes, expected           predicted",
        "    Read Out                Read Out",
        "!     a.txt                   b.txt",
        "    Cut                     Cut",
        "      <output of Read Out>    <output of Read Out>",
        "  links",
        "    Read Out -> Cut         Read Out -> Cut",
    ]


def test_underscores_in_a_known_name_are_no_difference():
    assert differences(record(GOLD, [node("Read_Out", "a.txt"), node("Cut", "<node-0>")])) == []


def test_differences_name_tools_before_arguments_and_links_apart():
    assert differences(record(GOLD, [node("Cut", "a.txt"), node("Sew", "x")])) == [
        "missing Read Out",
        "not expected: Sew",
        "missing link Read Out -> Cut",
    ]
    other_file = [node("Read Out", "b.txt"), node("Cut", "<node-0>")]
    assert differences(record(GOLD, other_file)) == ["other arguments of Read Out"]


def test_links_of_a_temporal_graph_are_the_stated_ones():
    named = {"name": "time", "value": "7:00"}
    gold = {
        "task_nodes": [node("wake", named), node("eat")],
        "task_links": [{"source": "wake", "target": "eat"}],
    }
    turned = {**gold, "task_links": [{"source": "eat", "target": "wake"}]}
    found = record(gold, turned, "temporal")
    assert differences(found) == ["missing link wake -> eat", "link not expected: eat -> wake"]
    assert "      time = 7:00      time = 7:00" in comparison_lines(found, full=False)


def test_long_values_are_cut_unless_all_is_asked_for():
    found = record([node("Cut", "x" * 100)], [node("Cut", "y" * 100)])
    assert max(map(len, comparison_lines(found, full=False))) < 100
    assert any("y" * 100 in line for line in comparison_lines(found, full=True))


def test_a_plan_that_is_not_there_is_said_with_what_was_expected():
    lines = comparison_lines(record(GOLD, None), full=False)
    assert lines[:3] == ["no plan that could be read; expected was:", "  Read Out", "    a.txt"]


def test_malformed_plans_are_shown_as_they_are():
    for odd in ({}, {"task_nodes": 7, "task_links": 3}, [3, None, {"arguments": {"a": [1]}}]):
        found = record(GOLD, odd)
        assert comparison_lines(found, full=True)
        assert "missing Read Out, Cut" in differences(found)
    links = {"task_nodes": [], "task_links": [None, {"source": 3}]}
    assert "link not expected: null, 3 -> null" in differences(record(GOLD, links, "temporal"))
