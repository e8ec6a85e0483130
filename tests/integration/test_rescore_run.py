"""``rescore RUN``: a stored run under today's tasks, and under another basis."""

import json

import pytest

from pytest_taubench.commands.cli import main
from pytest_taubench.runs.store import read_run

WRONG_TOTAL = """
import json

def agent(messages, tools):
    # It does what is asked with A1, and says another total.
    if messages[-1]["role"] == "user" and "A1" in messages[-1]["content"]:
        function = {"name": "cancel_order", "arguments": json.dumps({"order_id": "A1"})}
        call = {"id": "c", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    return "The total is 8."
"""


@pytest.fixture
def stored(shop, capsys):
    shop.tasks()
    shop.write("wrong.py", WRONG_TOTAL)
    shop.run("--tau-agent=wrong.py:agent")
    (shop.run_folder,) = (shop.path / ".tau-runs").glob("[!.]*")
    capsys.readouterr()

    def rescore(*args):
        status = main(["rescore", str(shop.run_folder), "--root", str(shop.path), *args])
        assert status == 0
        return capsys.readouterr().out

    shop.rescore = rescore
    return shop


def test_under_the_same_tasks_nothing_changes(stored):
    text = stored.rescore()
    assert "0 of 2 trials have another reward" in text
    assert "pass^1 0.5 -> 0.5" in text
    assert "differ" not in text


def test_another_basis_changes_what_counts(stored):
    text = stored.rescore("--basis=database")
    assert "1 of 2 trials have another reward" in text
    assert "total-of-a2[trial-1]: 0 -> 1" in text
    assert "outputs (now 0) no longer counts" in text


def test_a_corrected_annotation_mends_the_reward_and_says_why(stored):
    task_file = stored.path / "tasks/orders.tau.yaml"
    task_file.write_text(task_file.read_text().replace('outputs: ["7"]', 'outputs: ["8"]'))
    text = stored.rescore()
    assert (
        "total-of-a2[trial-1]: 0 -> 1\n  the task changed\n  outputs 0 -> 1 (was missing: 7)"
        in text
    )
    result = json.loads(stored.rescore("--json"))
    assert (result["changed"], result["pass^1"]["after"]) == (1, {"tasks/shop": 1.0})


def test_a_tool_that_works_otherwise_today_is_named(stored):
    tools = stored.path / "shop/tools.py"
    tools.write_text(
        tools.read_text()
        .replace('["status"] = "cancelled"', '["status"] = "gone"')
        .replace('return "cancelled"', 'return "gone"')
    )
    text = stored.rescore()
    # Gold is made by the same tool, so the reward is the same.
    assert "0 of 2 trials have another reward" in text
    assert "cancel-a1[trial-1]: tools answer otherwise than they did: cancel_order" in text


def test_the_outcome_is_a_run_of_its_own(stored):
    stored.rescore("--basis=database", "--out", str(stored.path / "again"))
    _, records, _ = read_run(stored.path / "again")
    assert [record.reward for record in records] == [1.0, 1.0]


def test_a_task_that_is_gone_keeps_its_record(stored):
    task_file = stored.path / "tasks/orders.tau.yaml"
    task_file.write_text(task_file.read_text().replace("id: total-of-a2", "id: renamed"))
    assert "total-of-a2[trial-1]: kept: no task file has this task" in stored.rescore()


def test_from_a_wrong_folder_nothing_is_graded_and_that_is_said(stored, capsys):
    run = stored.run_folder
    elsewhere = stored.path / "shop"
    out = stored.path / "again"
    assert main(["rescore", str(run), "--root", str(elsewhere), "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert "nothing could be graded: no task file has any of the run's tasks" in said
    assert f"looked for from {elsewhere}; --root=FOLDER" in said
    assert not out.exists()


def test_what_does_not_exist_is_said(stored, capsys):
    assert main(["rescore", "nosuch"]) == 2
    assert capsys.readouterr().err == "error: there is no file or folder nosuch\n"


def test_an_empty_basis_is_refused(stored, capsys):
    assert main(["rescore", str(stored.run_folder), "--basis="]) == 2
    assert "--basis: no component ''; expected database" in capsys.readouterr().err


def test_a_basis_that_does_not_exist_is_refused(stored, capsys):
    assert main(["rescore", str(stored.run_folder), "--basis=databse"]) == 2
    assert "no component 'databse'" in capsys.readouterr().err
