"""Reference mode equals the published evaluation, on its own data and on edge cases."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_file import load_tool_graph
from pytest_taubench.taskbench.taskeval import GroupScore, TaskEval, evaluate, evaluate_files

CASES = [
    ("dl_gold13", "exec_order", "dailylife"),
    ("hf_gold10", "exec_order", "huggingface"),
    ("mm_gold21", "exec_order", "multimedia"),
    ("mm_gold21", "llama33_70b", "multimedia"),
    ("mm_pseudo", "codellama", "multimedia"),
]
PUBLISHED_KEY = {
    "node_f1": "node_micro_f1_no_matching",
    "edge_f1": "link_binary_f1",
    "ned": "edit_distance",
    "t_f1": "argument_task_argname_binary_f1_no_matching",
    "v_f1": "argument_task_argname_value_binary_f1_no_matching",
}
ROUGE = ("rouge1", "rouge2", "rougeL")

# The published code loses the resource links of names with "_"; ours does not, on purpose.
KEEPS_LINKS = ("underscore_pred_names", "edge_f1")


@cache
def graph_named(name: str) -> ToolGraph:
    return load_tool_graph(name)


def evaluated(upstream: Path, case: str, model: str, domain: str) -> TaskEval:
    folder = upstream / "taskbench" / "cases" / case
    return evaluate_files(
        folder / "gold.jsonl", folder / f"{model}.predictions.jsonl", graph_named(domain)
    )


def our_group(result: TaskEval, published_name: str) -> GroupScore:
    type_, n_tools = published_name.split("_")
    return result.groups[n_tools if type_ == "overall" else type_]


@pytest.mark.parametrize(("case", "model", "domain"), CASES)
def test_every_group_of_every_case_equals_the_published_values(
    upstream: Path, case: str, model: str, domain: str
) -> None:
    file = upstream / "taskbench" / "cases" / case / f"{model}.expected.json"
    expected: dict[str, dict[str, Any]] = json.loads(file.read_text())["fixed"]
    result = evaluated(upstream, case, model, domain)
    compared = 0
    for name, theirs in expected.items():
        ours = our_group(result, name)
        assert (ours.samples, ours.steps, ours.graphs) == (
            theirs["all_samples"],
            theirs["step_supports"],
            theirs["node_supports"],
        ), name
        if not ours.graphs:
            continue
        for key, published_key in PUBLISHED_KEY.items():
            assert getattr(ours, key) == pytest.approx(theirs[published_key], abs=1e-9), (name, key)
        for key in ROUGE:
            exact = theirs["rouge_exact_mean"][key]
            assert getattr(ours, key) == pytest.approx(exact, abs=1e-6), (name, key)
        compared += 1
    assert compared >= 6  # overall and five groups at least: the case has data


def micro_cases(upstream: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(
        (upstream / "taskbench" / "cases" / "micro.json").read_text()
    )
    return cases


def evaluate_micro(case: dict[str, Any]) -> tuple[TaskEval, GroupScore]:
    graph = graph_named("dailylife" if case["domain"] == "dailylifeapis" else case["domain"])
    # One case was run without ROUGE, which changes what the published code leaves out.
    rouge = "norouge" not in case["name"]
    result = evaluate(case["gold"], case["pred"], graph, rouge=rouge)
    return result, our_group(result, f"{case['split']}_{case['n_tools']}")


def test_every_edge_case_equals_the_published_values(upstream: Path) -> None:
    cases = micro_cases(upstream)
    assert len(cases) == 34
    for case in cases:
        if case["exception"]:
            continue
        theirs = case["metrics"]
        _, ours = evaluate_micro(case)
        supports = theirs["all_samples"], theirs["step_supports"], theirs["node_supports"]
        assert (ours.samples, ours.steps, ours.graphs) == supports, case["name"]
        keys = PUBLISHED_KEY | {key: f"step_{key}" for key in ROUGE}
        for key, published_key in keys.items():
            if published_key not in theirs or (case["name"], key) == KEEPS_LINKS:
                continue
            assert getattr(ours, key) == pytest.approx(theirs[published_key], abs=1e-9), (
                case["name"],
                key,
            )


def test_names_with_underscores_keep_their_links(upstream: Path) -> None:
    case = next(c for c in micro_cases(upstream) if c["name"] == KEEPS_LINKS[0])
    _, ours = evaluate_micro(case)
    assert case["metrics"]["link_binary_f1"] == 0.0  # what the published code makes of it
    assert ours.edge_f1 == 1.0


def test_where_the_published_code_raised_the_sample_is_scored_and_the_fault_named(
    upstream: Path,
) -> None:
    raised = [case for case in micro_cases(upstream) if case["exception"]]
    assert [case["name"] for case in raised] == ["t_link_list_valued"]
    result, ours = evaluate_micro(raised[0])
    assert result.faults == {"link-end-not-text": 1}
    assert ours.graphs == 1
    assert ours.edge_f1 == 0.0  # one gold link missed, one link that no gold graph has
    assert ours.node_f1 == 1.0


def test_gold_in_order_of_execution_is_perfect_in_strict_mode_only(upstream: Path) -> None:
    folder = upstream / "taskbench" / "cases" / "mm_gold21"
    files = folder / "gold.jsonl", folder / "exec_order.predictions.jsonl"
    graph = graph_named("multimedia")
    reference = evaluate_files(*files, graph).groups["overall"]
    strict = evaluate_files(*files, graph, "strict").groups["overall"]
    assert reference.ned == pytest.approx(0.1626984126984128, abs=1e-9)  # published
    assert strict.ned == pytest.approx(0.0, abs=1e-12)
    assert strict.node_f1 == strict.edge_f1 == strict.t_f1 == strict.v_f1 == 1.0
    assert strict.graph_accuracy == 1.0
