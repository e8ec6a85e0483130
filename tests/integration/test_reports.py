"""Reports of a run: files, what GitHub shows, and JUnit XML."""

import json
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest

from pytest_taubench.commands.cli import main

COSTLY = """


class Agent:
    def __init__(self, context):
        pass

    def step(self, messages):
        return {"role": "assistant", "content": "The total is 7."}

    def usage(self):
        return {"calls": 1, "input_tokens": 10, "output_tokens": 5, "cost": 0.25}
"""


@pytest.fixture
def half_right(shop):
    shop.tasks()
    shop.write("half.py", COSTLY)
    shop.go = lambda *args: shop.run("--tau-agent=half.py:Agent", *args)
    return shop


def test_each_file_is_written_by_its_name(half_right, plugin_args):
    names = ("out/run.html", "run.md", "run.json")
    options = [f"--tau-report={name}" for name in names]
    result = half_right.go(*options, "--tau-gate=pass^1 >= 0.5", *plugin_args)
    assert result.ret == 0
    page, text, data = ((half_right.path / name).read_text() for name in names)
    assert "The total is 7." in page  # with the conversation
    assert "✅ holds" in text
    report = json.loads(data)
    assert report["suites"][0]["pass_hat"]["1"]["value"] == 0.5
    assert report["gates"][0]["decision"] == "holds"
    result.stdout.fnmatch_lines([f"report written to *{names[0]}"])


def test_the_report_of_a_run_with_gates_and_a_baseline_fits_the_published_schema(
    half_right, capsys
):
    half_right.go()
    (run,) = (half_right.path / ".tau-runs").glob("2*")
    half_right.go(
        "--tau-report=run.json", f"--tau-baseline={run.name}", "--tau-gate=no regression",
        "--tau-gate=pass^1 >= 0.5",
    )  # fmt: skip
    report = json.loads((half_right.path / "run.json").read_text())
    assert len(report["gates"]) == 2
    assert report["costs"]
    capsys.readouterr()
    assert main(["schema", "--kind", "report"]) == 0
    jsonschema.validate(report, json.loads(capsys.readouterr().out))


def test_a_baseline_is_in_the_report(half_right):
    half_right.go()
    (run,) = (half_right.path / ".tau-runs").glob("[!.]*")
    half_right.go(f"--tau-baseline={run.name}", "--tau-report=run.json")
    assert (
        json.loads((half_right.path / "run.json").read_text())["comparison"]["verdict"]
        == "cannot tell"
    )


def test_other_settings_than_the_baseline_had_are_said_wherever_it_is_compared(half_right):
    half_right.go("--tau-max-steps=5")
    (run,) = (half_right.path / ".tau-runs").glob("[!.]*")
    names = ("run.html", "run.md", "run.json")
    options = [f"--tau-report={name}" for name in names]
    result = half_right.go(f"--tau-baseline={run.name}", *options)
    warning = "the step caps differ: 5 against 30"
    assert result.stdout.str().count(warning) == 1
    assert [warning in (half_right.path / name).read_text() for name in names] == [True] * 3
    later = max(
        (half_right.path / ".tau-runs").glob("[!.]*"), key=lambda path: path.stat().st_mtime_ns
    )
    for name in names:
        out = half_right.path / f"again-{name}"
        assert main(["report", str(later), "--baseline", str(run), "--out", str(out)]) == 0
        assert warning in out.read_text()


def test_github_gets_a_summary_and_annotations(half_right, plugin_args, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(half_right.path / "summary.md"))
    (half_right.path / "summary.md").write_text("before\n")
    result = half_right.go(*plugin_args)
    assert (half_right.path / "summary.md").read_text().startswith("before\n## tau-bench: half.py")
    result.stdout.fnmatch_lines(
        ["::warning file=tasks/orders.tau.yaml,title=tau-bench::cancel-a1 of * failed 1 trial"]
    )


def test_annotations_are_in_one_order_however_records_come_in(shop, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    shop.many_tasks(12)
    lines = shop.run("--tau-agent=silent", "-n2").outlines
    named = [line.split("::")[2].split(" ")[0] for line in lines if line.startswith("::warning")]
    assert named == [f"t{n}" for n in range(12)]


HOSTILE = r"""
LINES = "no\n::error::a\n  ::stop-commands::b\n##[error]c \x1b[31m"


def agent(messages, tools):
    print(LINES)
    if "A1" in messages[-1]["content"]:
        raise RuntimeError(LINES)
    return LINES
"""


@pytest.mark.parametrize("gate", ["", "--tau-gate=pass^1 < 1"])
def test_github_obeys_no_word_of_an_agent(shop, monkeypatch, gate):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    shop.tasks()
    shop.write("hostile.py", HOSTILE)
    result = shop.run("--tau-agent=hostile.py:agent", "-vv", "-rA", *filter(None, [gate]))
    commands = [line for line in result.outlines if line.lstrip().startswith("::")]
    assert [line.partition(" ")[0] for line in commands] == ["::warning"] * 2
    assert "##[" not in result.stdout.str()
    # With a gate a failed trial is expected, and has no report.
    said = ["XFAIL *left to the gates: *"] if gate else [": :error::a", "  : :stop-commands::b"]
    result.stdout.fnmatch_lines(said)


def test_no_escape_code_of_an_agent_reaches_the_terminal(shop):
    shop.tasks()
    shop.write("hostile.py", HOSTILE.replace("print(LINES)", "pass"))
    printed = shop.run("--tau-agent=hostile.py:agent", "-vv").stdout.str()
    assert (r"\x1b[31m" in printed, "\x1b" in printed) == (True, False)


def test_without_github_there_is_neither(half_right, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    assert "::warning" not in half_right.go().stdout.str()


def test_a_report_that_cannot_be_written_fails_the_run(half_right):
    half_right.write("file", "in the way")
    result = half_right.go("--tau-report=file/run.md", "--tau-gate=pass^1 >= 0.5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["the report is not written: *"])


def test_junit_xml_has_reward_ending_and_cost(half_right):
    half_right.go("--junitxml=junit.xml")
    cases = ElementTree.parse(half_right.path / "junit.xml").iter("testcase")
    found = {
        case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")}
        for case in cases
    }
    assert found["cancel-a1[trial-1]"]["tau_reward"] == "0.0"
    assert found["total-of-a2[trial-1]"]["tau_reward"] == "1.0"
    assert found["total-of-a2[trial-1]"]["tau_ending"] == "user_stop"
    assert found["total-of-a2[trial-1]"]["tau_cost"] == "0.25"


CONTROLS = "\0 \x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eesrever"


def test_no_report_for_people_holds_a_control_character(shop, monkeypatch):
    shop.tasks()
    shop.write("odd.py", f"def agent(messages, tools):\n    raise ConnectionError({CONTROLS!r})\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shop.path / "summary.md"))
    shop.run("--tau-agent=odd.py:agent", "--tau-report=run.md")
    for name in ("run.md", "summary.md"):
        text = (shop.path / name).read_text()
        assert "\\x1b" in text
        assert [mark for mark in text if not (mark.isprintable() or mark == "\n")] == []


def test_what_an_agent_prints_does_not_act_on_the_terminal(shop, plugin_args):
    shop.tasks()
    lines = f"    print({CONTROLS!r})\n    return 'no'\n"
    shop.write("loud.py", f"def agent(messages, tools):\n{lines}")
    shown = shop.run("--tau-agent=loud.py:agent", "--color=no", *plugin_args).stdout.str()
    assert "red \\x1b]0;title\\x07 \\u202eesrever" in shown
    assert not {"\x1b", "\0", "\x07", "\u202e"} & set(shown)
