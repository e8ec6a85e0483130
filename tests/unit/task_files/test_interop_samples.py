"""Published TaskBench files become suites of samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.task_files.upstream import DataError, read_data
from pytest_taubench.task_files.upstream.taskbench import graph_of_tools, published_fields


def sample(sample_id: str, *tools: str) -> dict[str, Any]:
    return {
        "id": sample_id,
        "type": "chain",
        "n_tools": len(tools),
        "user_request": "Do it.",
        "task_steps": ["Do it."],
        "task_nodes": [{"task": tool, "arguments": ["a.txt"]} for tool in tools],
        "task_links": [],
    }


SAMPLES = [sample("1", "Text Translator", "Text-to-Audio"), sample("2", "Audio Splicer")]


@pytest.mark.parametrize("as_lines", [True, False])
def test_a_data_file_is_read_as_a_list_or_as_lines(tmp_path: Path, as_lines: bool) -> None:
    text = "\n".join(map(json.dumps, SAMPLES)) if as_lines else json.dumps(SAMPLES, indent=1)
    (tmp_path / "data_media").mkdir()
    (tmp_path / "data_media" / "data.json").write_text(text)
    (suite,) = read_data(tmp_path)
    assert (suite.name, suite.problems) == ("data_media", [])
    assert [s.id for s in suite.samples] == ["1", "2"]
    assert {s.domain for s in suite.samples} == {"multimedia"}
    assert suite.samples[0].task_nodes == SAMPLES[0]["task_nodes"]


def test_a_file_may_be_given_itself(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(SAMPLES[0]))
    (suite,) = read_data(path)
    assert (suite.name, len(suite.samples)) == ("mine", 1)


def test_what_cannot_be_read_is_a_problem_and_the_rest_stands(tmp_path: Path) -> None:
    entries = [*SAMPLES, SAMPLES[0], {**SAMPLES[0], "id": "3", "user_request": ""}, {"x": 1}]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, entries)))
    (suite,) = read_data(tmp_path)
    assert [s.id for s in suite.samples] == ["1", "2"]
    assert len(suite.problems) == 3
    assert "entry 4: expected a TaskBench sample" in suite.problems[0]
    assert "the id '1' is there twice" in suite.problems[1]
    assert "sample '3', user_request" in suite.problems[2]


def test_tools_of_no_known_graph_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(json.dumps(sample("1", "Dig a Hole")))
    (suite,) = read_data(tmp_path)
    assert (suite.samples, len(suite.problems)) == ([], 1)
    assert "no known tool graph" in suite.problems[0]


def test_a_torn_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(json.dumps(SAMPLES[0]) + '\n{"id": "2", "ta')
    with pytest.raises(DataError, match=r"gold\.jsonl:2: expected a JSON list or lines"):
        read_data(tmp_path)


def test_the_graph_is_the_one_with_most_of_the_tools_an_underscore_being_a_blank() -> None:
    graphs = {"a": ["Text Search"], "b": ["Text Search", "Image Search"]}
    assert graph_of_tools(["Text_Search", "Image_Search"], graphs) == "b"
    assert graph_of_tools(["Other"], graphs) is None
    assert graph_of_tools([], {}) is None


def test_odd_values_are_kept_in_a_form_that_can_be_graded() -> None:
    fields = published_fields(
        {
            "id": "1",
            "instruction": "Do it.",
            "tool_steps": '["a", {"step": "b"}]',
            "tool_nodes": '["Text Search", {"task": "X", "arguments": [{"a": 1}]}]',
            "tool_links": "not JSON",
            "n_tools": "2",
            "type": "tree",
            "reviewer": "kim",
        }
    )
    assert fields == {
        "id": "1",
        "user_request": "Do it.",
        "task_steps": ["a", '{"step": "b"}'],
        "task_nodes": [{"task": "Text Search"}, {"task": "X", "arguments": [{"a": 1}]}],
        "task_links": [{"source": "not JSON"}],
        "sampled_nodes": [],
        "sampled_links": [],
        "n_tools": 2,
    }
