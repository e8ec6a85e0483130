"""The commands on stored runs, called as a user calls them, on runs written by hand."""

import json

import jsonschema
import pytest
from stored_run import command, write_run

from pytest_taubench.runs.store import read_run
from pytest_taubench.schema import DomainFingerprint, RunSettings

GOOD = {f"t{i}": [1, 1, 1, 1] for i in range(10)}
BAD = {f"t{i}": [0, 0, 0, 0] for i in range(10)}


def test_compare_says_what_broke_and_fails_on_a_regression(tmp_path):
    good, bad = write_run(tmp_path / "good", GOOD), write_run(tmp_path / "bad", BAD)
    result = command("compare", good, bad)
    assert result.returncode == 1
    assert "regression" in result.stdout
    assert "pass^1 1.000 -> 0.000" in result.stdout
    assert "broke: 10" in result.stdout
    assert command("compare", good, good).returncode == 0


def test_compare_as_json_has_each_run(tmp_path):
    good, bad = write_run(tmp_path / "good", GOOD), write_run(tmp_path / "bad", BAD)
    result = json.loads(command("compare", bad, good, bad, "--json").stdout)
    assert [each["verdict"] for each in result["comparisons"]] == ["no regression", "cannot tell"]
    assert result["comparisons"][0]["differences"]["pass^4"]["after"] == 1.0


def test_compare_says_how_many_trials_would_show_a_difference(tmp_path):
    run = write_run(tmp_path / "run", {f"t{i}": [1, 0, 1, 0] for i in range(100)})
    result = command("compare", run, run, "--show", "0.05")
    # 2 * (1/3) / n / 100 <= (0.05 / 2.8016) ** 2, so n = 21.
    assert "21 trials a task on each side show a difference of 0.05" in result.stdout


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--margin=-1", "expected a drop in pass^1 between 0 and 1, e.g. 0.02 or 2%, not '-1'"),
        ("--margin=5", "between 0 and 1"),
        ("--margin=nan", "between 0 and 1"),
        ("--margin=much", "not 'much'"),
        ("--show=0", "expected a difference in pass^1 above 0, up to 1"),
        ("--show=5", "e.g. 0.05 or 5%, not '5'"),
    ],
)
def test_compare_refuses_what_is_no_difference_in_pass_1(tmp_path, option, said):
    run = write_run(tmp_path / "run", GOOD)
    result = command("compare", run, run, option)
    assert (result.returncode, said in result.stderr) == (2, True)


def test_compare_takes_percentages_as_gates_do(tmp_path):
    one = write_run(tmp_path / "one", GOOD)
    other = write_run(tmp_path / "other", {task: [0, 1, 1, 1] for task in GOOD})
    assert command("compare", one, other, "--margin=5%").returncode == 1
    result = command("compare", one, other, "--margin=30%", "--show=5%")
    assert (result.returncode, "show a difference of 0.05" in result.stdout) == (0, True)


@pytest.mark.parametrize(
    ("gate", "status"), [("pass^4 >= 0.9", 0), ("pass^4 < 0.9", 1), ("pass^5 >= 0.1", 6)]
)
def test_gate_decides_a_stored_run_by_its_exit_status(tmp_path, gate, status):
    run = write_run(tmp_path / "run", GOOD)
    assert command("gate", run, gate).returncode == status


def test_gate_counts_planned_trials_that_never_ran_as_open(tmp_path):
    planned = {"tasks/shop/a.tau.yaml::a": 4, "tasks/shop/a.tau.yaml::b": 4}
    run = write_run(tmp_path / "run", {"a": [1, 1, 1, 1]}, planned=planned)
    assert command("gate", run, "pass^1 >= 0.5").returncode == 0
    assert command("gate", run, "pass^1 >= 0.6").returncode == 6


def test_gate_needs_a_baseline_for_no_regression(tmp_path):
    good, bad = write_run(tmp_path / "good", GOOD), write_run(tmp_path / "bad", BAD)
    refused = command("gate", bad, "no regression")
    assert (refused.returncode, "needs --baseline RUN" in refused.stderr) == (2, True)
    assert command("gate", bad, "no regression", "--baseline", good).returncode == 1
    assert command("gate", good, "no regression", "--baseline", good).returncode == 0


