"""TaskBench samples as items: what users type, and what they see."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import rouge_score.rouge_scorer  # noqa: F401  (numpy bears no second import inside a test)

if TYPE_CHECKING:
    from conftest import Shop

TALK = {
    "id": "talk",
    "type": "chain",
    "n_tools": 2,
    "user_request": "Write down talk.mp3 and summarise it.",
    "task_steps": ["Write the talk down", "Summarise it"],
    "task_nodes": [
        {"task": "Audio-to-Text", "arguments": ["talk.mp3"]},
        {"task": "Text Summarizer", "arguments": ["<node-0>"]},
    ],
    "task_links": [{"source": "Audio-to-Text", "target": "Text Summarizer"}],
}
NOTE = {
    "id": "note",
    "type": "single",
    "n_tools": 1,
    "user_request": "Shorten 'a long note'.",
    "task_steps": ["Shorten the note"],
    "task_nodes": [{"task": "Text Summarizer", "arguments": ["a long note"]}],
    "task_links": [],
}


def plan_of(sample: dict[str, Any], **fields: Any) -> dict[str, Any]:
    plan = {name: sample[name] for name in ("task_steps", "task_nodes", "task_links")}
    return {**plan, **fields}


def write_samples(
    shop: Shop, *samples: dict[str, Any], name: str = "plans/two.tau.jsonl", **beside: Any
) -> None:
    lines = [json.dumps({"domain": "multimedia", **beside, "graph": sample}) for sample in samples]
    shop.write(name, "\n".join(lines))


def write_planner(shop: Shop, answers: dict[str, Any]) -> None:
    """Write a planner that answers by a word of the request."""
    shop.write("answers.json", json.dumps(answers))
    shop.write(
        "my_planner.py",
        "import json, pathlib\n"
        "ANSWERS = json.loads((pathlib.Path(__file__).parent / 'answers.json').read_text())\n"
        "def plan(request, tools):\n"
        "    return next(ANSWERS[word] for word in ANSWERS if word in request)\n",
    )


SWAPPED_FILE = plan_of(
    TALK, task_nodes=[{"task": "Audio-to-Text", "arguments": ["other.mp3"]}, TALK["task_nodes"][1]]
)


def test_the_oracle_passes_and_the_silent_planner_fails_every_sample(
    shop: Shop, plugin_args: tuple[str, ...]
) -> None:
    write_samples(shop, TALK, NOTE)
    shop.run("--tau-agent=oracle", "plans", *plugin_args).assert_outcomes(passed=2)
    assert {record.kind for record in shop.records()} == {"graph"}
    shop.run("--tau-agent=silent", "plans", *plugin_args).assert_outcomes(failed=2)


def test_there_is_an_item_a_sample_and_trial_in_trial_order(shop: Shop) -> None:
    write_samples(shop, TALK, NOTE)
    result = shop.run("--collect-only", "-q", "--tau-trials=2", "plans")
    assert [line for line in result.outlines if "::" in line] == [
        f"plans/two.tau.jsonl::{name}[trial-{trial}]"
        for trial in (1, 2)
        for name in ("talk", "note")
    ]


def test_samples_are_selected_by_name_mark_and_id(shop: Shop) -> None:
    write_samples(shop, {**TALK}, marks=["slow"])
    write_samples(shop, NOTE, name="plans/more.tau.jsonl")
    for args in (["-k", "talk"], ["-m", "slow"], ["plans/two.tau.jsonl::talk[trial-1]"]):
        result = shop.run("--tau-agent=oracle", *args)
        assert result.parseoutcomes()["passed"] == 1, args
        assert [record.task_id for record in shop.records()] == ["talk"]
    assert shop.run("--tau-agent=oracle", "-m", "multimedia").parseoutcomes()["passed"] == 2


def test_a_plan_passes_only_with_golds_parameters(shop: Shop) -> None:
    write_samples(shop, TALK, NOTE)
    write_planner(shop, {"talk.mp3": SWAPPED_FILE, "long note": plan_of(NOTE)})
    shop.run("--tau-agent=my_planner.py:plan", "plans").assert_outcomes(passed=1, failed=1)
    assert shop.rewards() == {"talk[trial-1]": 0, "note[trial-1]": 1}


def test_a_file_may_ask_for_another_bar(shop: Shop) -> None:
    write_samples(shop, TALK, **{"pass": {"metric": "node_f1", "at_least": 0.8}})
    write_planner(shop, {"talk.mp3": SWAPPED_FILE})
    shop.run("--tau-agent=my_planner.py:plan", "plans").assert_outcomes(passed=1)
    one_of_two = plan_of(TALK, task_nodes=TALK["task_nodes"][:1], task_links=[])
    write_planner(shop, {"talk.mp3": one_of_two})
    result = shop.run("--tau-agent=my_planner.py:plan", "plans")
    result.assert_outcomes(failed=1)
    # One of two tools found and none too many: F1 = 2·1 / (1 + 2).
    result.stdout.fnmatch_lines(["*node_f1 is 0.667, the bar 0.8*missing Text Summarizer*"])


def test_a_failure_shows_the_plans_side_by_side(shop: Shop) -> None:
    write_samples(shop, TALK)
    predicted = plan_of(
        TALK,
        task_nodes=[
            {"task": "Audio-to-Text", "arguments": ["other.mp3"]},
            {"task": "Text Translator", "arguments": ["<node-0>"]},
            {"task": "Poem Writer", "arguments": ["<node-9>"]},
        ],
    )
    write_planner(shop, {"talk.mp3": predicted})
    result = shop.run("--tau-agent=my_planner.py:plan", "plans")
    lines = [re.sub(r"\s+", " ", line).strip() for line in result.outlines]
    for line in (
        "nodes, expected predicted",
        "Audio-to-Text Audio-to-Text",
        "! talk.mp3 other.mp3",
        "! Text Summarizer",
        "! Text Translator",
        "! Poem Writer",
        "! Audio-to-Text -> Text Summarizer",
        "! Audio-to-Text -> Text Translator",
        "unknown-tool: task_nodes[2] names 'Poem Writer'",
        "reference-out-of-range: task_nodes[2].arguments[0] is '<node-9>' of 3 nodes",
    ):
        assert line in lines, line
    result.stdout.fnmatch_lines(["*reward 0: missing Text Summarizer; not expected:*"])


def test_the_summary_has_the_tables_of_taskeval(shop: Shop) -> None:
    write_samples(shop, TALK, NOTE)
    write_planner(shop, {"talk.mp3": "I do not know.", "long note": plan_of(NOTE)})
    result = shop.run("--tau-agent=my_planner.py:plan", "plans")
    lines = [re.sub(r"\s+", " ", line).strip() for line in result.outlines]
    # Gold has three nodes and one link; one node is found and nothing is invented.
    for line in (
        "1 0.500 2 of 2 0.500 2 of 2",
        "TaskEval of multimedia, strict mode: what is missing or invented counts",
        "2 samples, 2 with a graph scored, 1 with an unreadable one (each scored 0)",
        "samples R1 R2 RL n-F1 e-F1 NED t-F1 v-F1",
        "node 1 100.00 100.00 100.00 100.00 100.00 0.00 100.00 100.00",
        "chain 1 0.00 0.00 0.00 0.00 0.00 100.00 0.00 0.00",
        "overall 2 50.00 50.00 50.00 50.00 0.00 50.00 50.00 50.00",
        "samples node set edge set graph",
        "1 1 100.00 100.00 100.00",
        "2 1 0.00 0.00 0.00",
        "faults in predictions: answer-not-json 1",
    ):
        assert line in lines, line


def test_an_unknown_tool_in_a_sample_is_an_error_that_names_the_nearest(shop: Shop) -> None:
    wrong = {**NOTE, "task_nodes": [{"task": "Text Sumarizer", "arguments": ["x"]}]}
    write_samples(shop, TALK, wrong)
    result = shop.run("--tau-agent=oracle", "plans")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*two.tau.jsonl:2*note*no tool 'Text Sumarizer'*Text Summarizer*"])


def test_a_tool_graph_of_ones_own_is_found_beside_the_file(shop: Shop) -> None:
    tools = [
        {"id": "Cut", "description": "Cuts.", "inputs": ["wood"], "outputs": ["board"]},
        {"id": "Glue", "description": "Glues.", "inputs": ["board"], "outputs": ["box"]},
    ]
    shop.write("graphs/workshop/tools.json", json.dumps({"tools": tools}))
    nodes = [{"task": "Cut", "arguments": ["oak"]}, {"task": "Glue", "arguments": ["<node-0>"]}]
    links = [{"source": "Cut", "target": "Glue"}]
    sample = {**TALK, "id": "box", "task_nodes": nodes, "task_links": links}
    write_samples(shop, sample, domain="../graphs/workshop")
    result = shop.run("--tau-agent=oracle", "plans")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["TaskEval of workshop, strict mode*"])


def test_tasks_and_samples_run_side_by_side(shop: Shop) -> None:
    shop.tasks()
    write_samples(shop, TALK)
    shop.run("--tau-agent=oracle").assert_outcomes(passed=3)
    assert sorted(record.kind for record in shop.records()) == ["graph", "tau", "tau"]


def test_a_fixture_runs_a_sample(shop: Shop) -> None:
    write_samples(shop, TALK)
    shop.write(
        "test_plans.py",
        "def test_it(tau_run):\n"
        "    record = tau_run('plans/two.tau.jsonl::talk')\n"
        "    assert record.reward == 1\n",
    )
    shop.run("--tau-agent=oracle", "test_plans.py").assert_outcomes(passed=1)
    assert [record.kind for record in shop.records()] == ["graph"]


def test_published_samples_are_items_by_path_and_by_option(shop: Shop) -> None:
    second = {
        "id": "7",
        "instruction": NOTE["user_request"],
        "tool_steps": json.dumps(NOTE["task_steps"]),
        "tool_nodes": json.dumps(NOTE["task_nodes"]),
        "tool_links": "[]",
        "type": "single",
    }
    file = shop.write("published/data.jsonl", f"{json.dumps(TALK)}\n{json.dumps(second)}\n")
    for args in ([str(file)], [f"--tau-data={file}"], [f"--tau-data={file.parent}"]):
        shop.run("--tau-agent=oracle", *args).assert_outcomes(passed=2)
        assert {record.task_id for record in shop.records()} == {"talk", "7"}
        assert {record.domain for record in shop.records()} == {"multimedia"}
    assert shop.run("--tau-agent=oracle", "published").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_data_folder_is_found_however_its_path_is_written(shop: Shop) -> None:
    file = shop.write("published/data.jsonl", f"{json.dumps(TALK)}\n{json.dumps(NOTE)}\n")
    (shop.path / "link").symlink_to(file.parent)
    ways = (f"../{shop.path.name}/published", "shop/../published", "./published/.", "link")
    for way in (*ways, "link/../published/data.jsonl", f"{shop.path}/shop/../published"):
        shop.run("--tau-agent=oracle", f"--tau-data={way}").assert_outcomes(passed=2)
        chosen = shop.run("--tau-agent=oracle", f"--tau-data={way}", f"{way}::note")
        chosen.assert_outcomes(passed=1)
    chosen = shop.run("--tau-agent=oracle", "--tau-data=link", "published::note")
    chosen.assert_outcomes(passed=1)
    shop.run("--tau-agent=oracle", "--tau-data=link", "-n1").assert_outcomes(passed=2)


WAYS = ("-n0", "-n2", "-n2 --dist=worksteal", "-n0 --tau-concurrency=4")


def test_records_and_figures_are_the_same_however_the_run_is_spread(shop: Shop) -> None:
    samples = [{**each, "id": f"{each['id']}-{n}"} for n in range(6) for each in (TALK, NOTE)]
    write_samples(shop, *samples)
    write_planner(shop, {"talk.mp3": SWAPPED_FILE, "long note": plan_of(NOTE)})
    runs = {}
    for way in WAYS:
        result = shop.run("--tau-agent=my_planner.py:plan", "--tau-trials=2", *way.split())
        dumps = [r.model_dump(exclude={"started", "duration", "worker"}) for r in shop.records()]
        text = result.stdout.str()
        text = text[text.index(" tau-bench ==") :].split("run stored")[0]
        runs[way] = sorted(dumps, key=lambda dump: dump["nodeid"]), sorted(text.splitlines())
    assert len(runs["-n0"][0]) == 24
    assert {dump["reward"] for dump in runs["-n0"][0]} == {0, 1}
    for way in WAYS:
        assert runs[way] == runs["-n0"], way


def test_a_failed_task_says_how_far_its_writes_were(shop: Shop) -> None:
    two = {"name": "cancel_order", "arguments": {"order_id": "A1"}}
    other = {"name": "cancel_order", "arguments": {"order_id": "A2"}}
    task = {"id": "both", "domain": "../shop", "instruction": "Cancel A1 and A2."}
    shop.tasks(json.dumps([{**task, "actions": [two, other]}]), "tasks/orders.tau.json")
    result = shop.run("--tau-agent=my_agent.py")
    result.assert_outcomes(failed=1)
    # One of two calls: nodes and parameter names 2·1/(1+2); A1 is right; no link of one.
    metrics = shop.records()[0].metrics
    assert metrics == pytest.approx(
        {"node_f1": 2 / 3, "edge_f1": 0, "ned": 1 / 3, "t_f1": 2 / 3, "v_f1": 2 / 3}
    )
    lines = [re.sub(r"\s+", " ", line).strip() for line in result.outlines]
    assert "failed n-F1 e-F1 NED t-F1 v-F1" in lines
    assert "tasks/shop 1 66.67 0.00 33.33 66.67 66.67" in lines


def test_a_killed_worker_leaves_an_unscored_sample(shop: Shop) -> None:
    write_samples(shop, *({**NOTE, "id": f"note-{n}"} for n in range(6)))
    shop.write(
        "my_planner.py",
        "import json, os, signal\n"
        "def plan(request, tools):\n"
        "    if '::note-3[' in os.environ['PYTEST_CURRENT_TEST']:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        f"    return json.loads({json.dumps(plan_of(NOTE))!r})\n",
    )
    result = shop.run_apart("--tau-agent=my_planner.py:plan", "plans", "-n2", timeout=120)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    rewards = {f"note-{n}[trial-1]": 1.0 if n != 3 else None for n in range(6)}
    assert shop.rewards() == rewards
    assert {record.kind for record in shop.records()} == {"graph"}


@pytest.mark.parametrize(
    ("gate", "status"), [("ned <= 0.5", 0), ("node_f1 >= 0.5", 0), ("node_f1 >= 0.6", 1)]
)
def test_a_gate_may_be_on_a_metric_of_taskeval(shop: Shop, gate: str, status: int) -> None:
    write_samples(shop, TALK, NOTE)
    write_planner(shop, {"talk.mp3": "no plan", "long note": plan_of(NOTE)})
    # One of gold's three nodes is found and none invented: F1 = 2·1 / (1 + 3). One plan of two
    # is right and the other is missing: NED = (0 + 1) / 2.
    result = shop.run("--tau-agent=my_planner.py:plan", "plans", f"--tau-gate={gate}")
    assert result.ret == status
