"""The time limit of a trial, which stands still while the harness itself waits.

A rate limit and the pauses between attempts at an endpoint are no time of the agent's: a trial
that ran out of time by them would count against it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar


class TrialClock:
    """Stops and starts the time limit of one trial, from its event loop or another thread.

    Args:
        limit: The running time limit.
    """

    def __init__(self, limit: asyncio.Timeout) -> None:
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._waits = 0
        self._left = 0.0
        self._over = False

    def stop(self) -> None:
        """Let the limit stand still, until as many starts as stops have come."""
        self._in_loop(+1)

    def start(self) -> None:
        """Let the limit go on."""
        self._in_loop(-1)

    def end(self) -> None:
        """Leave the limit alone from now on: the trial is over."""
        self._over = True

    def _in_loop(self, waits: int) -> None:
        try:
            here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            here = False
        if here:
            self._count(waits)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._count, waits)

    def _count(self, waits: int) -> None:
        before, self._waits = self._waits, self._waits + waits
        if self._over or self._limit.expired():
            return
        now, when = self._loop.time(), self._limit.when()
        if before == 0 and when is not None:
            self._left = when - now
            self._limit.reschedule(None)
        elif self._waits == 0:
            self._limit.reschedule(now + self._left)


_CLOCK: ContextVar[TrialClock | None] = ContextVar("trial clock", default=None)


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[None]:
    """Raise TimeoutError where the block takes longer, but for what it waits on our account."""
    if seconds is None:
        yield
        return
    async with asyncio.timeout(seconds) as limit:
        clock = TrialClock(limit)
        token = _CLOCK.set(clock)
        try:
            yield
        finally:
            clock.end()
            _CLOCK.reset(token)


@contextmanager
def not_counted() -> Iterator[None]:
    """Let the time limit of the trial that runs here stand still over the block."""
    clock = _CLOCK.get()
    if clock is None:
        yield
        return
    clock.stop()
    try:
        yield
    finally:
        clock.start()
