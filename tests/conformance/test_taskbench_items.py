"""TaskBench at its own scale and on its own data, through pytest."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.runs.store import read_run

# What one process used in all, told by the process itself when it ends.
METER = """
import os, resource, sys, time
from pathlib import Path
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    started = time.process_time()
    result = yield
    if session.items:
        print(f"METER collected {time.process_time() - started}", file=sys.__stderr__)
    return result

def peak_kilobytes():
    # ru_maxrss begins with that of the process that forked this one; VmHWM is its own.
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def pytest_unconfigure():
    peak = peak_kilobytes()
    print(f"METER peak {peak / 1024}", file=sys.__stderr__)
"""
PAPER_SCALE = 17_000


def run_pytest(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\n")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )


def metered(run: subprocess.CompletedProcess[str], what: str) -> list[float]:
    return [float(value) for value in re.findall(rf"METER {what} ([\d.]+)", run.stderr)]


def test_the_oracle_passes_all_bundled_samples_and_the_silent_planner_none(tmp_path: Path) -> None:
    for agent, passed, failed in (("oracle", 150, 0), ("silent", 0, 150)):
        run = run_pytest(tmp_path, "--tau-suite=taskbench", f"--tau-agent={agent}", "-n2")
        counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed) ?", run.stdout)}
        assert (counts.get("passed", 0), counts.get("failed", 0)) == (passed, failed), run.stdout


@pytest.mark.parametrize(
    ("case", "graph", "samples"),
    [
        ("hf_gold10", "huggingface", 10),
        ("mm_gold21", "multimedia", 21),
        ("dl_gold13", "dailylife", 13),
        ("mm_pseudo", "multimedia", 465),
    ],
)
def test_published_samples_are_items_that_the_oracle_passes(
    tmp_path: Path, upstream: Path, case: str, graph: str, samples: int
) -> None:
    folder = upstream / "taskbench" / "cases" / case
    run = run_pytest(tmp_path, f"--tau-data={folder}", "--tau-agent=oracle")
    assert f"{samples} passed" in run.stdout
    assert f"TaskEval of {graph}, strict mode" in run.stdout


def test_published_predictions_get_the_same_strict_figures_as_items(
    tmp_path: Path, upstream: Path
) -> None:
    """An agent that gives a published model's predictions scores as the files do."""
    from pytest_taubench.taskbench.graph_file import load_tool_graph
    from pytest_taubench.taskbench.records import overall_of_records
    from pytest_taubench.taskbench.taskeval import evaluate_files

    folder = upstream / "taskbench" / "cases" / "mm_gold21"
    gold, predictions = folder / "gold.jsonl", folder / "llama33_70b.predictions.jsonl"
    (tmp_path / "replayed.py").write_text(
        "import json, pathlib\n"
        "def rows(path):\n"
        "    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]\n"
        f"ANSWERS = {{row['id']: row['result'] for row in rows({str(predictions)!r})}}\n"
        "def request(row):\n"
        "    return row.get('user_request') or row['instruction']\n"
        f"IDS = {{request(row): row['id'] for row in rows({str(gold)!r})}}\n"
        "def plan(request, tools):\n"
        "    return ANSWERS.get(IDS[request])\n"
    )
    run_pytest(tmp_path, f"--tau-data={folder}", "--tau-agent=replayed.py:plan", "-n2")
    (stored,) = (tmp_path / ".tau-runs").glob("[!.]*")
    _, records, _ = read_run(stored)
    figures = overall_of_records(records)
    wanted = evaluate_files(gold, predictions, load_tool_graph("multimedia"), "strict")
    for name, value in figures.items():
        assert value == pytest.approx(getattr(wanted.groups["overall"], name), abs=1e-9), name
    assert 0 < figures["node_f1"] < 1


@pytest.fixture(scope="module")
def paper_scale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task file with as many samples as the paper's data have."""
    folder = tmp_path_factory.mktemp("paper")
    entries = [
        json.loads(line)
        for file in sorted((suites_root() / "taskbench").glob("*.tau.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    with (folder / "paper.tau.jsonl").open("w", encoding="utf-8") as out:
        for number in range(PAPER_SCALE):
            entry = entries[number % len(entries)]
            graph = {**entry["graph"], "id": f"sample-{number}"}
            out.write(json.dumps({**entry, "graph": graph}) + "\n")
    (folder / "meter.py").write_text(METER)
    return folder


def test_a_file_of_the_papers_scale_is_collected_in_five_seconds(paper_scale: Path) -> None:
    # Processor time, as the machine may have other things to do.
    run = run_pytest(paper_scale, "-p", "meter", "--collect-only", "-q")
    assert f"{PAPER_SCALE}" in run.stdout
    (seconds,) = metered(run, "collected")
    assert seconds < 5


def test_a_run_keeps_little_of_each_plan_in_memory_and_on_disk(paper_scale: Path) -> None:
    # A tenth of the file; benchmarks/paper_scale.py runs all of it.
    file = paper_scale / "paper.tau.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:1700]))
    run = run_pytest(paper_scale, "-p", "meter", "--tau-agent=oracle", "-n2")
    assert "1700 passed" in run.stdout
    assert max(metered(run, "peak")) < 250  # MB, of the largest of the three processes
    (stored,) = (paper_scale / ".tau-runs").glob("[!.]*")
    assert (stored / "trials.jsonl").stat().st_size / 1700 < 6_000  # bytes a record
