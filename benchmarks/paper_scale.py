"""Collect and run a task file of the paper's scale, and say what it takes.

The bundled samples, repeated under new ids, make a file of 17,000; the oracle answers them on two
workers. Each process tells its processor time and peak memory when it ends. Run:
``python benchmarks/paper_scale.py [COUNT] [WORKERS]``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_taubench.bundled import suites_root

# A worker's output is captured; what its processes tell goes to a file instead.
METER = """
import os, resource, time
from pathlib import Path
import pytest

NAME = os.environ.get("PYTEST_XDIST_WORKER", "main process")

def tell(text):
    with open(os.environ["METER_FILE"], "a", encoding="utf-8") as out:
        out.write(f"  {NAME}: {text}\\n")

@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    wall, cpu = time.perf_counter(), time.process_time()
    result = yield
    if session.items:
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        tell(f"collected in {wall:.1f} s, {cpu:.1f} s of processor time")
    return result

def peak_kilobytes():
    # ru_maxrss begins with that of the process that forked this one; VmHWM is its own.
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def pytest_unconfigure():
    peak = peak_kilobytes() / 1024
    cpu = time.process_time()
    tell(f"{cpu:.1f} s of processor time, peak {peak:.0f} MB")
"""


def write_file(folder: Path, count: int) -> None:
    """Write a task file of so many samples."""
    entries = [
        json.loads(line)
        for file in sorted(suites_root().glob("*/*.tau.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    with (folder / "paper.tau.jsonl").open("w", encoding="utf-8") as out:
        for number in range(count):
            entry = entries[number % len(entries)]
            graph = {**entry["graph"], "id": f"sample-{number}"}
            out.write(json.dumps({**entry, "graph": graph}) + "\n")


def run_pytest(folder: Path, *args: str) -> None:
    """Run pytest in the folder and print what its processes tell."""
    told = folder / "meter.txt"
    told.write_text("")
    environment = {**os.environ, "PYTHONPATH": str(folder), "METER_FILE": str(told)}
    command = [sys.executable, "-m", "pytest", "-qq", "-p", "meter", "-p", "no:cacheprovider"]
    started = time.perf_counter()
    done = subprocess.run(
        [*command, *args], cwd=folder, env=environment, capture_output=True, text=True
    )
    print(f"pytest {' '.join(args)}: {time.perf_counter() - started:.1f} s, exit {done.returncode}")
    print("".join(sorted(told.open(encoding="utf-8"))).rstrip())
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:])


def main(count: int = 17_000, workers: int = 2) -> None:
    """Measure, and print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_file(folder, count)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "meter.py").write_text(METER)
        run_pytest(folder, "--collect-only")
        run_pytest(folder, "--tau-agent=oracle", f"-n{workers}")
        (trials,) = folder.glob(".tau-runs/*/trials.jsonl")
        print(f"{trials.stat().st_size / count:.0f} bytes a record")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
