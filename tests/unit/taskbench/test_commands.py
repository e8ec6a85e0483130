"""The commands taskeval, sample and graph, as typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.commands.cli import main
from pytest_taubench.runs.store import RunStore
from pytest_taubench.schema import RunInfo, RunSettings, TrialRecord

GOLD = {
    "id": "1",
    "type": "single",
    "task_steps": ["Simplify it"],
    "task_nodes": [{"task": "Text Simplifier", "arguments": ["hello"]}],
    "task_links": [],
}
PERFECT = {"id": "1", "result": {key: GOLD[key] for key in ("task_steps", "task_nodes")}}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    gold, predictions = tmp_path / "gold.jsonl", tmp_path / "predictions.jsonl"
    missed = {**GOLD, "id": "2"}
    gold.write_text("\n".join(json.dumps(row) for row in (GOLD, missed)))
    predictions.write_text(json.dumps(PERFECT))
    return str(gold), str(predictions)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(printed(capsys, *arguments, "--json"))


def test_taskeval_prints_its_tables_with_mode_and_counts(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "taskeval", *files, "--graph", "multimedia")
    assert "reference mode" in text
    assert "2 samples, 1 with a graph scored, 1 without a prediction (left out)" in text
    header, node, *_ = (line.split() for line in text.splitlines()[3:])
    assert header == ["samples", "R1", "R2", "RL", "n-F1", "e-F1", "NED", "t-F1", "v-F1"]
    assert node[:6] == ["node", "1", "100.00", "100.00", "100.00", "100.00"]
    assert [line.split()[0] for line in text.splitlines()[4:8]] == [
        "node",
        "chain",
        "DAG",
        "overall",
    ]
    assert "node set  edge set   graph" in text


def test_taskeval_in_strict_mode_counts_what_is_missing(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "taskeval", *files, "--graph", "multimedia", "--mode", "strict")
    assert "strict mode" in text
    assert "1 without a prediction (each scored 0)" in text
    assert "faults in predictions: no-prediction 1" in text


def test_taskeval_as_json_has_groups_and_counts(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = printed_json(capsys, "taskeval", *files, "--graph", "multimedia", "--mode", "strict")
    assert data["mode"] == "strict"
    assert data["counts"]["missing"] == 1
    assert data["groups"].keys() == {"overall", "single", "chain", "dag", *map(str, range(1, 11))}
    assert data["groups"]["single"]["v_f1"] == pytest.approx(2 / 3)
    assert data["groups"]["dag"]["v_f1"] is None


def test_taskeval_lists_faults_when_asked(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(
        capsys, "taskeval", *files, "--graph", "multimedia", "--faults", "--no-rouge", "-n", "1"
    )
    assert "2: no-prediction: no predicted plan" in text


def test_a_gold_file_of_bundled_samples_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    from pytest_taubench.bundled import suites_root

    file = str(suites_root() / "taskbench" / "dailylife.tau.jsonl")
    data = printed_json(capsys, "taskeval", file, file, "--graph", "dailylife", "--no-rouge")
    assert data["counts"]["gold"] == 50


def test_an_unknown_graph_is_a_usage_error(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["taskeval", *files, "--graph", "multimeda"]) == 2
    assert "did you mean 'multimedia'?" in capsys.readouterr().err


def test_sample_prints_what_it_drew_and_how_much_of_each_mode(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("sample", "--graph", "multimedia", "--n", "20", "--seed", "1")
    lines = printed(capsys, *arguments).splitlines()
    assert len(lines) == 21
    assert printed(capsys, *arguments).splitlines() == lines
    assert sum(int(part.split()[1]) for part in lines[-1].split(", ")) == 20


def test_sample_as_json_has_taskbenchs_fields(capsys: pytest.CaptureFixture[str]) -> None:
    data = printed_json(capsys, "sample", "--graph", "dailylife", "--n", "3", "--mode", "chain")
    assert len(data["samples"]) == 3
    for sample in data["samples"]:
        assert sample["type"] == "chain"
        assert len(sample["sampled_nodes"]) == sample["n_tools"] == len(sample["sampled_links"]) + 1
        assert sample["sampled_nodes"][0].keys() == {"task", "arguments"}


@pytest.mark.parametrize(("size", "types"), [("1", {"single"}), ("3", {"chain", "dag"})])
def test_sample_of_one_size_draws_the_modes_that_have_it(
    size: str, types: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = printed_json(capsys, "sample", "--graph", "multimedia", "--n", "12", "--size", size)
    assert {sample["type"] for sample in data["samples"]} == types
    assert {sample["n_tools"] for sample in data["samples"]} == {int(size)}


def test_sample_says_when_the_graph_has_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tools.json").write_text('{"tools": [{"id": "a", "outputs": ["x"]}]}')
    arguments = ["sample", "--graph", str(tmp_path), "--mode", "chain", "--size", "4"]
    assert main(arguments) == 2
    assert "has none of: chain of size 4" in capsys.readouterr().err


def test_graph_prints_figures_and_writes_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dot = tmp_path / "g.dot"
    text = printed(capsys, "graph", "huggingface", "--dot", str(dot))
    assert "edges: 225 (text 174, image 46, audio 5)" in text
    assert dot.read_text(encoding="utf-8").count(" -> ") == 225
    data = printed_json(capsys, "graph", "huggingface")
    assert (data["tools"], data["edges"]) == (23, 225)


def run_with_rewards(folder: Path, *rewards: float) -> str:
    """Store a run of one trial a task, and return its folder."""
    started = "2025-01-02T03:04:05Z"
    info = RunInfo(run_id=folder.name, started=started, settings=RunSettings(trials=1))
    store = RunStore.create(folder, info)
    for number, reward in enumerate(rewards):
        task: dict[str, Any] = {"suite": "s", "domain": "shop", "task_id": f"t{number}"}
        trial = {"nodeid": f"s::t{number}[trial-1]", "trial": 1, "outcome": "scored"}
        record = {**task, **trial, "ending": "user_stop", "reward": reward}
        store.append(TrialRecord.model_validate(record))
    store.close()
    return str(folder)


def test_compare_says_how_far_runs_rank_as_a_file_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    human = tmp_path / "human.txt"
    human.write_text("c\nb\na\n")
    rewards: dict[str, tuple[float, ...]] = {"a": (1, 1), "b": (1, 0), "c": (0, 0)}
    runs = [run_with_rewards(tmp_path / name, *given) for name, given in rewards.items()]
    main(["compare", *runs, "--ranking", str(human)])
    assert "Kendall's τ    -1.0000" in capsys.readouterr().out
    main(["compare", *runs, "--ranking", str(human), "--json"])
    ranking = json.loads(capsys.readouterr().out)["ranking"]
    assert ranking["spearman_rho"] == pytest.approx(-1.0)
    assert ranking["models"] == ["a", "b", "c"]
    assert main(["compare", runs[0], runs[0], "--ranking", str(human)]) == 2
    assert "two runs are in folders named 'a'" in capsys.readouterr().err


@pytest.mark.parametrize("size", ["2", "3"])
def test_sample_refuses_nodes_of_several_tools(
    size: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sample", "--graph", "multimedia", "--mode", "node", "--size", size]) == 2
    assert f"--mode node has no --size {size}" in capsys.readouterr().err
    assert "node 10" in printed(
        capsys, "sample", "--graph", "multimedia", "--mode", "node", "--size", "1"
    )


@pytest.mark.parametrize("number", ["0", "-3"])
def test_taskeval_refuses_to_score_in_no_process(
    number: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["taskeval", *files, "--graph", "multimedia", "-n", number])
    assert left.value.code == 2
    assert "expected at least 1" in capsys.readouterr().err


def test_taskeval_names_the_graph_that_gold_was_made_for(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["taskeval", *files, "--graph", "dailylife"]) == 2
    said = capsys.readouterr().err
    assert "2 of its 2 nodes name no tool of the graph 'dailylife'" in said
    assert "the graph 'multimedia' has most of them" in said


def test_taskeval_of_tools_that_no_bundled_graph_has_names_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({**GOLD, "task_nodes": [{"task": "Fly", "arguments": []}]}))
    assert main(["taskeval", str(gold), str(gold), "--graph", "multimedia"]) == 2
    assert "1 of its 1 nodes name no tool of the graph 'multimedia'\n" in capsys.readouterr().err


def test_one_tool_in_two_that_the_graph_lacks_is_scored_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.jsonl"
    nodes = [*GOLD["task_nodes"], {"task": "Fly", "arguments": []}]  # type: ignore[misc]
    gold.write_text(json.dumps({**GOLD, "task_nodes": nodes}))
    data = printed_json(capsys, "taskeval", str(gold), str(gold), "--graph", "multimedia")
    assert data["gold_faults"] == {"unknown-tool": 1}
