"""``--tau-resume``: what is scored is not run again, and the run ends as if never cut."""

import json

import pytest
import rouge_score.rouge_scorer  # noqa: F401  (numpy bears no second import inside a test)

from pytest_taubench.runs.store import read_run

COUNTING_AGENT = """
import pathlib

def agent(messages, tools):
    with open(pathlib.Path(__file__).with_name("calls.txt"), "a") as calls:
        calls.write("x")
    return "The order A1 is cancelled. The total is 7."
"""

BROKEN_USER = """
class User:
    def __init__(self, context):
        self.context = context

    def respond(self, text):
        raise RuntimeError("the simulator is down")
"""


@pytest.fixture
def counted(shop):
    """A project whose agent leaves a mark for each reply; it passes one task of two."""
    shop.tasks()
    shop.write("counting.py", COUNTING_AGENT)
    shop.calls = lambda: len((shop.path / "calls.txt").read_text())
    shop.go = lambda *args: shop.run("--tau-agent=counting.py:agent", "--tau-trials=2", *args)
    return shop


def run_folder(shop):
    (folder,) = (shop.path / ".tau-runs").glob("[!.]*")
    return folder


def cut_after(folder, count, torn=""):
    """Leave a run as a kill after some records would."""
    path = folder / "trials.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:count]) + torn)


def test_only_what_is_not_scored_runs_and_the_summary_covers_all(counted, plugin_args):
    whole = counted.go(*plugin_args)
    assert (whole.ret, counted.calls()) == (1, 4)
    before = counted.rewards()
    cut_after(run_folder(counted), 3)
    result = counted.go("--tau-resume", *plugin_args)
    result.assert_outcomes(passed=2, failed=2)
    assert (result.ret, counted.calls()) == (1, 5)
    assert counted.rewards() == before
    result.stdout.fnmatch_lines(
        ["*2 tasks, 4 trials, 4 scored*", "resumed *: 3 trials were scored before"]
    )


def test_a_trial_taken_from_the_record_is_marked(counted, plugin_args):
    counted.go()
    result = counted.go("--tau-resume", "-v", *plugin_args)
    assert result.stdout.str().count("PASSED (resumed)") == 2
    # Each stands among the results and in the short summary.
    assert result.stdout.str().count("FAILED (resumed)") == 2 * 2
    assert counted.calls() == 4
    # The failure report of the stored trial is there too.
    result.stdout.fnmatch_lines(["*reward 0: the database is not the expected one*"])


def test_gates_treat_resumed_trials_like_others(counted, plugin_args):
    counted.go()
    result = counted.go("--tau-resume", "--tau-gate=pass^1 == 0.5", *plugin_args)
    result.assert_outcomes(passed=2, xfailed=2)
    assert result.ret == 0


def test_a_torn_last_line_is_reported_and_mended(counted):
    counted.go()
    cut_after(run_folder(counted), 2, torn='{"version":1,"kind":"ta')
    result = counted.go("--tau-resume")
    assert "torn" in result.stdout.str()
    assert len(counted.records()) == 4


def test_a_last_record_without_its_newline_is_kept(counted):
    counted.go()
    path = run_folder(counted) / "trials.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]).rstrip("\n"))
    counted.go("--tau-resume")
    assert (len(counted.records()), counted.calls()) == (4, 5)


