"""``examples/ci``: the shell twin end to end, and the workflow beside it."""

import os
import shlex
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
    assert "1.000" in (gate.folder / "report.html").read_text()


def test_a_bad_agent_fails(gate):
    result = gate("bad_agent.py:agent")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "fails: pass^1 >= 0.5" in result.stdout
    assert "fails: no regression within 2%" in result.stdout


def test_an_unreachable_endpoint_cannot_be_told(gate):
    result = gate("http://127.0.0.1:9/v1")
    assert result.returncode == 6, result.stdout + result.stderr
    assert "connection failed" in result.stdout
    assert "cannot tell: pass^1 >= 0.5" in result.stdout


def test_the_workflow_uses_options_and_commands_that_exist():
    from pytest_taubench.cli import main
    from pytest_taubench.plugin.options import all_options

    workflow = yaml.safe_load((EXAMPLE / "agent-gate.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    words = [word for step in steps for word in step.get("run", "").replace("=", " ").split()]
    known = {option.flag for option in all_options()}
    assert {word for word in words if word.startswith("--tau-")} <= known
    called = {b for a, b in pairwise(words) if a == "pytest_taubench"}
    assert called == {"merge", "report", "gate"}
    for command in called:
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])


def test_the_workflow_runs_as_many_parts_as_it_says_and_asks_the_same_gates_as_the_shell():
    workflow = yaml.safe_load((EXAMPLE / "agent-gate.yml").read_text())
    parts = workflow["jobs"]["run"]["strategy"]["matrix"]["shard"]
    assert parts == list(range(1, int(workflow["env"]["SHARDS"]) + 1))
    (decide,) = (s["run"] for s in workflow["jobs"]["gate"]["steps"] if s.get("name") == "Decide")
    shell = shlex.split((EXAMPLE / "gate.sh").read_text(), comments=True)
    gates = ["pass^1 >= 0.5", "no regression within 2%"]
    assert shell[-2:] == gates
    assert all(f'"{gate}"' in decide for gate in gates)


def test_each_shell_step_of_the_workflow_is_valid_shell():
    workflow = yaml.safe_load((EXAMPLE / "agent-gate.yml").read_text())
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            script = step.get("run", "").replace("${{ matrix.shard }}", "1")
            subprocess.run(["sh", "-n", "-c", script], check=True)
