"""Back-off: how long, how often, and when it ends."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from pytest_taubench.llm.faults import retry_after
from pytest_taubench.llm.retry import Backoff, GaveUpError, TransientError


class Time:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def failing(times: int, wait: float | None = None) -> Callable[[], object]:
    """A call that fails so many times and then returns its number."""
    count = 0

    async def call() -> int:
        nonlocal count
        count += 1
        if count <= times:
            raise TransientError("down", wait=wait)
        return count

    return call


def test_waits_double_up_to_the_longest_with_jitter_below() -> None:
    time = Time()
    backoff = Backoff(8, 1.0, 20.0, random=random.Random(3), sleep=time.sleep, clock=lambda: 0.0)
    assert asyncio.run(backoff.run(failing(7))) == 8
    for slept, full in zip(time.slept, [1, 2, 4, 8, 16, 20, 20], strict=True):
        assert full / 2 <= slept <= full
    assert len(set(time.slept)) == 7


def test_workers_that_failed_together_do_not_come_back_together() -> None:
    waits = {Backoff(random=random.Random(seed)).wait(3, None) for seed in range(20)}
    assert len(waits) == 20


def test_attempts_are_bounded() -> None:
    time = Time()
    with pytest.raises(GaveUpError, match="tried 3 times, at last: down"):
        asyncio.run(Backoff(3, sleep=time.sleep, clock=lambda: time.now).run(failing(9)))
    assert len(time.slept) == 2


def test_no_attempt_starts_after_patience_is_over() -> None:
    time = Time()
    backoff = Backoff(99, patience=100.0, sleep=time.sleep, clock=lambda: time.now)
    with pytest.raises(GaveUpError):
        asyncio.run(backoff.run(failing(99, wait=40.0)))
    assert time.now <= 100.0
    assert len(time.slept) == 2


def test_other_errors_are_not_tried_again() -> None:
    async def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(Backoff().run(broken))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-5"}, None),
    ],
)
def test_retry_after_holds_seconds_or_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers, now=40.0) == seconds


def outage(*faults: bool) -> Callable[[], object]:
    """A call that fails once for each fault, True where no connection comes about."""
    left = list(faults)

    async def call() -> str:
        if left:
            raise TransientError("down", unreachable=left.pop(0))
        return "reply"

    return call


@pytest.mark.parametrize("seed", range(5))
def test_where_nothing_listens_it_is_tried_again_only_briefly(seed: int) -> None:
    time = Time()
    backoff = Backoff(random=random.Random(seed), sleep=time.sleep, clock=lambda: time.now)
    with pytest.raises(GaveUpError) as gave_up:
        asyncio.run(backoff.run(outage(*[True] * 99)))
    assert gave_up.value.unreachable
    assert 1 <= len(time.slept) <= 3
    assert time.now <= 4.0


def test_a_busy_endpoint_that_restarts_within_moments_is_not_given_up() -> None:
    time = Time()
    backoff = Backoff(random=random.Random(1), sleep=time.sleep, clock=lambda: time.now)
    assert asyncio.run(backoff.run(outage(False, False, False, False, True, True))) == "reply"
    assert time.now > 4.0


def test_what_hangs_is_tried_twice_and_no_more() -> None:
    time = Time()

    async def hangs() -> None:
        time.now += 300.0
        raise TransientError("no answer within 300 s", hung=True)

    with pytest.raises(GaveUpError, match="tried 2 times"):
        asyncio.run(Backoff(sleep=time.sleep, clock=lambda: time.now).run(hangs))
    assert 600.0 <= time.now <= 601.0


def test_a_rate_limit_that_asks_for_a_second_each_time_is_waited_for_longer_and_longer() -> None:
    time = Time()
    backoff = Backoff(random=random.Random(2), sleep=time.sleep, clock=lambda: time.now)
    assert asyncio.run(backoff.run(failing(7, wait=1.0))) == 8
    assert all(1 <= slept <= 2 for slept in time.slept[:2])
    assert all(2.0**n / 2 <= slept for n, slept in enumerate(time.slept[2:6], 2))
    assert sum(time.slept) <= 2 * 2 + 4 + 8 + 16 + 32 + 60


def test_a_rate_limit_that_lasts_is_given_up_within_a_quarter_of_an_hour() -> None:
    time = Time()
    backoff = Backoff(random=random.Random(2), sleep=time.sleep, clock=lambda: time.now)
    with pytest.raises(GaveUpError, match="tried 8 times"):
        asyncio.run(backoff.run(failing(99, wait=3600.0)))
    assert time.now <= 7 * 60
