"""``--tau-gate`` and ``--tau-baseline`` through pytest: gates decide, and trials do not."""

import pytest
import rouge_score.rouge_scorer  # noqa: F401  (numpy bears no second import inside a test)

from pytest_taubench.commands.cli import main as main_command

CANNOT_TELL = 6

HALF_BROKEN_USER = """
class User:
    def __init__(self, context):
        self.context = context

    def respond(self, text):
        if "A2" in self.context.instruction:
            raise RuntimeError("the simulator is down")
        return self.context.instruction if text is None else "Thanks. ###STOP###"
"""


@pytest.fixture
def half_right(shop):
    """A project whose agent passes one task of two: it never says a total."""
    shop.tasks()
    shop.write(
        "half.py", shop.path.joinpath("my_agent.py").read_text().replace("is 7", "is not known")
    )
    return shop


@pytest.mark.parametrize(
    ("gate", "status"),
    [("pass^1 >= 0.5", 0), ("pass^1 >= 0.6", 1), ("cost_per_trial <= 1", CANNOT_TELL)],
)
def test_the_gate_decides_the_exit_status(half_right, gate, status):
    result = half_right.run("--tau-agent=half.py:agent", "--tau-trials=2", f"--tau-gate={gate}")
    result.assert_outcomes(passed=2, xfailed=2)
    assert result.ret == status
    result.stdout.fnmatch_lines(["gates:", f"*{gate}*{gate.partition(' ')[0]} is *"])


def test_a_failed_trial_is_an_expected_failure_with_its_reason(half_right, plugin_args):
    result = half_right.run(
        "--tau-agent=half.py:agent", "--tau-gate=pass^1 > 0", "-rx", *plugin_args
    )
    result.stdout.fnmatch_lines(["XFAIL *total-of-a2*left to the gates: reward 0: not told: 7*"])


def test_without_a_gate_a_failed_trial_fails_the_run(half_right):
    assert half_right.run("--tau-agent=half.py:agent").ret == pytest.ExitCode.TESTS_FAILED


def test_gates_stand_in_the_ini_file_and_all_must_hold(half_right):
    half_right.write(
        "pytest.ini",
        '[pytest]\ntau_user = my_user.py:User\ntau_gate = "pass^1 >= 0.5"\n  "unscored == 1"\n',
    )
    result = half_right.run("--tau-agent=half.py:agent")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*holds*pass^1 >= 0.5*", "*fails*unscored == 1*unscored is 0*"])


def test_an_unscored_trial_is_shown_apart_and_leaves_the_gate_open(shop, plugin_args):
    shop.tasks()
    shop.write("my_user.py", HALF_BROKEN_USER)
    result = shop.run("--tau-agent=oracle", "--tau-gate=pass^1 >= 0.9", *plugin_args)
    assert result.ret == CANNOT_TELL
    assert "1 passed, 1 unscored" in result.stdout.str()
    assert shop.run("--tau-agent=oracle", "--tau-gate=pass^1 >= 0.5", *plugin_args).ret == 0


def test_another_test_that_fails_fails_the_run_whatever_the_gates_say(shop, plugin_args):
    shop.tasks()
    shop.write("test_own.py", "def test_own():\n    assert False\n")
    assert shop.run("--tau-agent=oracle", "--tau-gate=pass^1 >= 0.5", *plugin_args).ret == 1


def test_a_worker_that_dies_is_left_to_the_gates(shop):
    shop.tasks()
    shop.write("dying.py", "import os\n\ndef agent(messages, tools):\n    os._exit(1)\n")
    result = shop.run(
        "--tau-agent=dying.py:agent", "--tau-gate=pass^1 >= 0.5", "-n2", "--max-worker-restart=4"
    )
    assert result.ret == CANNOT_TELL
    assert "2 unscored" in result.stdout.str()


