"""The human user at a real terminal: what is typed, and Ctrl-C while a line is waited for."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pty = pytest.importorskip("pty", reason="terminals of POSIX")

if TYPE_CHECKING:
    from conftest import Shop

_SECONDS = 60.0
"""What a busy machine may take to start pytest; what is claimed of time is asserted apart."""

PYTEST = """
import fcntl, runpy, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # the terminal is the one that Ctrl-C comes from
runpy.run_module("pytest", run_name="__main__")
"""


def own_environment() -> dict[str, str]:
    """The environment without what says that these tests themselves run in a worker."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


class Terminal:
    """Pytest at a terminal of its own."""

    def __init__(self, folder: Path, *args: str) -> None:
        self.said = ""
        ours, theirs = pty.openpty()
        self._screen = ours
        self.process = subprocess.Popen(
            [sys.executable, "-c", PYTEST, "-s", "-p", "no:cacheprovider", *args],
            cwd=folder,
            env=own_environment(),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def wait_for(self, text: str) -> None:
        """Read until a text is on the screen."""
        until = time.monotonic() + _SECONDS
        while text not in self.said:
            assert time.monotonic() < until, f"{text!r} is not in {self.said}"
            assert self._read(), f"{text!r} is not in {self.said}"
        self.said = self.said.partition(text)[2]

    def end(self) -> str:
        """Return all that was said up to the end of the process, which must come by itself."""
        until = time.monotonic() + _SECONDS
        while self._read():
            assert time.monotonic() < until, f"pytest goes on: {self.said}"
        self.process.wait(_SECONDS)
        return self.said

    def _read(self) -> bool:
        """Read what is there; False once the terminal has no user left."""
        if not select.select([self._screen], [], [], 0.1)[0]:
            return True
        try:
            more = os.read(self._screen, 65536)
        except OSError:  # what Linux says when the other side has closed it
            return False
        self.said += more.decode(errors="replace")
        return bool(more)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._screen)


@pytest.fixture
def terminal(shop: Shop) -> Iterator[Terminal]:
    shop.tasks()
    args = ("--tau-user=human", "--tau-agent=my_agent.py", "-p", "no:xdist")
    made = Terminal(shop.path, *args)
    yield made
    made.close()


def test_a_person_plays_the_user(shop: Shop, terminal: Terminal) -> None:
    for line in ("Cancel A1.", "The total of A2?"):
        terminal.wait_for("You: ")
        terminal.type(f"{line}\n")
        terminal.wait_for("Agent: ")
        terminal.wait_for("You: ")
        terminal.type("###STOP###\n")
    said = terminal.end()
    assert terminal.process.returncode == pytest.ExitCode.OK, said
    assert [record.reward for record in shop.records()] == [1, 1]


def test_lines_that_come_at_once_are_taken_one_by_one(shop: Shop) -> None:
    shop.tasks()
    lines = "Cancel A1.\n###STOP###\nThe total of A2, für mich?\nJa. ###STOP###\n"
    args = ("-s", "-p", "no:cacheprovider", "--tau-user=human", "--tau-agent=my_agent.py")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "pytest", *args],
        cwd=shop.path,
        env=own_environment(),
        input=lines,
        encoding="utf-8",
        timeout=_SECONDS,
        capture_output=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    said = [m.content for r in shop.records() for m in r.trajectory if m.role == "user"]
    assert said == ["Cancel A1.", "The total of A2, für mich?", "Ja."]


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("how", ["key", "signal"])
def test_ctrl_c_ends_the_run_without_another_line_and_keeps_what_is_done(
    shop: Shop, terminal: Terminal, how: str
) -> None:
    terminal.wait_for("You: ")
    terminal.type("Cancel A1.\n")
    terminal.wait_for("Agent: ")
    terminal.wait_for("You: ")
    terminal.type("###STOP###\n")
    terminal.wait_for("You: ")
    time.sleep(0.5)  # in the middle of the wait for a line
    if how == "key":
        terminal.type("\x03")
    else:
        os.kill(terminal.process.pid, signal.SIGINT)
    said = terminal.end()
    assert terminal.process.returncode == pytest.ExitCode.INTERRUPTED, said
    assert "KeyboardInterrupt" in said
    assert "Traceback" not in said
    assert [(record.task_id, record.reward) for record in shop.records()] == [("cancel-a1", 1)]
