"""What becomes an item, under which id, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_taubench.bundled import suites_root

ORDERS = "tasks/orders.tau.yaml"


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line and "error" not in line.lower()]


def test_one_item_a_task_and_trial_in_trial_major_order(shop):
    shop.tasks()
    result = shop.run("--collect-only", "-q", "--tau-trials=2")
    assert collected(result) == [
        f"{ORDERS}::cancel-a1[trial-1]",
        f"{ORDERS}::total-of-a2[trial-1]",
        f"{ORDERS}::cancel-a1[trial-2]",
        f"{ORDERS}::total-of-a2[trial-2]",
    ]


def test_trials_alternate_over_files_while_other_tests_keep_their_place(shop):
    one = "- {id: a, domain: ../shop, instruction: Hello.}"
    shop.tasks(one, "tasks/x.tau.yaml")
    shop.write("tasks/y_test.py", "def test_y(): pass")
    shop.tasks(one, "tasks/z.tau.yaml")
    result = shop.run("--collect-only", "-q", "--tau-trials=2")
    assert [line.partition("tasks/")[2] for line in collected(result)] == [
        "x.tau.yaml::a[trial-1]",
        "z.tau.yaml::a[trial-1]",
        "y_test.py::test_y",
        "x.tau.yaml::a[trial-2]",
        "z.tau.yaml::a[trial-2]",
    ]


@pytest.mark.parametrize("name", ["a.tau.yaml", "a.tau.yml", "a.tau.json", "a.tau.jsonl"])
def test_task_files_are_known_by_their_name(shop, name):
    task = '{"id": "t", "domain": "../shop", "instruction": "Hello."}'
    shop.tasks(task if name.endswith("jsonl") else f"[{task}]", f"tasks/{name}")
    shop.write("tasks/other.yaml", "- not: a task")
    assert collected(shop.run("--collect-only", "-q")) == [f"tasks/{name}::t[trial-1]"]


def test_a_node_id_selects_one_trial_whatever_the_number_of_trials(shop, plugin_args):
    shop.tasks()
    shop.run("--tau-agent=my_agent.py", f"{ORDERS}::cancel-a1[trial-3]", *plugin_args)
    assert shop.rewards() == {"cancel-a1[trial-3]": 1}


def test_a_node_id_without_trial_selects_all_trials_of_the_task(shop):
    shop.tasks()
    args = ("--tau-agent=my_agent.py", "--tau-trials=2")
    shop.run(f"{ORDERS}::cancel-a1", *args)
    assert shop.rewards() == {"cancel-a1[trial-1]": 1, "cancel-a1[trial-2]": 1}


def test_k_selects_by_id_and_by_trial(shop):
    shop.tasks()
    shop.run("--tau-agent=my_agent.py", "--tau-trials=2", "-k", "total and trial-2")
    assert list(shop.rewards()) == ["total-of-a2[trial-2]"]


@pytest.mark.parametrize(
    ("marker", "count"), [("tau", 2), ("shop", 2), ("slow", 1), ("not slow", 1)]
)
def test_m_selects_by_marks_of_the_file_the_domain_and_the_plugin(shop, marker, count):
    shop.tasks("""
domain: ../shop
tasks:
  - {id: a, instruction: Hello., marks: [slow]}
  - {id: b, instruction: Hello.}
""")
    result = shop.run("--collect-only", "-q", "-m", marker, "--strict-markers", "-W", "error")
    assert len(collected(result)) == count


@pytest.mark.parametrize(
    ("path", "name", "marker"),
    [
        ("shop/orders.tau.yaml", ".", "shop"),
        ("shop/tasks/orders.tau.yaml", "..", "shop"),
        ("tasks/orders.tau.yaml", "../_shop", "tau"),
    ],
)
def test_a_task_may_lie_in_its_domain_and_the_folder_have_any_name(shop, path, name, marker):
    (shop.path / "_shop").symlink_to("shop")
    shop.tasks(f"domain: {name}\ntasks:\n  - {{id: a, instruction: Hello.}}\n", path)
    result = shop.run(path, "--collect-only", "-q", "-m", marker, "--strict-markers")
    result.stdout.fnmatch_lines(["*::a*trial-1*"])


def test_skip_and_xfail_marks_of_a_task_mean_what_they_mean_for_tests(shop, plugin_args):
    shop.tasks("""
domain: ../shop
tasks:
  - {id: a, instruction: Hello., marks: [skip]}
  - {id: b, instruction: Hello., outputs: ["99"], marks: [xfail]}
