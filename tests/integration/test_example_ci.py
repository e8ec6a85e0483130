"""``examples/ci``: the shell twin end to end, and the workflow beside it."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

EXAMPLE = Path(__file__).parents[2] / "examples" / "ci"

IMPATIENT = """
# The endpoint is really asked, but not for minutes.
import functools
import pytest_taubench.llm.openai_chat as openai_chat

openai_chat.Backoff = functools.partial(openai_chat.Backoff, attempts=2, base=0.01)
"""


@pytest.fixture
def gate(shop):
    shop.many_tasks(6)
    shop.write("bad_agent.py", "def agent(messages, tools):\n    return 'No.'\n")
    shop.write("conftest.py", IMPATIENT)
    shop.run(
        "--tau-agent=my_agent.py:agent", "--tau-trials=2", "--tau-run-dir=main"
    ).assert_outcomes(passed=12)
    (baseline,) = (shop.path / "main").iterdir()

    def run(agent):
        environment = {
            **os.environ,
            "PYTHON": sys.executable,
            "TAU_TRIALS": "2",
            "OPENAI_API_KEY": "none",
        }
        return subprocess.run(
            ["sh", str(EXAMPLE / "gate.sh"), agent, str(baseline), "2"],
            cwd=shop.path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    run.folder = shop.path / "tau-gate"
    return run


def test_a_good_agent_passes(gate):
    result = gate("my_agent.py:agent")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "12 trials of 2 runs" in result.stdout
    assert "holds: no regression within 2%" in result.stdout
    assert "pass^1 is 1.000" in (gate.folder / "report.html").read_text()


def test_a_bad_agent_fails(gate):
    result = gate("bad_agent.py:agent")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "fails: pass^1 >= 0.5" in result.stdout
    assert "fails: no regression within 2%" in result.stdout
    assert "no regression within 2%" in (gate.folder / "report.md").read_text()


def test_an_unreachable_endpoint_cannot_be_told(gate):
    result = gate("http://127.0.0.1:9/v1")
    assert result.returncode == 6, result.stdout + result.stderr
    assert "connection failed" in result.stdout
    assert "cannot tell: pass^1 >= 0.5" in result.stdout


def test_a_run_that_cannot_start_is_no_verdict_on_the_agent(gate):
    assert gate("nowhere.py:agent").returncode == 4


def test_without_a_stored_run_of_main_the_other_gates_decide_alone(shop):
    shop.many_tasks(1)
    result = subprocess.run(
        ["sh", str(EXAMPLE / "gate.sh"), "my_agent.py:agent", "", "2"],
        cwd=shop.path,
        env={**os.environ, "PYTHON": sys.executable, "TAU_TRIALS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    # One trial in two parts: the second has none.
    assert "1 trial of 2 runs" in result.stdout
    assert "'no regression' is not asked" in result.stderr


def test_paths_keep_other_tests_of_the_project_out(shop):
    shop.many_tasks(1)
    shop.write("tests/test_own.py", "def test_own():\n    assert False\n")
    command = ["sh", str(EXAMPLE / "gate.sh"), "my_agent.py:agent", "", "2"]
    environment = {**os.environ, "PYTHON": sys.executable, "TAU_TRIALS": "2"}

    def run(*paths):
        return subprocess.run(
            [*command, *paths],
            cwd=shop.path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    all_that_pytest_finds = run()
    assert all_that_pytest_finds.returncode == 1
    assert "test_own" in all_that_pytest_finds.stdout
    tasks_alone = run("tasks")
    assert tasks_alone.returncode == 0, tasks_alone.stdout + tasks_alone.stderr
    assert "test_own" not in tasks_alone.stdout


@pytest.fixture(scope="module")
def workflow():
    return yaml.safe_load((EXAMPLE / "agent-gate.yml").read_text())


def step_of(workflow, job, name):
    (step,) = (step for step in workflow["jobs"][job]["steps"] if step.get("name") == name)
    return step


PYTHON = """#!/bin/sh
exec "$REAL_PYTHON" "$@"
"""

GH = """#!/bin/sh
# gh run list ... | gh run download ID ... --dir main-run
case $2 in
list) [ -n "$GH_RUNS" ] || { echo "no workflow of this name" >&2; exit 1; }; echo "$GH_RUNS" ;;
download) [ -d "../artifacts/$3" ] || { echo "no valid artifacts found to download" >&2; exit 1; }
    cp -r "../artifacts/$3" main-run ;;
