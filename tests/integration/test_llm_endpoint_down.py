"""A model's endpoint at which nobody listens: how long a run takes to see it, and what it says.

The runs are apart, since the library of connections, imported anew by each run inside this
process, would not know its own errors again.
"""

from __future__ import annotations

import socket
import time

import pytest


@pytest.fixture
def nobody() -> str:
    """An address on loopback that refuses connections."""
    with socket.socket() as once:
        once.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{once.getsockname()[1]}/v1"


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["plain", "n1"])
def test_a_run_ends_after_three_trials_that_reached_no_model(shop, nobody, workers):
    shop.many_tasks(20)
    began = time.monotonic()
    result = shop.run_apart(
        "--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={nobody}", *workers
    )
    assert time.monotonic() - began < 30  # waiting takes 12 s at most, however slow the machine
    assert result.ret != pytest.ExitCode.OK
    says = "no trial can succeed: 3 in a row could not reach their model: the agent's model m at http://127.0.0.1:*"
    result.stdout.fnmatch_lines([f"*{says}*connection failed: ConnectError*"])
    records = shop.records()
    assert [(str(r.ending), r.outcome) for r in records] == [("model_error", "unscored")] * 3


def test_the_users_model_counts_too(shop, nobody):
    shop.many_tasks(20)
    result = shop.run_apart(
        "--tau-agent=my_agent.py",
        "--tau-user=llm",
        "--tau-user-model=u",
        f"--tau-user-base-url={nobody}",
    )
    result.stdout.fnmatch_lines(
        ["*no trial can succeed: 3 in a row could not reach their model: the user's model u at *"]
    )
    assert len(shop.records()) == 3
