"""``rescore RUN`` of plans: what was predicted then, under today's samples and tool graphs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import rouge_score.rouge_scorer  # noqa: F401  (numpy bears no second import inside a test)

from pytest_taubench.commands.cli import main
from pytest_taubench.runs.store import TRIALS_FILE, read_run

if TYPE_CHECKING:
    from conftest import Shop

Rescore = Callable[..., str]

TOOLS = {
    "name": "kitchen",
    "dependency": "resource",
    "tools": [
        {"id": "Chop", "description": "Chops.", "inputs": ["text"], "outputs": ["text"]},
        {"id": "Fry", "description": "Fries.", "inputs": ["text"], "outputs": ["text"]},
    ],
}
STEPS = ["Chop the onion", "Fry it"]
CHOP = {"task": "Chop", "arguments": ["onion"]}
FRY = {"task": "Fry", "arguments": ["<node-0>"]}
LINK = {"source": "Chop", "target": "Fry"}
BOTH = {"task_steps": STEPS, "task_nodes": [CHOP, FRY], "task_links": [LINK]}
ONE = {"task_steps": STEPS[:1], "task_nodes": [CHOP], "task_links": []}
PLANNER = """
def plan(request, tools):
    return {answer!r}
"""


def write_sample(shop: Shop, gold: dict[str, Any], **beside: Any) -> None:
    size, type_ = len(gold["task_nodes"]), "chain" if gold["task_links"] else "single"
    graph = {"id": "onion", "type": type_, "n_tools": size, "user_request": "Cook.", **gold}
    shop.write(
        "plans/one.tau.json", json.dumps([{"domain": "../kitchen", "graph": graph, **beside}])
    )


def write_tools(shop: Shop, tools: dict[str, Any] = TOOLS) -> None:
    shop.write("kitchen/tools.json", json.dumps(tools))


@pytest.fixture
def stored(shop: Shop, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[Path, Rescore]]:
    """Return a function that stores a run of one plan and gives what grades it again."""

    def made(gold: dict[str, Any], answer: object, **beside: Any) -> tuple[Path, Rescore]:
        write_tools(shop)
        write_sample(shop, gold, **beside)
        shop.write("planner.py", PLANNER.format(answer=answer))
        shop.run("--tau-agent=planner.py:plan", "plans")
        (folder,) = (shop.path / ".tau-runs").glob("[!.]*")
        capsys.readouterr()

        def rescore(*args: str, status: int = 0) -> str:
            assert main(["rescore", str(folder), "--root", str(shop.path), *args]) == status
            return capsys.readouterr().out

        return folder, rescore

    return made


@pytest.mark.parametrize(
    "answer", [BOTH, ONE, "no plan at all", {"task_nodes": [{"task": "Grill"}]}]
)
def test_under_the_same_sample_nothing_changes(
    stored: Callable[..., tuple[Path, Rescore]], answer: object, tmp_path: Path
) -> None:
    folder, rescore = stored(BOTH, answer)
    out = tmp_path / "again"
    text = rescore("--out", str(out))
    assert "0 of 1 trials have another reward" in text
    assert len(text.splitlines()) == 2, "nothing differs, so nothing is listed"
    assert read_run(out)[1] == read_run(folder)[1]


def test_a_corrected_sample_mends_the_reward_and_says_why(
    stored: Callable[..., tuple[Path, Rescore]], shop: Shop
) -> None:
    _, rescore = stored(BOTH, ONE)
    write_sample(shop, ONE)
    lines = rescore().splitlines()
    assert "plans/one.tau.json::onion[trial-1]: 0 -> 1" in lines
    assert "  the task changed" in lines
    # Of two gold tools one was named: precision 1, recall a half.
    changed = next(line for line in lines if line.startswith("  rouge1"))
    assert "node_f1 0.6667 -> 1" in changed
    total = next(line for line in lines if line.startswith("  TaskEval of kitchen"))
    assert "node_f1 0.667 -> 1" in total
    data = json.loads(rescore("--json"))
    assert data["changed"] == 1
    assert data["trials"][0]["metrics"]["after"]["node_f1"] == 1.0
    assert data["taskeval"]["before"]["kitchen"]["node_f1"] == pytest.approx(2 / 3)


def test_another_bar_changes_the_reward_and_is_named(
    stored: Callable[..., tuple[Path, Rescore]], shop: Shop
) -> None:
    _, rescore = stored(BOTH, ONE)
    write_sample(shop, BOTH, **{"pass": {"metric": "node_f1", "at_least": 0.6}})
    text = rescore()
    assert "onion[trial-1]: 0 -> 1" in text
    assert "it passed by exactly gold's graph and passes by node_f1 >= 0.6" in text
    assert "->" not in text.partition("the task changed")[2], "no metric is another one"


def test_a_tool_graph_that_changed_is_told_from_a_sample_that_did(
    stored: Callable[..., tuple[Path, Rescore]], shop: Shop
) -> None:
    grilled = {**BOTH, "task_nodes": [CHOP, FRY, {"task": "Grill", "arguments": ["<node-1>"]}]}
    _, rescore = stored(BOTH, grilled)
    tool = {"id": "Grill", "description": "Grills.", "inputs": ["text"], "outputs": ["text"]}
    write_tools(shop, {**TOOLS, "tools": [*TOOLS["tools"], tool]})  # type: ignore[misc]
    text = rescore()
    assert "0 of 1 trials have another reward" in text
    assert "the tool graph or the way of counting is another than it was" in text
    assert "no longer a fault: unknown-tool" in text


def test_a_request_that_changed_was_not_the_one_that_was_answered(
    stored: Callable[..., tuple[Path, Rescore]], shop: Shop
) -> None:
    _, rescore = stored(BOTH, BOTH)
    write_sample(shop, {**BOTH, "user_request": "Cook the onion."})
    assert "the plan answers the request as it was" in rescore()


def test_a_record_without_its_plan_is_kept_and_named(
    stored: Callable[..., tuple[Path, Rescore]], shop: Shop
) -> None:
    folder, rescore = stored(BOTH, ONE)
    record = json.loads((folder / TRIALS_FILE).read_text())
    del record["graph"]["prediction"]
    (folder / TRIALS_FILE).write_text(json.dumps(record) + "\n")
    write_sample(shop, ONE)
    text = rescore(status=1)
    assert "0 of 1 trials have another reward" in text
    assert "onion[trial-1]: kept: the record does not hold the predicted plan" in text


def test_a_plan_that_broke_off_does_not_pass_however_right(
    stored: Callable[..., tuple[Path, Rescore]], shop: Shop
) -> None:
    folder, rescore = stored(BOTH, BOTH)
    record = json.loads((folder / TRIALS_FILE).read_text())
    record |= {"ending": "agent_timeout", "reward": 0.0}
    (folder / TRIALS_FILE).write_text(json.dumps(record) + "\n")
    assert "0 of 1 trials have another reward" in rescore()


def test_a_sample_that_is_gone_keeps_its_record(
    stored: Callable[..., tuple[Path, Rescore]], shop: Shop
) -> None:
    _, rescore = stored(BOTH, ONE)
    write_sample(shop, {**ONE, "id": "renamed"})
    assert "onion[trial-1]: kept: no task file has this task" in rescore(status=1)


def test_the_bundled_samples_keep_their_figures(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.run("--tau-suite=taskbench", "--tau-agent=oracle", "-k", "dailylife", "-q")
    (folder,) = (shop.path / ".tau-runs").glob("[!.]*")
    capsys.readouterr()
    assert main(["rescore", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("0 of 50 trials have another reward")
    assert lines[1:] == ["  taskbench/dailylife: pass^1 1 -> 1"]


def test_a_domain_that_only_the_folder_names_is_found_again(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    node = {"task": "Text Summarizer", "arguments": ["a note"]}
    plan = {"task_steps": ["Shorten"], "task_nodes": [node], "task_links": []}
    graph = {"id": "note", "type": "single", "n_tools": 1, "user_request": "Shorten.", **plan}
    shop.write("multimedia/note.tau.json", json.dumps([{"graph": graph}]))
    shop.run("--tau-agent=oracle", "multimedia")
    (folder,) = (shop.path / ".tau-runs").glob("[!.]*")
    capsys.readouterr()
    assert main(["rescore", str(folder), "--root", str(shop.path)]) == 0
    assert "0 of 1 trials have another reward" in capsys.readouterr().out
