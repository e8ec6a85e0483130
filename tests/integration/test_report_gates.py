"""``report --gate``: the page of a stored run shows its gates as the run's own report does."""

import html
import json

import pytest
from stored_run import command, write_run

from pytest_taubench.schema import Shard

GOOD = {f"t{i}": [1, 1, 1, 1] for i in range(10)}
BAD = {f"t{i}": [0, 0, 0, 0] for i in range(10)}


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_the_report_of_a_merged_run_shows_the_gates_given_to_it(tmp_path, suffix):
    main = write_run(tmp_path / "main", GOOD)
    parts = [
        write_run(tmp_path / f"part-{n}", rewards, shard=Shard(number=n, of=2))
        for n, rewards in ((1, {"t0": [1, 1, 0, 0]}), (2, BAD | {"t0": {}}))
    ]
    run, out = tmp_path / "run", tmp_path / f"out{suffix}"
    assert command("merge", *parts, "--out", run).returncode == 0
    gates = ("pass^1 >= 0.5", "no regression within 2%", "trials >= 40")
    asked = [f"--gate={gate}" for gate in gates]
    result = command("report", run, *asked, "--baseline", main, "--out", out)
    # The gates are shown; `gate` is what decides.
    assert (result.returncode, result.stderr) == (0, "")
    text = out.read_text(encoding="utf-8")
    if suffix == ".json":
        decided = {each["gate"]: each["decision"] for each in json.loads(text)["gates"]}
        assert decided == dict(zip(gates, ("fails", "fails", "holds"), strict=True))
    else:
        plain = html.unescape(text).replace("\\", "")
        assert [gate in plain for gate in gates] == [True] * 3
        # (2 of 4 in one task, 0 in nine) = 0.5 / 10.
        assert "pass^1 is 0.050" in plain


def test_without_gates_the_report_shows_none(tmp_path):
    run = write_run(tmp_path / "run", GOOD)
    assert json.loads(command("report", run, "--json").stdout)["gates"] == []


def test_a_page_may_be_written_and_its_figures_printed_at_once(tmp_path):
    run, page = write_run(tmp_path / "run", GOOD), tmp_path / "page.html"
    printed = command("report", run, "--out", page, "--json").stdout
    assert json.loads(printed) == json.loads(command("report", run, "--json").stdout)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_report_decides_as_a_run_that_was_stopped_early_did(tmp_path):
    planned = {f"tasks/shop/a.tau.yaml::t{i}": 20 for i in range(10)}
    run = write_run(tmp_path / "run", {task: [1] * 9 for task in GOOD}, planned=planned)
    gate = "pass^1 >= 0.5"

    def decision(*more):
        report = json.loads(command("report", run, f"--gate={gate}", *more).stdout)
        return report["gates"][0]["decision"]

    # 90 of 200 have passed: 110 failures to come would make it 0.45.
    assert decision() == "cannot tell"
    assert decision("--stop-error=0.05") == "holds"
    assert command("gate", run, gate, "--stop-error=0.05").returncode == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gate=rewards >= 1"], "did you mean 'reward'?"),
        (["--gate=no regression"], "the gate 'no regression' needs --baseline RUN"),
        (["--gate=pass^1 >= 1", "--stop-error=5"], "between 0 and 0.5"),
    ],
)
def test_a_gate_that_cannot_be_decided_is_refused_before_anything_is_written(
    tmp_path, options, said
):
    run, out = write_run(tmp_path / "run", GOOD), tmp_path / "out.md"
    result = command("report", run, *options, "--out", out)
    assert (result.returncode, said in result.stderr, out.exists()) == (2, True, False)


@pytest.mark.parametrize("options", [("gate", "pass^1 >= 50"), ("report", "--gate=pass^1 >= 50")])
def test_a_gate_that_cannot_be_is_one_plain_line(tmp_path, options):
    run = write_run(tmp_path / "run", GOOD)
    name, gate = options
    result = command(name, run, gate)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        "error: 'pass^1 >= 50': pass^1 lies between 0 and 1 (100%); did you mean 50%?"
    ]
