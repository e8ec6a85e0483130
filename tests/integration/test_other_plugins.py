"""A trial is one attempt, whatever other plugins make of failed tests; and they can read its report."""

import json

import pytest

pytest.importorskip("pytest_rerunfailures", reason="comes with the extra 'dev'")

# Fails its first attempt in each process, and would pass the second.
FLAKY_AGENT = """
tries = []

def agent(messages, tools):
    tries.append(1)
    return "No." if len(tries) == 1 else "The total is 7."
"""

REPEATERS = {
    "rerunfailures": ("-p", "pytest_rerunfailures", "--reruns=2"),
    "retry": ("-p", "pytest_retry.retry_plugin", "--retries=2"),
    "flaky": ("-p", "flaky.flaky_pytest_plugin", "--force-flaky", "--max-runs=3"),
}


@pytest.fixture(params=REPEATERS)
def repeater(request):
    return REPEATERS[request.param]


@pytest.fixture(autouse=True)
def tasks(shop):
    shop.tasks()
    shop.write("my_agent.py", FLAKY_AGENT)


@pytest.mark.parametrize("distribution", [(), ("-n2",)], ids=["plain", "n2"])
def test_a_trial_that_failed_is_not_run_again(shop, repeater, distribution):
    result = shop.run("--tau-agent=my_agent.py", "-k", "total-of-a2", *repeater, *distribution)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [record.reward for record in shop.records()] == [0]
    result.stdout.fnmatch_lines(["*1 trial asked for again by another plugin*first one stands*"])
    result.stdout.no_fnmatch_line("*problem:*")


def test_a_test_that_is_run_again_sees_the_trial_it_has_seen(shop):
    shop.write(
        "test_total.py",
        "def test_total(tau_run):\n"
        "    assert tau_run('tasks/orders.tau.yaml::total-of-a2').reward == 1\n",
    )
    result = shop.run(
        "test_total.py",
        "--tau-agent=my_agent.py",
        *REPEATERS["rerunfailures"],
    )

    assert [record.reward for record in shop.records()] == [0]
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_report_as_json_of_another_plugin_names_the_task_file(shop):
    pytest.importorskip("pytest_jsonreport", reason="comes with the extra 'dev'")
    result = shop.run(
        "--tau-agent=my_agent.py", "-p", "pytest_jsonreport.plugin", "--json-report", "-k", "a2"
    )

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = json.loads((shop.path / ".report.json").read_text())
    [test] = report["tests"]
    assert test["call"]["crash"]["path"].endswith(".tau.yaml")
    assert test["call"]["crash"]["message"] == "reward 0: not told: 7"
