"""A request rate and a spending limit that hold over all worker processes together.

The workers meet in one SQLite file: its transactions are the lock, on every platform, and the
operating system frees it when a worker dies in the middle.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
)
from dataclasses import dataclass
from pathlib import Path

from pytest_taubench.errors import FatalError
from pytest_taubench.trial_clock import not_counted

_WINDOW = 60.0
_ABANDONED = 3600.0
_POLL = 0.25

Sleep = Callable[[float], Awaitable[object]]


class CostLimitError(FatalError):
    """The run has spent what ``--tau-max-cost`` allows."""


@contextmanager
def _transaction(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    try:
        with _connected(path, schema) as connection:
            yield connection
    except sqlite3.Error as error:
        # A full disk, say. It must not be taken for a fault of the agent that wanted to ask.
        raise FatalError(f"--tau-rpm and --tau-max-cost cannot hold: {error} ({path})") from error


@contextmanager
def _connected(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    # A connection for each transaction: none is carried across threads or forks.
    with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(schema)
            yield connection
        except BaseException:
            if connection.in_transaction:  # a full disk has ended it
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


@dataclass(frozen=True)
class SharedRate:
    """Requests begin evenly, at most so many in any 60 seconds, whichever process makes them.

    Servers count by the second too, and would refuse a minute's requests that came at once. Each
    request books the earliest time that keeps the distance to the one before and waits for it, so
    waiting requests are served in order and none polls.

    Attributes:
        folder: A folder all workers share.
        per_minute: The limit.
        now: Seconds of a clock that all processes share and nobody sets back.
        sleep: Waits.
    """

    folder: Path
    per_minute: int
    now: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep

    async def wait(self) -> None:
        """Return when a request may begin."""
        with not_counted():
            at = await asyncio.to_thread(self.book)
            while (early := at - self.now()) > 0:
                await self.sleep(early)

    def book(self) -> float:
        """Book the earliest permitted time of one request, and return it."""
        schema = "CREATE TABLE IF NOT EXISTS booked (one INTEGER PRIMARY KEY, at REAL NOT NULL)"
        with _transaction(self.folder / "rate.sqlite", schema) as connection:
            now = self.now()
            row = connection.execute("SELECT at FROM booked").fetchone()
            at = now if row is None else max(now, row[0] + _WINDOW / self.per_minute)
            connection.execute("REPLACE INTO booked VALUES (1, ?)", (at,))
            return float(at)


@dataclass
class CallBill:
    """The cost of one request; None until it is known, or where it cannot be, with why."""

    cost: float | None = None
    why_unknown: str = "the price of a call is not known"


@dataclass(frozen=True)
class SharedBudget:
    """All workers together spend no more than a limit.

    A call's cost is known only when it is over, so each running call is counted as the
    dearest call so far: what is spent can pass the limit only by calls dearer than any before.

    Attributes:
        folder: A folder all workers share.
        limit: US dollars.
        now: As of the rate.
        sleep: Waits.
    """

    folder: Path
    limit: float
    now: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep

    @asynccontextmanager
    async def call(self) -> AsyncIterator[CallBill]:
        """Admit one call, and put down the cost that its bill names in the end.

        Raises:
            CostLimitError: The limit is reached, or the call had no known price.
        """
        ticket = uuid.uuid4().hex
        with not_counted():
            while not await asyncio.to_thread(self.reserve, ticket):
                await self.sleep(_POLL)
        bill = CallBill()
        answered = False
        try:
            yield bill
            answered = True
        finally:
            # Not in a thread: a cancelled call must be settled too.
            self.settle(ticket, bill.cost)
        if answered and bill.cost is None:
            raise CostLimitError(f"--tau-max-cost cannot hold: {bill.why_unknown}")

    def reserve(self, ticket: str) -> bool:
        """Book one call; False while others that still run might use up the rest.

        Raises:
            CostLimitError: What is spent leaves no room for another call.
        """
        with self._ledger() as ledger:
            oldest = self.now() - _ABANDONED
            spent, dearest = ledger.execute(
                "SELECT COALESCE(SUM(cost), 0), COALESCE(MAX(cost), 0) FROM calls"
            ).fetchone()
            (running,) = ledger.execute(
                "SELECT COUNT(*) FROM calls WHERE cost IS NULL AND began > ?", (oldest,)
            ).fetchone()
            if spent >= self.limit or spent + dearest > self.limit:
                raise CostLimitError(
                    f"--tau-max-cost: ${spent:.4f} of ${self.limit:g} are spent, and the next call may "
                    f"cost ${dearest:.4f}"
                )
            if spent + dearest * (running + 1) > self.limit:
                return False
            ledger.execute("INSERT INTO calls VALUES (?, ?, NULL)", (ticket, self.now()))
            return True

    def settle(self, ticket: str, cost: float | None) -> None:
        """Put down what a booked call cost; a failed call has cost nothing."""
        with self._ledger() as ledger:
            ledger.execute("UPDATE calls SET cost = ? WHERE ticket = ?", (cost or 0.0, ticket))

    def spent(self) -> float:
        """Return the US dollars spent so far by all workers."""
        with self._ledger() as ledger:
            return float(ledger.execute("SELECT COALESCE(SUM(cost), 0) FROM calls").fetchone()[0])

    def _ledger(self) -> AbstractContextManager[sqlite3.Connection]:
        schema = "CREATE TABLE IF NOT EXISTS calls (ticket TEXT PRIMARY KEY, began REAL, cost REAL)"
        return _transaction(self.folder / "cost.sqlite", schema)


@dataclass(frozen=True)
class SharedLimits:
    """What each request passes: the rate, then the budget; either may be absent."""

    rate: SharedRate | None = None
    budget: SharedBudget | None = None

    @asynccontextmanager
    async def admit(self) -> AsyncIterator[CallBill]:
        """Let one request through when both allow it."""
        async with AsyncExitStack() as stack:
            bill = CallBill()
            if self.budget is not None:
                bill = await stack.enter_async_context(self.budget.call())
            if self.rate is not None:
                await self.rate.wait()
            yield bill