def test_no_agent_at_all_cannot_be_told(shop):
    shop.tasks()
    result = shop.run("--tau-gate=pass^1 >= 0.5")
    assert result.ret == CANNOT_TELL


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--tau-gate=pass4 >= 1"], "did you mean 'pass"),
        (["--tau-gate=pass^1 >= 50"], "did you mean 50%?"),
        (["--tau-gate=unscored <= 5%"], "unscored is a number of trials"),
        (["--tau-gate=no regression"], "needs --tau-baseline"),
        (["--tau-baseline=nowhere"], "there is no run 'nowhere'"),
        (["--tau-stop-when-decided"], "--tau-stop-when-decided: there is no --tau-gate to decide"),
        (["--tau-stop-error=0.05"], "--tau-stop-error: there is no --tau-gate to decide"),
        (
            ["--tau-gate=pass^1 => 1"],
            "--tau-gate: 'pass^1 => 1' is not valid; it cannot be read; expected METRIC",
        ),
        (["--tau-report=x.txt"], "'x.txt' is not valid; expected a name that ends on .html"),
        (["--tau-stop-error=0.7", "--tau-gate=pass^1 > 0"], "between 0 and 0.5"),
        (["--tau-report=run.txt"], ".html, .md, .json"),
        (["--tau-shard=9/8"], "expected NUMBER/OF"),
        (["--tau-record="], "--tau-record: '' is not valid; expected a folder"),
        (["--tau-replay="], "--tau-replay: '' is not valid; expected a folder"),
        (
            ["--tau-resume", "tasks/orders.tau.yaml"],
            "holds no run: there is no run.json; put paths of tests before --tau-resume",
        ),
    ],
)
def test_wrong_use_is_said_at_the_start(shop, args, said):
    shop.tasks()
    result = shop.run("--tau-agent=oracle", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()
    assert not (shop.path / ".tau-runs").exists()


def test_a_regression_against_a_stored_run_fails(shop):
    shop.many_tasks(8)
    assert shop.run("--tau-agent=oracle", "--tau-run-dir=main").ret == 0
    (main,) = (shop.path / "main").iterdir()
    against = ("--tau-gate=no regression", f"--tau-baseline=main/{main.name}")
    assert shop.run("--tau-agent=oracle", *against).ret == 0
    result = shop.run("--tau-agent=silent", *against)
    assert result.ret == 1
    # Eight tasks that all broke: one of 2^8 patterns is as bad, p = 1/256.
    result.stdout.fnmatch_lines(
        [
            f"against {main.name}: regression",
            "*pass^1 1.000 -> 0.000*",
            "*fails*no regression*p = 0.004*",
        ]
    )


def test_the_comparison_goes_by_the_margin_of_the_gate(shop):
    shop.many_tasks(10)
    shop.run("--tau-agent=oracle", "--tau-run-dir=main")
    (main,) = (shop.path / "main").iterdir()
    against = ("--tau-agent=oracle", f"--tau-baseline={main}", "--tau-trials=4")
    gate = "--tau-gate=no regression within 40%"
    shop.run(*against).stdout.fnmatch_lines(["against *: cannot tell"])
    # All ten differences are 0: at most 0.308 of all tasks differ.
    shop.run(*against, gate).stdout.fnmatch_lines(["against *: no regression (margin 0.4)"])


def test_a_baseline_that_was_made_otherwise_is_said(shop):
    shop.tasks()
    shop.run("--tau-agent=oracle", "--tau-run-dir=main")
    (main,) = (shop.path / "main").iterdir()
    result = shop.run("--tau-agent=oracle", "--tau-max-steps=9", f"--tau-baseline={main}")
    result.stdout.fnmatch_lines(["against *: cannot tell", "*step caps differ: 30 against 9*"])


def test_a_baseline_on_another_policy_is_said_everywhere(shop, capsys):
    shop.tasks()
    shop.run("--tau-agent=oracle", "--tau-run-dir=main")
    (main,) = (shop.path / "main").iterdir()
    args = ("--tau-agent=oracle", f"--tau-baseline={main}")
    assert "of shop changed" not in shop.run(*args, "--tau-run-dir=same").stdout.str()
    shop.write("shop/policy.md", "Cancel nothing.")
    result = shop.run(*args, "--tau-report=new.md", "--tau-run-dir=new")
    result.stdout.fnmatch_lines(["against *: cannot tell", "*the policy of shop changed*"])
    assert "the policy of shop changed" in (shop.path / "new.md").read_text()
    (new,) = (shop.path / "new").iterdir()
    (same,) = (shop.path / "same").iterdir()
    capsys.readouterr()
    main_command(["compare", str(main), str(new)])
    assert "the policy of shop changed" in capsys.readouterr().out
    main_command(["compare", str(main), str(same)])
    assert "of shop changed" not in capsys.readouterr().out


def test_the_summary_shows_the_interval_of_pass_1(half_right):
    result = half_right.run("--tau-agent=oracle")
    # Two tasks of two passed: Clopper-Pearson's lower end is 0.025 ** (1/2) = 0.158.
    result.stdout.fnmatch_lines(["*pass^1, 95% interval: [[]0.158, 1.000[]]*"])


PLANS = """
{"domain": "multimedia", "graph": {"id": "a", "type": "single", "n_tools": 1, "user_request": "one", \
"task_steps": ["s"], "task_nodes": [{"task": "Audio-to-Text", "arguments": ["x.mp3"]}], "task_links": []}}
{"domain": "multimedia", "graph": {"id": "b", "type": "single", "n_tools": 1, "user_request": "two", \
"task_steps": ["s"], "task_nodes": [{"task": "Audio-to-Text", "arguments": ["x.mp3"]}], "task_links": []}}
"""

PLANNER = """
def plan(request, tools):
    task = "Audio-to-Text" if request == "one" else "Text Summarizer"
    return {"task_steps": ["s"], "task_nodes": [{"task": task, "arguments": ["x.mp3"]}], "task_links": []}
"""


@pytest.mark.parametrize(("bound", "status"), [("0.5", 0), ("0.6", 1)])
def test_a_gate_on_a_metric_of_taskeval(shop, bound, status):
    shop.write("plans/two.tau.jsonl", PLANS.strip())
    shop.write("my_planner.py", PLANNER)
    result = shop.run(
        "--tau-agent=my_planner.py:plan", f"--tau-gate=node_f1[multimedia] >= {bound}"
    )
    # Of two predicted nodes one is right, and of two in gold one is found.
    assert result.ret == status
    result.stdout.fnmatch_lines(["*node_f1 is 0.5 in strict*"])
