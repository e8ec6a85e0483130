"""Records that cannot be written: the run goes on, says which, and is no success."""

import subprocess
import sys

import pytest

from pytest_taubench.runs.store import read_run

TALKER = """
def agent(messages, tools):
    return "x" * 20_000 if "long" in messages[-1]["content"] else "Done."
"""

TASKS = "domain: ../shop\ntasks:\n" + "".join(
    f"  - {{id: {name}, instruction: {name}, actions: []}}\n"
    for name in ("long-1", "long-2", "long-3", "short")
)

FULL_DISK = """
import resource

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (45_000, resource.RLIM_INFINITY))
"""

REMOVER = """
import shutil

def pytest_taubench_trial_finished(config, record):
    shutil.rmtree(config.rootpath / ".tau-runs", ignore_errors=True)
"""


@pytest.fixture
def talkative(shop):
    shop.tasks(TASKS)
    shop.write("talker.py", TALKER)
    return shop


def run_of(shop):
    (file,) = (shop.path / ".tau-runs").glob("*/run.json")
    return read_run(file.parent)


def test_a_full_disk_is_said_with_the_trials_that_are_lost_and_the_others_are_kept(
    talkative, plugin_args
):
    pytest.importorskip("resource", reason="limits of a file's size are of POSIX")
    talkative.write("conftest.py", FULL_DISK)
    result = talkative.run_apart("--tau-agent=talker.py", "-q", *plugin_args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    said = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in said
    assert "Traceback" not in said
    assert "pass^1" in said
    _, records, warnings = run_of(talkative)
    assert warnings == []
    kept = {record.task_id for record in records}
    assert "short" in kept
    (lost,) = {"long-1", "long-2", "long-3", "short"} - kept
    (line,) = [line for line in result.outlines if "not stored" in line]
    assert line.startswith("problem: 1 trial is not stored: ")
    assert "File too large" in line
    assert line.endswith(f": tasks/orders.tau.yaml::{lost}[trial-1]")


def test_a_disk_that_is_full_from_the_start_stores_nothing_and_says_so(talkative):
    pytest.importorskip("resource", reason="limits of a file's size are of POSIX")
    talkative.write("conftest.py", FULL_DISK.replace("45_000", "10"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tau-agent=talker.py"],
        cwd=talkative.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "INTERNALERROR" not in done.stdout
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "4 trials are not stored: " in done.stdout


def test_a_run_folder_that_is_removed_meanwhile_is_said(talkative, plugin_args):
    talkative.write("conftest.py", REMOVER)
    result = talkative.run_apart(
        "--tau-agent=talker.py", "-q", "--tau-report=run.html", *plugin_args
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    said = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in said
    assert "Traceback" not in said
    assert "the run was removed while it went on" in said
    assert "problem: 3 trials are not stored: " in said
    assert "pass^1" in said
    page = (talkative.path / "run.html").read_text()
    assert all(name in page for name in ("long-1", "long-2", "long-3", "short"))


def test_gates_that_hold_do_not_hide_that_records_are_lost(talkative):
    talkative.write("conftest.py", REMOVER)
    result = talkative.run_apart("--tau-agent=talker.py", "-q", "--tau-gate=trials >= 1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_run_that_cannot_be_written_is_not_resumed(talkative):
    pytest.importorskip("resource", reason="limits of a file's size are of POSIX")
    assert talkative.run_apart("--tau-agent=talker.py", "-q", "-k", "short").ret == 0
    talkative.write("conftest.py", FULL_DISK.replace("45_000", "100"))
    result = talkative.run_apart("--tau-agent=talker.py", "--tau-resume", "-q")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--tau-resume: [Errno 27] File too large" in result.stderr.str()
    _, records, warnings = run_of(talkative)
    assert ([each.task_id for each in records], warnings) == (["short"], [])
