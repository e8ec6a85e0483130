"""A run whose controller is killed at any moment is completed by ``--tau-resume``.

``TAUBENCH_KILLS=20`` kills twenty runs instead of three.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from pytest_taubench.metrics import summarize
from pytest_taubench.runs.store import encode_record, read_run

KILLS = int(os.environ.get("TAUBENCH_KILLS", "3"))
TASKS, TRIALS = 8, 4
COMMAND = [
    *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
    *("--tau-agent=coin.py:Agent", f"--tau-trials={TRIALS}", "--tau-seed=7"),
]

COIN = """
import random
import time

class Agent:
    # It passes by chance, the same for the same trial.
    def __init__(self, context):
        self.random = random.Random(context.seed)

    def step(self, messages):
        time.sleep(0.02)
        return {"role": "assistant", "content": "Yes." if self.random.random() < 0.5 else "No."}
"""


def kept(record):
    """All of a record that does not depend on when and where it was made."""
    return encode_record(
        record.model_copy(update={"started": 0.0, "duration": 0.0, "worker": None})
    )


@pytest.fixture
def project(shop):
    shop.write("coin.py", COIN)
    shop.tasks(
        "domain: ../shop\ntasks:\n"
        + "".join(
            f"  - {{id: t{n}, instruction: '{n}', actions: [], outputs: ['Yes']}}\n"
            for n in range(TASKS)
        )
    )
    return shop


def start(shop, *args):
    return subprocess.Popen(
        [*COMMAND, *args],
        cwd=shop.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def lines_in(folder):
    paths = list(folder.glob("*/trials.jsonl"))
    return paths[0].read_bytes().count(b"\n") if paths else 0


@pytest.mark.parametrize(
    ("workers", "kills"), [((), KILLS), (("-n2",), max(1, KILLS // 3))], ids=["plain", "n2"]
)
def test_a_killed_run_is_completed_with_every_trial_once(project, workers, kills):
    undisturbed = start(project, "--tau-run-dir=undisturbed", *workers)
    undisturbed.communicate()
    _, expected, _ = read_run(next((project.path / "undisturbed").iterdir()))
    assert len(expected) == TASKS * TRIALS
    assert {record.reward for record in expected} == {0.0, 1.0}
    rng = random.Random(0)
    cut = 0
    for number in range(kills):
        folder = project.path / f"killed-{number}"
        args = (f"--tau-run-dir={folder.name}", "--tau-resume", *workers)
        moment = rng.randrange(TASKS * TRIALS)
        run = start(project, *args)
        while lines_in(folder) < moment and run.poll() is None:
            time.sleep(0.002)
        time.sleep(rng.random() * 0.02)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        cut += lines_in(folder) < TASKS * TRIALS
        text, _ = start(project, *args).communicate()
        _, records, warnings = read_run(next(folder.iterdir()))
        assert warnings == [], text
        assert sorted(map(kept, records)) == sorted(map(kept, expected)), text
        assert summarize(sorted(records, key=kept)) == summarize(sorted(expected, key=kept))
    assert cut >= kills * 2 // 3  # most kills came before the end