""")
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    result.assert_outcomes(skipped=1, xfailed=1)
    assert shop.rewards() == {"b[trial-1]": 0}


def test_lf_runs_what_failed_and_nothing_else(shop):
    shop.tasks()
    args = ("--tau-agent=my_agent.py", "--tau-trials=2")
    shop.write("my_agent.py", "def agent(messages, tools): return 'The total is 7.'")
    shop.run(*args).assert_outcomes(passed=2, failed=2)
    shop.run("--lf", *args)
    assert shop.rewards() == {"cancel-a1[trial-1]": 0, "cancel-a1[trial-2]": 0}


def test_a_bad_file_is_one_error_without_a_traceback_and_the_others_run(shop, plugin_args):
    shop.tasks()
    shop.tasks("domain: ../shop\ntasks: [{id: a}]", "tasks/bad.tau.yaml")
    result = shop.run("--tau-agent=my_agent.py", *plugin_args)
    result.assert_outcomes(passed=2, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = result.stdout.str()
    assert text.count("ERROR collecting") == 1
    assert "bad.tau.yaml:2" in text
    assert "Traceback" not in text
    assert "pytest_taubench/" not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tasks: &t\n  - {id: a, instruction: x, actions: *t}\n", "bad.tau.yaml:1: this holds"),
        (
            "\n".join(
                f"l{i}: &l{i} [{', '.join([f'*l{i - 1}' if i else 'x'] * 10)}]" for i in range(9)
            ),
            "bad.tau.yaml:5: aliases stand for more than 100000 values",
        ),
        (
            "domain: ../exits\ntasks: [{id: a, instruction: x}]\n",
            "cannot be imported: SystemExit: 3",
        ),
    ],
    ids=["alias of itself", "billion laughs", "domain that exits"],
)
def test_a_file_that_would_hang_or_end_the_run_is_one_error(shop, text, shown):
    shop.tasks()
    shop.write("exits/policy.md", "Be kind.\n")
    shop.write("exits/tools.py", "import sys\nsys.exit(3)\n")
    shop.tasks(text, "tasks/bad.tau.yaml")
    result = shop.run_apart("--tau-agent=oracle")
    result.assert_outcomes(passed=2, errors=1)
    assert shown in result.stdout.str()
    assert "INTERNALERROR" not in result.stdout.str()


def test_a_broken_test_module_still_stops_the_run(shop):
    shop.tasks()
    shop.tasks("nonsense: [", "tasks/bad.tau.yaml")
    shop.write("test_broken.py", "import no_such_module_anywhere")
    result = shop.run("--tau-agent=my_agent.py")
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_files_outside_the_root_directory_keep_apart(shop, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    shop.tasks("- {id: a, domain: %s, instruction: Hi.}" % (shop.path / "shop"))
    text = (shop.path / ORDERS).read_text()
    for name in ("one", "two"):
        (other / f"{name}.tau.yaml").write_text(text)
    result = shop.run(
        "--collect-only", "-q", f"--rootdir={shop.path}", *map(str, sorted(other.iterdir()))
    )
    assert collected(result) == [
        f"{(other / 'one.tau.yaml').as_posix()}::a[trial-1]",
        f"{(other / 'two.tau.yaml').as_posix()}::a[trial-1]",
    ]


def a_bundled_suite() -> tuple[str, Path]:
    suites = (path for path in sorted(suites_root().iterdir()) if path.is_dir())
    for suite in suites:
        for file in sorted(suite.glob("*.tau.yaml")):
            return suite.name, file
    pytest.fail("no bundled suite holds a YAML task file")


def test_a_bundled_suite_runs_in_an_empty_folder_and_nothing_else_does(pytester):
    suite, _ = a_bundled_suite()
    pytester.makepyfile(test_not_wanted="def test_not_wanted(): assert False")
    result = pytester.runpytest(f"--tau-suite={suite}", "--collect-only", "-q")
    ids = collected(result)
    assert ids
    assert all(each.startswith((f"{suite}/", f"tasks/{suite}/")) for each in ids)


def test_one_task_of_a_bundled_suite_is_selected_by_the_id_that_was_shown(pytester):
    suite, _ = a_bundled_suite()
    shown = collected(pytester.runpytest(f"--tau-suite={suite}", "--collect-only", "-q"))
    again = pytester.runpytest(f"--tau-suite={suite}", "--collect-only", "-q", shown[-1])
    assert collected(again) == [shown[-1]]


def test_a_suite_that_does_not_exist_is_refused_with_the_nearest_name(pytester):
    suite, _ = a_bundled_suite()
    result = pytester.runpytest(f"--tau-suite={suite}x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--tau-suite: '{suite}x' is not valid*did you mean '{suite}'?"])


def test_a_node_id_that_names_no_task_is_refused_with_the_nearest(shop):
    file = shop.tasks().relative_to(shop.path)
    for name in ("cancel-a", "cancel-a[trial-1]"):
        result = shop.run("--tau-agent=my_agent.py", f"{file}::{name}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(
            [
                "ERROR: not found: *",
                f"ERROR: {file} has no task 'cancel-a'; did you mean 'cancel-a1'?",
            ]
        )
    none = shop.run("--tau-agent=my_agent.py", f"{file}::cancel-a1[trial-0]")
    assert "did you mean 'cancel-a1'? (trials are numbered from 1)" in none.stderr.str()
    far = shop.run("--tau-agent=my_agent.py", f"{file}::xyz")
    far.stderr.fnmatch_lines([f"ERROR: {file} has no task 'xyz'; it has cancel-a1, total-of-a2"])


def test_a_node_id_that_names_no_task_is_refused_before_workers_start(shop):
    file = shop.tasks().relative_to(shop.path)
    result = shop.run("--tau-agent=my_agent.py", "-n1", f"{file}::cancel-a")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = f"ERROR: {file} has no task 'cancel-a'; did you mean 'cancel-a1'?"
    result.stderr.fnmatch_lines([said])


def test_a_trial_asked_for_alone_is_one_trial(shop):
    file = shop.tasks().relative_to(shop.path)
    result = shop.run("--tau-agent=my_agent.py", f"{file}::cancel-a1[trial-9]")
    assert shop.rewards() == {"cancel-a1[trial-9]": 1}
    assert "not estimated" not in result.stdout.str()
