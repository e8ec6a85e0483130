"""The command line: its exit statuses, its JSON, its errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_taubench.bundled import domains_root
from pytest_taubench.commands import COMMANDS
from pytest_taubench.commands.cli import main
from pytest_taubench.environment.domain_folder import bundled_domains

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process; gives exit status, output and errors."""

    def run_command(*arguments: object) -> tuple[int, str, str]:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            status = int(exit_.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run_command


def test_the_module_can_be_run() -> None:
    command = [sys.executable, "-m", "pytest_taubench", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "rescore" in done.stdout
    assert "check-domain" in done.stdout


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from pytest_taubench.commands.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'openai', 'networkx', 'rouge_score', 'rich', 'scipy', 'pytest', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_json_and_help(run: Run, name: str) -> None:
    command = name.replace("_", "-")
    status, out, _ = run(command, "--help")
    assert status == 0
    assert "--json" in out
    assert re.search(r"Exit status: 0 where .*; 2 where .* is wrong\.\Z", " ".join(out.split()))
    assert import_module(f"pytest_taubench.commands.{name}").__doc__.startswith(f"``{command}")


def test_an_unknown_command_suggests_the_nearest(run: Run) -> None:
    assert run("recsore") == (2, "", "error: no command 'recsore'. Did you mean 'rescore'?\n")
    status, _, err = run("zzzz")
    assert status == 2
    assert "Commands: " in err
    assert "check-domain" in err


def test_no_command_is_a_usage_error(run: Run) -> None:
    status, out, err = run()
    assert (status, out) == (2, "")
    assert "COMMAND" in err


def test_a_reader_that_stops_reading_is_no_error() -> None:
    command = f"{sys.executable} -m pytest_taubench schema | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("{\n", "")


# schema


def test_the_schema_is_valid_and_can_be_written(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("schema")
    assert status == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(out))
    assert run("schema", "--json", "--out", tmp_path / "s.json") == (0, "", "")
    assert json.loads((tmp_path / "s.json").read_text()) == json.loads(out)


def test_the_schema_of_records_fits_a_record(run: Run) -> None:
    record = {
        "nodeid": "a::b[trial-1]",
        "suite": "a",
        "domain": "shop",
        "task_id": "b",
        "trial": 1,
        "outcome": "scored",
        "ending": "user_stop",
    }
    schema = json.loads(run("schema", "--kind", "record")[1])
    jsonschema.validate(record, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**record, "outcome": "maybe"}, schema)


def test_a_schema_that_cannot_be_written_is_an_error(run: Run, tmp_path: Path) -> None:
    status, _, err = run("schema", "--out", tmp_path / "none" / "s.json")
    assert status == 2
    assert "No such file or directory" in err


# check-domain


def test_the_bundled_domains_pass_their_check(run: Run) -> None:
    names = bundled_domains()
    status, out, _ = run("check-domain", *names, "--json")
    result = json.loads(out)
    assert (status, result["ok"]) == (0, True)
    assert [domain["domain"] for domain in result["domains"]] == names
    assert len(names) >= 2


def test_a_wrong_domain_is_exit_status_1(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("check-domain", tmp_path)
    assert status == 1
    assert "policy.md" in out
    status, out, _ = run("check-domain", tmp_path, "--json")
    assert status == 1
    problem = json.loads(out)["domains"][0]["problems"][0]
    assert problem["severity"] == "error"
    assert problem.keys() == {"where", "message", "severity"}


def test_problems_of_a_domain_are_counted_in_the_singular_and_the_plural(
    run: Run, tmp_path: Path
) -> None:
    def first_line() -> str:
        return run("check-domain", tmp_path)[1].splitlines()[0]

    assert first_line() == f"{tmp_path}: 3 errors, 0 warnings"
    (tmp_path / "policy.md").write_text("Be kind.\n")
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "orders.json").write_text("{}")
    assert first_line() == f"{tmp_path}: 1 error, 1 warning"


def test_a_domain_whose_tools_exit_is_a_problem_of_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("import sys\nsys.exit(3)\n")
    status, out, _ = run("check-domain", tmp_path)
    assert status == 1
    assert f"{tmp_path / 'tools.py'}:2: cannot be imported: SystemExit: 3" in out


def test_a_domain_that_is_not_there_is_exit_status_1(run: Run) -> None:
    status, out, _ = run("check-domain", "retial")
    assert status == 1
    assert "retail" in out


# rescore


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a few records under a bundled domain's table names."""
    name = bundled_domains()[0]
    folder = tmp_path / "data" / name
    folder.mkdir(parents=True)
    for table in (domains_root() / name / "db").glob("*.json"):
        (folder / table.name).write_text("{}")
    (folder / "tasks_test.json").write_text(json.dumps([task()]))
    return folder


def task(**changes: Any) -> dict[str, Any]:
    actions = [{"name": "calculate", "kwargs": {"expression": "2 + 2"}}]
    return {"user_id": "x", "instruction": "x", "actions": actions, "outputs": ["4"], **changes}


def trial(task_id: int, number: int, text: str, **changes: Any) -> dict[str, Any]:
    traj = [
        {"role": "user", "content": "What is 2 + 2?"},
        {"role": "assistant", "content": text},
        {"role": "user", "content": "###STOP###"},
    ]
    info = {"task": task(), "reward_info": {}}
    reward = float(text == "4")
    return {
        "task_id": task_id,
        "trial": number,
        "reward": reward,
        "info": info,
        "traj": traj,
    } | changes


def test_rescore_prints_what_the_estimator_gives(run: Run, tmp_path: Path, data: Path) -> None:
    # Task 0 passes 2 of 2, task 1 passes 1 of 2: pass^1 = (1 + 1/2) / 2, pass^2 = (1 + 0) / 2.
    trials = [trial(0, 0, "4"), trial(0, 1, "4"), trial(1, 0, "5"), trial(1, 1, "4")]
    (tmp_path / "t.json").write_text(json.dumps(trials))
    status, out, err = run("rescore", tmp_path / "t.json", "--tau-data", data, "--json")
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert result["pass_k"] == {"1": 0.75, "2": 0.5}
    assert [(t["task_id"], t["trial"], t["reward"]) for t in result["trials"]] == [
        (0, 0, 1),
        (0, 1, 1),
        (1, 0, 0),
        (1, 1, 1),
    ]
    wrong = result["trials"][2]
    assert (wrong["database"], wrong["outputs"], wrong["ending"]) == (1, 0, "user_stop")
    assert result["files"][0]["same_reward_as_recorded"] == 4
    assert any("info.task" in note for note in result["notes"])
    text = run("rescore", tmp_path / "t.json", "--tau-data", data)[1]
    assert "pass^1 0.750 (over 2 tasks)" in text
    assert "pass^2 0.500 (over 2 tasks)" in text
    assert "same reward as recorded: 4 of 4" in text


def test_several_files_are_further_trials_of_the_same_tasks(
    run: Run, tmp_path: Path, data: Path
) -> None:
    for name, text in [("a", "4"), ("b", "5")]:
        (tmp_path / f"{name}.json").write_text(json.dumps([trial(0, 0, text)]))
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    result = json.loads(run("rescore", *files, "--tau-data", data, "--json")[1])
    assert result["pass_k"] == {"1": 0.5, "2": 0.0}
    assert [file["pass_k"] for file in result["files"]] == [{"1": 1.0}, {"1": 0.0}]


def test_a_reward_that_differs_from_the_recorded_one_is_shown(
    run: Run, tmp_path: Path, data: Path
) -> None:
    (tmp_path / "t.json").write_text(json.dumps([trial(3, 0, "5", reward=1.0)]))
    out = run("rescore", tmp_path / "t.json", "--tau-data", data)[1]
    assert "same reward as recorded: 0 of 1" in out
    assert "task 3 trial 0: recorded 1, here 0 (outputs" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no file or folder"),
        ("{", "t.json:1: no valid JSON"),
        ('[{"task_id": 0}]', "t.json, entry 0: no 'traj'"),
    ],
)
def test_a_wrong_result_file_is_exit_status_2(
    run: Run, tmp_path: Path, data: Path, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "t.json").write_text(content)
    status, out, err = run("rescore", tmp_path / "t.json", "--tau-data", data)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err


def test_rescore_without_data_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    results = tmp_path / "t.json"
    results.write_text("[]")
    status, _, err = run("rescore", results)
    assert status == 2
    assert "--tau-data" in err
    status, _, err = run("rescore", results, "--tau-data", tmp_path / "none")
    assert status == 2
    assert "no such folder" in err