def test_an_unscored_record_stands_until_the_new_one_is_written(counted, plugin_args):
    user = (counted.path / "my_user.py").read_text()
    counted.write("my_user.py", BROKEN_USER)
    assert "4 unscored" in counted.go(*plugin_args).stdout.str()
    counted.write("my_user.py", user)
    some = counted.go("--tau-resume", "-k", "cancel-a1", *plugin_args)
    # Two trials were run anew, the other two still are without a reward.
    some.stdout.fnmatch_lines(["*2 tasks, 4 trials, 2 scored, 2 unscored*"])
    assert sorted(r.outcome for r in counted.records()) == [
        "scored",
        "scored",
        "unscored",
        "unscored",
    ]
    counted.go("--tau-resume", *plugin_args)
    assert {r.outcome for r in counted.records()} == {"scored"}
    assert len((run_folder(counted) / "trials.jsonl").read_text().splitlines()) == 8


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--tau-seed=3"], "--tau-seed was 0, now 3"),
        (
            ["--tau-max-steps=5", "--tau-no-policy"],
            "--tau-max-steps was 30, now 5; --tau-no-policy was not given, now given",
        ),
        (["--tau-agent=oracle"], "--tau-agent was 'counting.py:agent', now 'oracle'"),
        (
            ["--tau-agent-arg=temperature=1"],
            "--tau-agent-arg was not given, now {'temperature': 1}",
        ),
        (["--tau-user=scripted"], "--tau-user was 'my_user.py:User', now 'scripted'"),
        (["--tau-timeout=9"], "--tau-timeout was not given, now 9.0"),
        (["--tau-trials=1"], "--tau-trials was 2, now 1"),
        (["--tau-shard=1/2"], "--tau-shard was not given, now 1/2"),
    ],
)
def test_a_changed_setting_refuses_and_is_named(counted, args, said):
    counted.go()
    before = (run_folder(counted) / "trials.jsonl").read_bytes()
    result = counted.go("--tau-resume", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()
    assert (run_folder(counted) / "trials.jsonl").read_bytes() == before


def test_more_trials_make_the_run_longer(counted):
    counted.go()
    counted.go("--tau-resume", "--tau-trials=3")
    info, records, _ = read_run(run_folder(counted))
    assert (len(records), counted.calls()) == (6, 6)
    assert (info.settings.trials, set(info.planned.values())) == (3, {3})


def test_a_changed_task_refuses_and_is_named(counted, plugin_args):
    counted.go()
    text = (counted.path / "tasks/orders.tau.yaml").read_text()
    counted.tasks(text.replace('outputs: ["7"]', 'outputs: ["8"]'))
    result = counted.go("--tau-resume", *plugin_args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "task tasks/orders.tau.yaml::total-of-a2 changed" in result.stderr.str()
    assert "cancel-a1" not in result.stderr.str()
    counted.tasks(text.replace("id: total-of-a2", "id: renamed"))
    assert "total-of-a2 is no longer there" in counted.go("--tau-resume").stderr.str()


def test_the_run_to_resume_can_be_named(counted):
    counted.go()
    first = run_folder(counted)
    counted.go()
    cut_after(first, 1)
    counted.go(f"--tau-resume={first.name}")
    assert len(read_run(first)[1]) == 4
    assert "there is no run 'nowhere'" in counted.go("--tau-resume=nowhere").stderr.str()


def test_where_there_is_no_run_a_new_one_begins(counted):
    result = counted.go("--tau-resume")
    assert "nothing to resume" in result.stdout.str()
    assert len(counted.records()) == 4


@pytest.mark.parametrize("named", [True, False])
def test_a_run_that_lost_its_settings_is_not_begun_anew_without_a_word(counted, named):
    counted.go()
    (run_folder(counted) / "run.json").unlink()
    option = f"--tau-resume={run_folder(counted).name}" if named else "--tau-resume"
    result = counted.go(option)
    assert (result.ret, counted.calls()) == (4, 4)
    result.stderr.fnmatch_lines(["*run.json is lost, though trials.jsonl is there*"])


def test_the_plan_is_written_before_the_run_ends(counted, plugin_args):
    counted.go("-x", *plugin_args)
    info = json.loads((run_folder(counted) / "run.json").read_text())
    assert info["planned"] == {
        "tasks/orders.tau.yaml::cancel-a1": 2,
        "tasks/orders.tau.yaml::total-of-a2": 2,
    }


def test_a_run_that_is_being_written_is_not_resumed_by_another(counted):
    counted.go()
    from pytest_taubench.runs.store import RunStore

    store = RunStore.resume(run_folder(counted), read_run(run_folder(counted))[0])
    result = counted.go("--tau-resume")
    store.close()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "is being written by another process" in result.stderr.str()


def edit(path, old, new):
    """Change a file of a project as its owner would."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


DOMAIN_EDITS = {
    "policy": ("shop/policy.md", "Cancel what", "Never cancel what"),
    "tools": ("shop/tools.py", '"cancelled"', '"canceled"'),
    "database": ("shop/db/orders.json", "12.5", "13.5"),
}


@pytest.mark.parametrize("part", DOMAIN_EDITS)
def test_a_changed_domain_refuses_and_its_part_is_named(counted, part):
    counted.go()
    cut_after(run_folder(counted), 2)
    before = (run_folder(counted) / "trials.jsonl").read_bytes()
    file, old, new = DOMAIN_EDITS[part]
    edit(counted.path / file, old, new)
    result = counted.go("--tau-resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"was made otherwise: the {part} of shop changed" in result.stderr.str()
    assert result.stderr.str().count(" of shop changed") == 1
    assert (run_folder(counted) / "trials.jsonl").read_bytes() == before


def test_an_unchanged_domain_goes_on_whatever_lies_beside_it(counted, plugin_args):
    counted.go()  # in one process, and gone on with in several
    cut_after(run_folder(counted), 2)
    before = read_run(run_folder(counted))[0].domains
    policy = counted.path / "shop/policy.md"
    policy.write_bytes(policy.read_bytes())  # a newer file of the same content
    counted.write("shop/generate.py", "raise SystemExit")  # which no tool imports
    counted.write("shop/departures.yaml", "[]")
    counted.go("--tau-resume", *plugin_args)
    info, records, _ = read_run(run_folder(counted))
    assert (len(records), counted.calls()) == (4, 6)
    assert [(each.name, each.place) for each in before] == [("shop", "shop/db")]
    assert info.domains == before


def test_a_run_of_before_fingerprints_is_resumed(counted):
    counted.go()
    cut_after(run_folder(counted), 2)
    path = run_folder(counted) / "run.json"
    stored = json.loads(path.read_text())
    del stored["domains"]
    path.write_text(json.dumps(stored))
    edit(counted.path / "shop/policy.md", "Cancel", "Never cancel")
    counted.go("--tau-resume")
    assert len(counted.records()) == 4


def test_a_changed_tool_graph_refuses_and_is_named(shop):
    tools = [{"id": name, "inputs": ["text"], "outputs": ["text"]} for name in ("Cut", "Join")]
    shop.write("kitchen/tools.json", json.dumps({"tools": tools}))
    sample = {"id": "s", "type": "single", "n_tools": 1, "user_request": "Cut it."}
    plan = {"task_steps": ["Cut it"], "task_nodes": [{"task": "Cut", "arguments": ["it"]}]}
    graph = {**sample, **plan, "task_links": []}
    shop.tasks(json.dumps({"domain": "../kitchen", "graph": graph}), "tasks/cooking.tau.jsonl")
    args = ("--tau-agent=oracle",)
    shop.run(*args).assert_outcomes(passed=1)
    shop.run(*args, "--tau-resume").assert_outcomes(passed=1)
    tools[1]["description"] = "Joins two texts."
    shop.write("kitchen/tools.json", json.dumps({"tools": tools}))
    result = shop.run(*args, "--tau-resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "the tool graph of kitchen changed" in result.stderr.str()


def test_changed_upstream_data_refuse_and_are_named(shop):
    task = {"instruction": "Cancel A1.", "actions": [], "outputs": []}
    shop.write("upstream/shop/tasks_test.json", json.dumps([task]))
    for name in ("tools.py", "policy.md", "db/orders.json"):
        text = (shop.path / "shop" / name).read_text()
        shop.write(f"upstream/shop/{name.rpartition('/')[2]}", text)
    args = ("--tau-agent=oracle", "--tau-data=upstream")
    shop.run(*args).assert_outcomes(passed=1)
    shop.run(*args, "--tau-resume").assert_outcomes(passed=1)
    edit(shop.path / "upstream/shop/orders.json", "12.5", "13.5")
    result = shop.run(*args, "--tau-resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "the database of shop changed" in result.stderr.str()


def test_a_domain_that_changes_behind_a_python_test_is_no_success(shop, plugin_args):
    shop.tasks(name="chosen/orders.tau.yaml")
    shop.write(
        "test_own.py",
        "import pytest\n"
        "@pytest.mark.parametrize('trial', [1, 2])\n"
        "def test_it(tau_run, trial):\n"
        "    assert tau_run('chosen/orders.tau.yaml::cancel-a1', trial).reward == 1\n",
    )
    args = ("--tau-agent=oracle", "test_own.py", *plugin_args)
    shop.run(*args, "-k", "1").assert_outcomes(passed=1)
    edit(shop.path / "shop/policy.md", "Cancel", "Never cancel")
    result = shop.run(*args, "--tau-resume", "-k", "2")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "the policy of shop changed while the run went on" in result.stdout.str()