@pytest.mark.parametrize("of", [("gate", "RUN", "reward > 0", "--baseline"), ("compare",)])
def test_an_empty_baseline_is_said_to_be_empty(tmp_path, of):
    good, empty = write_run(tmp_path / "good", GOOD), write_run(tmp_path / "empty", {})
    arguments = [good if each == "RUN" else each for each in of]
    result = command(*arguments, empty, *([good] if of == ("compare",) else []))
    assert (result.returncode, f"{empty} is empty: it holds no trial" in result.stderr) == (2, True)


def test_a_terminal_without_an_arrow_fails_no_gate(tmp_path):
    good = write_run(tmp_path / "good", GOOD)
    result = command("gate", good, "no regression", "--baseline", good, PYTHONIOENCODING="cp1252")
    assert (result.returncode, "1.000 ? 1.000" in result.stdout) == (0, True)


def test_a_gate_on_one_task_is_told_to_be_over_suites(tmp_path):
    run = write_run(tmp_path / "run", GOOD)
    result = command("gate", run, "pass^1[t1[trial-2]] >= 1")
    said = "a gate is over all tasks of a suite or domain, and 't1[trial-2]' is a task of shop"
    assert (result.returncode, said in result.stdout) == (6, True)


def test_a_gate_that_cannot_be_read_names_the_nearest_metric(tmp_path):
    result = command("gate", write_run(tmp_path / "run", GOOD), "rewards >= 1")
    assert result.returncode == 2
    assert "did you mean 'reward'?" in result.stderr


def test_merge_joins_shards_and_refuses_doubles_that_differ(tmp_path):
    one = write_run(tmp_path / "one", {"a": [1, 1], "b": [0, 1]}, worker="gw0", duration=1.0)
    two = write_run(tmp_path / "two", {"b": [0, 1], "c": [1, 0]}, worker="gw1", duration=2.0)
    result = command("merge", one, two, "--out", tmp_path / "all")
    assert (result.returncode, "6 trials of 2 runs" in result.stdout) == (0, True)
    assert command("gate", tmp_path / "all", "trials >= 6").returncode == 0
    three = write_run(tmp_path / "three", {"b": [1, 1]})
    refused = command("merge", one, three, "--out", tmp_path / "none")
    assert refused.returncode == 2
    assert "a.tau.yaml::b trial 1 has two records that differ" in refused.stderr
    assert not (tmp_path / "none").exists()


def test_merge_refuses_runs_that_were_set_differently(tmp_path):
    one = write_run(tmp_path / "one", {"a": [1]})
    other = write_run(tmp_path / "two", {"b": [1]}, settings=RunSettings(agent="other", trials=4))
    result = command("merge", one, other, "--out", tmp_path / "all")
    assert (result.returncode, "agent ('mine' and 'other')" in result.stderr) == (2, True)


SHOP = DomainFingerprint(name="shop", policy="p1", tools="t1", database="d1")


def test_merge_refuses_parts_whose_domains_differ(tmp_path):
    other = SHOP.model_copy(update={"tools": "t2"})
    one = write_run(tmp_path / "one", {"a": [1]}, domains=[SHOP])
    old = write_run(tmp_path / "old", {"b": [1]})
    three = write_run(tmp_path / "three", {"c": [1]}, domains=[other])
    refused = command("merge", one, old, three, "--out", tmp_path / "none")
    assert refused.returncode == 2
    assert f"{one} and {three} are not shards of one run" in refused.stderr
    assert "they differ in the tools of shop" in refused.stderr
    assert command("merge", one, old, "--out", tmp_path / "all").returncode == 0
    assert read_run(tmp_path / "all")[0].domains == [SHOP]


def test_report_makes_the_folders_of_its_file(tmp_path):
    run = write_run(tmp_path / "run", GOOD)
    assert command("report", run, "--out", tmp_path / "new" / "er" / "x.md").returncode == 0
    assert (tmp_path / "new" / "er" / "x.md").read_text().startswith("## tau-bench")


def test_report_as_json_is_as_its_schema_says(tmp_path):
    run = write_run(tmp_path / "run", {"a": [1, None], "b": [0, 1]})
    assert command("report", run, "--baseline", run, "--out", tmp_path / "x.json").returncode == 0
    report = json.loads((tmp_path / "x.json").read_text())
    schema = json.loads(command("schema", "--kind", "report").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(report, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**report, "suites": [{"name": "shop"}]}, schema)


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_report_is_written_as_its_name_says(tmp_path, suffix):
    run = write_run(tmp_path / "run", {"a<b>|c": [1, None], "d": [0, 0]})
    out = tmp_path / f"out{suffix}"
    assert command("report", run, "--out", out, "--baseline", run).returncode == 0
    text = out.read_text(encoding="utf-8")
    assert "<b>" not in text or suffix == ".json"
    # a: 1 of 1 scored, d: 0 of 2.
    assert {".html": "0.500", ".md": "| 0.500", ".json": '"value": 0.5'}[suffix] in text