esac
"""


@pytest.fixture
def runner(shop, workflow, tmp_path_factory):
    """Runs steps of the workflow as GitHub's runner does, with a gh that reaches no network."""
    tools = tmp_path_factory.mktemp("bin")
    for name, script in (("python", PYTHON), ("gh", GH)):
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    folder = shop.path / "checkout"
    folder.mkdir()
    environment = {
        **os.environ,
        **workflow["env"],
        "TRIALS": "1",
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "REAL_PYTHON": sys.executable,
        "GITHUB_REPOSITORY": "some/project",
        "GITHUB_WORKFLOW": workflow["name"],
        "GITHUB_OUTPUT": str(shop.path / "output"),
        "GITHUB_STEP_SUMMARY": str(shop.path / "summary.md"),
    }

    def run(job, name, folder=folder, part=1, **more):
        script = step_of(workflow, job, name)["run"]
        script = script.replace("${{ matrix.shard }}", str(part)).replace("-n 4", "-n 0")
        return subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=folder,
            env={**environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    run.folder = folder
    run.output = shop.path / "output"
    run.summary = shop.path / "summary.md"
    return run


def test_the_steps_of_the_workflow_gate_a_project_with_fewer_trials_than_parts(shop, runner):
    shop.many_tasks(3)
    for part in (1, 2, 3, 4):
        result = runner("run", "Run one part", shop.path, part)
        assert result.returncode == 0, result.stdout + result.stderr
        (shop.path / "shard").rename(runner.folder.joinpath(f"shard-{part}"))
    (runner.folder / "shards").mkdir()
    for part in (1, 2, 3, 4):
        (runner.folder / f"shard-{part}").rename(runner.folder / "shards" / f"tau-shard-{part}")
    assert "3 trials of 4 runs" in runner("gate", "Join the parts").stdout
    decided = runner("gate", "Report and decide")
    assert (decided.returncode, decided.stdout.count("holds: ")) == (0, 1)
    assert "pass^1 is 1.000" in runner.summary.read_text()
    assert "pass^1 is 1.000" in (runner.folder / "report.html").read_text()


def test_the_workflow_compares_with_the_stored_run_of_main(shop, runner):
    shop.many_tasks(6)
    shop.write("bad_agent.py", "def agent(messages, tools):\n    return 'No.'\n")
    for name in ("my_agent", "bad_agent"):
        shop.run(f"--tau-agent={name}.py:agent", f"--tau-run-dir={name}")
    (good,), (bad,) = (list((shop.path / name).iterdir()) for name in ("my_agent", "bad_agent"))
    good.rename(runner.folder / "main-run")
    bad.rename(runner.folder / "run")
    decided = runner("gate", "Report and decide")
    assert (decided.returncode, decided.stdout.count("fails: ")) == (1, 2)
    summary = runner.summary.read_text()
    assert "Against the baseline: regression" in summary
    assert (summary.count("❌"), "no regression within 2%" in summary) == (2, True)


@pytest.mark.parametrize(
    ("runs", "stored", "found"),
    [
        ("", (), "no"),  # the workflow is not on main yet
        ("3", (), "no"),  # its artifact has expired
        ("3 2 1", ("2", "1"), "yes"),
    ],
)
def test_main_without_a_stored_run_is_said_and_no_fault(shop, runner, runs, stored, found):
    for number in stored:
        shop.write(f"artifacts/{number}/run.json", number)
    result = runner("prepare", "Fetch main's stored run", GH_RUNS=runs.replace(" ", "\n"))
    assert result.returncode == 0, result.stderr
    assert runner.output.read_text() == f"found={found}\n"
    assert ("::warning::" in result.stdout) == (found == "no")
    if stored:
        assert (runner.folder / "main-run" / "run.json").read_text() == "2"


def test_without_a_key_the_workflow_cannot_tell(runner, workflow):
    runner("prepare", "Look for the key", OPENAI_API_KEY="")
    runner("prepare", "Look for the key", OPENAI_API_KEY="one")
    assert runner.output.read_text().split() == ["found=no", "found=yes"]
    gate = workflow["jobs"]["gate"]
    assert gate["steps"][0]["name"] == "Tell nothing without a key"
    assert gate["steps"][0]["if"] == "needs.prepare.outputs.key != 'yes'"
    assert runner("gate", "Tell nothing without a key").returncode == 6
    assert workflow["jobs"]["run"]["if"] == "needs.prepare.outputs.key == 'yes'"


def test_what_a_rerun_does_again_takes_the_same_stored_run_and_replaces_what_was_uploaded(workflow):
    jobs = workflow["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    uploads = [step for step in steps if "upload-artifact" in step.get("uses", "")]
    assert len(uploads) == 4
    assert all(step["with"].get("overwrite") is True for step in uploads)
    assert [name for name, job in jobs.items() if "gh run" in str(job["steps"])] == ["prepare"]
    for name in ("run", "gate"):
        assert {"name": "tau-main-run", "path": "main-run"} in [
            s.get("with") for s in jobs[name]["steps"]
        ]


def test_the_workflow_uses_options_and_commands_that_exist(workflow):
    from pytest_taubench.commands.cli import main
    from pytest_taubench.plugin.options.tables import all_options

    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    words = [word for step in steps for word in step.get("run", "").replace("=", " ").split()]
    known = {option.flag for option in all_options()}
    assert {word for word in words if word.startswith("--tau-")} <= known
    called = {b for a, b in pairwise(words) if a == "pytest_taubench"}
    assert called == {"merge", "report", "gate"}
    for command in called:
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])


def test_the_workflow_runs_as_many_parts_as_it_says_and_asks_the_same_gates_as_the_shell(workflow):
    parts = workflow["jobs"]["run"]["strategy"]["matrix"]["shard"]
    assert parts == list(range(1, int(workflow["env"]["SHARDS"]) + 1))
    decide = step_of(workflow, "gate", "Report and decide")["run"]
    for script in (decide, (EXAMPLE / "gate.sh").read_text()):
        assert re.findall(r'"((?:pass\^|no regression within).*?)"', script) == [
            "pass^1 >= 0.5",
            "no regression within 2%",
        ]


def test_each_shell_step_of_the_workflow_is_valid_shell(workflow):
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            script = step.get("run", "").replace("${{ matrix.shard }}", "1")
            checked = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True)
            assert (checked.returncode, checked.stderr) == (0, ""), script
