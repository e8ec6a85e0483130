"""A person at the terminal who plays the user."""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
from collections.abc import Mapping
from typing import TextIO

from pytest_taubench.errors import FatalError, InfrastructureError
from pytest_taubench.schema import Usage
from pytest_taubench.users.protocol import STOP_TOKEN, User, UserContext, UserTurn, split_stop

_SECONDS_DEAF = 0.1
"""How long a wait for the terminal goes on after nobody wants the line any more."""


class HumanUser:
    """Shows the instruction and the agent's texts, and reads the answers.

    Attributes:
        requires_terminal: True: the plugin refuses this user under xdist and without ``-s``.
    """

    requires_terminal = True

    def __init__(self, context: UserContext, source: TextIO, screen: TextIO) -> None:
        self._instruction = context.instruction
        self._source = source
        self._screen = screen

    async def respond(self, text: str | None) -> UserTurn:
        """Show the agent's text and return what is typed; empty lines are asked for again."""
        if text is None:
            self._show(f"\nYou are the user:\n{self._instruction}\n(end with {STOP_TOKEN})\n")
        else:
            self._show(f"\nAgent: {text}\n")
        while True:
            self._show("You: ")
            turn = split_stop(await self._line())
            if turn.text or turn.stop:
                return turn

    def usage(self) -> Usage | None:
        """Return None: a person uses no model."""
        return None

    def notes(self) -> list[str]:
        """Return what the record must say."""
        return ["the user was a person at the terminal"]

    async def close(self) -> None:
        """Leave the terminal open."""

    def _show(self, text: str) -> None:
        self._screen.write(text)
        self._screen.flush()

    async def _line(self) -> str:
        unwanted = threading.Event()
        try:
            line = await asyncio.to_thread(_read_line, self._source, unwanted)
        finally:
            # Ctrl-C, or the end of the trial's time: neither waits for Enter, and what is typed
            # next is meant for whoever asks next.
            unwanted.set()
        if not line:
            raise InfrastructureError("the terminal was closed in the user's turn", source="user")
        return line


def _read_line(source: TextIO, unwanted: threading.Event) -> str:
    """Return the next line; empty at the end of all, or once nobody wants it any more."""
    try:
        number = source.fileno()
    except OSError:
        return source.readline()
    if sys.platform == "win32":  # no select of a console there; its reads end by Ctrl-C
        return source.readline()
    line = b""
    # Read byte by byte: of what a buffer held in advance, select would know nothing.
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([number], [], [], _SECONDS_DEAF)
        if unwanted.is_set():
            return ""
        if ready:
            more = os.read(number, 1)
            if not more:
                break
            line += more
    return line.decode(source.encoding or "utf-8", errors="replace")


def make_human_user(context: UserContext) -> User:
    """Return the user of one trial, at this process's terminal.

    Raises:
        FatalError: There is no terminal to play at: an xdist worker, or captured input.
    """
    check_terminal(os.environ, sys.stdin)
    return HumanUser(context, sys.stdin, sys.stdout)


def check_terminal(environ: Mapping[str, str], source: TextIO | None) -> None:
    """Raise FatalError where nobody can type.

    Raises:
        FatalError: With the option to give or to leave out.
    """
    if "PYTEST_XDIST_WORKER" in environ:
        raise FatalError(
            "--tau-user=human needs the terminal, which xdist workers have not: leave out -n"
        )
    try:
        source is not None and source.fileno()
    except (OSError, ValueError):
        source = None
    if source is None:
        raise FatalError("--tau-user=human needs the terminal, which pytest captures: add -s")
