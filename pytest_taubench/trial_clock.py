"""The time limit of a trial, which stands still while the harness itself waits.

A rate limit and the pauses between attempts at an endpoint are no time of the agent's: a trial
that ran out of time by them would count against it. Nor is a model's endpoint that does not
answer: a limit that strikes over one long call to it is laid to the endpoint.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from pytest_taubench.errors import EndpointFailedError


@dataclass(frozen=True)
class CutOff:
    """A time limit that struck while the agent waited for a model.

    Attributes:
        limit: The limit in seconds.
        unanswered: The model whose endpoint it is laid to, since one call alone had been out for
            at least half of the limit; None where it is the agent's.
    """

    limit: float
    unanswered: str | None = None


class TrialClock:
    """Stops and starts the time limit of one trial, from its event loop or another thread.

    Args:
        limit: The running time limit.
        seconds: Its length.

    Attributes:
        seconds: The length of the limit.
        others: What is left of the time that models of other roles than the agent's may take.
    """

    def __init__(self, limit: asyncio.Timeout, seconds: float) -> None:
        self.seconds = self.others = seconds
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._waits = 0
        self._left = 0.0
        self._over = False
        self._asked: dict[object, tuple[str, float]] = {}
        self._cut_off: CutOff | None = None
        self._answered: Callable[[CutOff, bool], None] | None = None
        self._used = self._in_step = False

    def stop(self) -> None:
        """Let the limit stand still, until as many starts as stops have come."""
        self._in_loop(self._count, +1)

    def start(self) -> None:
        """Let the limit go on."""
        self._in_loop(self._count, -1)

    def strike(self, cut_off: CutOff) -> None:
        """Let the limit be over now, and be laid to what it was laid to once before."""
        self._cut_off = cut_off
        self._in_loop(self._expire)

    def end(self) -> None:
        """Leave the limit alone from now on: the trial is over."""
        if self.struck and self.cut_off() is None and self._in_step and self._answered:
            self._cut_off = CutOff(self.seconds)
            self._answered(self._cut_off, self._used)
        self._over = True

    def answered(self, tell: Callable[[CutOff, bool], None]) -> None:
        """Keep whom to tell, should the limit strike in the agent's step before its next call.

        Args:
            tell: Called with how it struck, and with True where the agent had used the answer.
        """
        self._answered, self._used = tell, False

    @contextmanager
    def step(self) -> Iterator[None]:
        """Know that the agent takes a step over the block; then it has used what it was answered."""
        self._in_step = True
        yield
        self._in_step, self._used = False, True

    def left(self) -> float:
        """Return the seconds that are left."""
        when = self._limit.when()
        return self._left if when is None else when - self._loop.time()

    @property
    def struck(self) -> bool:
        """True once the limit is over."""
        return self._limit.expired()

    @contextmanager
    def asking(self, model: str) -> Iterator[None]:
        """Know that the agent waits for a model over the block."""
        call = object()
        self._asked[call] = (model, self.left())
        try:
            yield
        finally:
            self.cut_off()
            del self._asked[call]

    def cut_off(self) -> CutOff | None:
        """Return how the limit struck, once it has, where a model was being asked then."""
        if self._cut_off is None and self.struck and self._asked and not self._over:
            model, left = max(list(self._asked.values()), key=lambda asked: asked[1])
            hangs = 2 * left >= self.seconds
            self._cut_off = CutOff(self.seconds, model if hangs else None)
        return self._cut_off

    def _in_loop(self, function: Callable[..., None], *args: Any) -> None:
        try:
            here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            here = False
        if here:
            function(*args)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *args)

    def _count(self, waits: int) -> None:
        before, self._waits = self._waits, self._waits + waits
        if self._over or self.struck or self._cut_off:
            return
        now, when = self._loop.time(), self._limit.when()
        if before == 0 and when is not None:
            self._left = when - now
            self._limit.reschedule(None)
        elif self._waits == 0:
            self._limit.reschedule(now + self._left)

    def _expire(self) -> None:
        if not (self._over or self.struck):
            self._limit.reschedule(self._loop.time())


_CLOCK: ContextVar[TrialClock | None] = ContextVar("trial clock", default=None)


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[None]:
    """Raise TimeoutError where the block takes longer, but for what it waits on our account.

    Raises:
        EndpointFailedError: In its place, where a model left the agent without an answer for at
            least half of the time.
    """
    if seconds is None:
        yield
        return
    clock: TrialClock | None = None
    try:
        async with _running(seconds) as clock:
            yield
    except TimeoutError:
        cut_off = clock.cut_off() if clock is not None else None
        if cut_off is None:
            raise
        if cut_off.unanswered is not None:
            raise _no_reply(cut_off.unanswered, cut_off.limit) from None
        # Where in the model's client it was cut off tells nobody anything.
        raise TimeoutError from None


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


@asynccontextmanager
async def asking(model: str) -> AsyncIterator[None]:
    """Let the trial that runs here know that its agent waits for that model over the block."""
    clock = _CLOCK.get()
    if clock is None:
        yield
        return
    with clock.asking(model):
        yield


@asynccontextmanager
async def apart(model: str) -> AsyncIterator[None]:
    """Take the block, in which another role's model is asked, off the time limit.

    All such blocks of a trial together may take as long as the limit is.

    Raises:
        EndpointFailedError: They took longer.
    """
    clock = _CLOCK.get()
    if clock is None:
        yield
        return
    before, own = clock.others, None
    try:
        with not_counted():
            async with _running(max(before, 0.0)) as own:
                yield
    except TimeoutError:
        if own is None or not own.struck:
            raise
        if 2 * before >= clock.seconds:
            raise _no_reply(model, clock.seconds) from None
        raise EndpointFailedError(
            f"{model} took longer than the trial's limit of {clock.seconds:g} s over all its turns"
        ) from None
    finally:
        clock.others = before if own is None else own.left()


def cut_off() -> CutOff | None:
    """Return how the limit of the trial that runs here struck while a model was asked, if so."""
    clock = _CLOCK.get()
    return None if clock is None else clock.cut_off()


def strike(recorded: CutOff) -> bool:
    """Make the limit of the trial that runs here strike at once, as it was recorded.

    Returns:
        False where the trial has no such limit.
    """
    clock = _CLOCK.get()
    if clock is None or clock.seconds != recorded.limit:
        return False
    clock.strike(recorded)
    return True


def when_cut_short(tell: Callable[[CutOff, bool], None]) -> None:
    """Have the limit of the trial that runs here tell when it strikes; see TrialClock.answered."""
    if clock := _CLOCK.get():
        clock.answered(tell)


def agents_step() -> AbstractContextManager[None]:
    """Let the trial that runs here know that its agent takes a step over the block."""
    clock = _CLOCK.get()
    return nullcontext() if clock is None else clock.step()


@asynccontextmanager
async def _running(seconds: float) -> AsyncIterator[TrialClock]:
    async with asyncio.timeout(seconds) as limit:
        clock = TrialClock(limit, seconds)
        token = _CLOCK.set(clock)
        try:
            yield clock
        finally:
            clock.end()
            _CLOCK.reset(token)


def _no_reply(model: str, seconds: float) -> EndpointFailedError:
    return EndpointFailedError(
        f"no reply from {model} within the trial's limit of {seconds:g} s: a hanging endpoint, or "
        "a limit too short for this model"
    )
