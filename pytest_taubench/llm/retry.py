"""Trying again, and when to stop."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pytest_taubench.trial_clock import not_counted

T = TypeVar("T")


class TransientError(Exception):
    """A fault that may be gone at the next attempt.

    Attributes:
        wait: The seconds the other side asks to wait, or None.
        unreachable: True where no connection came about.
        hung: True where the attempt took all the time that a request has.
    """

    def __init__(
        self,
        message: str,
        *,
        wait: float | None = None,
        unreachable: bool = False,
        hung: bool = False,
    ) -> None:
        super().__init__(message)
        self.wait = wait
        self.unreachable = unreachable
        self.hung = hung


class GaveUpError(Exception):
    """Every attempt failed; the message says how often and how the last one did.

    Attributes:
        unreachable: True where the last one did not come to a connection.
    """

    def __init__(self, message: str, *, unreachable: bool = False) -> None:
        super().__init__(message)
        self.unreachable = unreachable


@dataclass(frozen=True)
class Backoff:
    """Exponential back-off with jitter.

    Attributes:
        attempts: Calls at most, the first one included.
        base: Seconds before the second attempt, doubled before each further one.
        longest: The longest wait, also where the endpoint asks for a longer one.
        patience: No new attempt starts later than this many seconds after the first.
        briefly: The same where no connection comes about: a busy endpoint recovers, but where
            nothing listens, there is most likely no server.
        hangs: Attempts at most that take all the time a request has: what hangs goes on hanging,
            and each such attempt costs minutes.
        random: Source of the jitter, which keeps workers that failed together apart.
        sleep: Waits; tests pass their own.
        clock: Seconds that only grow; tests pass their own.
    """

    attempts: int = 8
    base: float = 1.0
    longest: float = 60.0
    patience: float = 900.0
    briefly: float = 4.0
    hangs: int = 2
    random: random.Random = field(default_factory=random.Random)
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what the call returns at the first attempt that raises no TransientError.

        Raises:
            GaveUpError: Attempts or patience ran out.
        """
        started = down_since = self.clock()
        attempt, down, hung = 1, 0, 0
        while True:
            begun = self.clock()
            try:
                return await call()
            except TransientError as error:
                down = down + 1 if error.unreachable else 0
                down_since = begun if down == 1 else down_since
                hung += error.hung
                wait = self.wait(down or attempt, error.wait)
                then = self.clock() + wait
                over = attempt >= self.attempts or hung >= self.hangs
                over = over or then - started > self.patience
                if over or (down > 0 and then - down_since > self.briefly):
                    times = "once" if attempt == 1 else f"{attempt} times"
                    text = f"tried {times}, at last: {error}"
                    raise GaveUpError(text, unreachable=error.unreachable) from error
            with not_counted():
                await self.sleep(wait)
            attempt += 1

    def wait(self, attempt: int, asked: float | None) -> float:
        """Return the seconds to wait after that attempt.

        Where the endpoint asks for a time, the jitter comes on top: an earlier request would be
        refused. From the third refusal on that time is the least: some ask for a second each time.
        """
        full = min(self.base * 2.0 ** (attempt - 1), self.longest)
        backoff = self.random.uniform(full / 2, full)
        if asked is None:
            return backoff
        asked = min(asked + self.random.uniform(0, self.base), self.longest)
        return asked if attempt < 3 else max(asked, backoff)