TORN = "trials.jsonl:40: the last line is torn"


@pytest.fixture
def torn(tmp_path):
    folder = write_run(
        tmp_path / "torn", GOOD, planned={f"tasks/shop/a.tau.yaml::{t}": 4 for t in GOOD}
    )
    lines = (folder / "trials.jsonl").read_text()
    (folder / "trials.jsonl").write_text(lines[:-20])
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("gate", "TORN", "pass^1 >= 0.5"),
        ("gate", "GOOD", "pass^1 >= 0.5", "--baseline", "TORN"),
        ("compare", "TORN", "GOOD"),
        ("compare", "GOOD", "TORN"),
        ("report", "TORN"),
        ("report", "GOOD", "--baseline", "TORN"),
        ("merge", "TORN", "--out", "OUT"),
        ("rescore", "TORN"),
    ],
    ids=" ".join,
)
def test_a_torn_last_line_is_warned_of_and_lost_records_are_an_error(tmp_path, torn, arguments):
    paths = {"TORN": torn, "GOOD": write_run(tmp_path / "good", GOOD), "OUT": tmp_path / "out"}
    called = [paths.get(each, each) for each in arguments]
    result = command(*called)
    # There is no task file to grade the written run by.
    assert result.returncode == int(arguments[0] == "rescore")
    assert result.stderr.count(TORN) == 1
    (torn / "trials.jsonl").unlink()
    result = command(*called)
    assert (result.returncode, "trials.jsonl is missing" in result.stderr) == (2, True)


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_a_report_says_that_a_line_is_torn(tmp_path, torn, suffix):
    out = tmp_path / f"out{suffix}"
    assert command("report", torn, "--out", out).returncode == 0
    assert TORN in out.read_text(encoding="utf-8")


def test_what_is_printed_as_json_says_that_a_line_is_torn(torn):
    for arguments in (("compare", torn, torn), ("rescore", torn), ("report", torn)):
        warnings = json.loads(command(*arguments, "--json").stdout)["warnings"]
        assert [TORN in warning for warning in warnings] == [True]


def test_report_of_an_unknown_kind_says_which_there_are(tmp_path):
    result = command("report", write_run(tmp_path / "run", GOOD), "--out", tmp_path / "out.txt")
    assert (result.returncode, ".html, .md, .json" in result.stderr) == (2, True)
    assert "out.txt': expected" in result.stderr


def test_a_folder_of_runs_names_the_latest(tmp_path):
    run = write_run(tmp_path / "runs" / "one", GOOD)
    for arguments in (("gate", run.parent, "pass^1 >= 0"), ("report", run.parent)):
        result = command(*arguments)
        said = f"{run.parent} is no run, but a folder of runs; the latest is {run}"
        assert (result.returncode, said in result.stderr) == (2, True)


def test_a_folder_without_a_run_is_said(tmp_path):
    result = command("gate", tmp_path, "pass^1 >= 0")
    assert (result.returncode, "holds no run" in result.stderr) == (2, True)


@pytest.mark.parametrize("error", ["0", "-1", "0.5", "5", "nan"])
def test_gate_refuses_a_chance_of_error_that_is_none(tmp_path, error):
    result = command(
        "gate", write_run(tmp_path / "run", GOOD), "pass^1 >= 1", f"--stop-error={error}"
    )
    assert (result.returncode, "between 0 and 0.5" in result.stderr) == (2, True)


def test_gate_says_what_of_the_baseline_is_missing_or_differs(tmp_path):
    base = write_run(
        tmp_path / "base",
        {f"t{i}": [1, 1] for i in range(10)},
        planned={f"tasks/shop/a.tau.yaml::t{i}": 4 for i in range(10)},
        task_hash="1",
    )
    good = write_run(tmp_path / "good", GOOD, task_hash="2")
    result = command("gate", good, "no regression", "--baseline", base)
    assert "warning: 20 of 40 planned trials of the first run did not run" in result.stderr
    assert "warning: the annotation of 10 tasks changed" in result.stderr
