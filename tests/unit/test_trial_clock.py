"""A trial's time limit, and what it does not count."""

from __future__ import annotations

import asyncio

import pytest

from pytest_taubench.trial_clock import not_counted, time_limit


async def waits(seconds: float) -> None:
    with not_counted():
        await asyncio.sleep(seconds)


def test_the_limit_ends_what_takes_longer() -> None:
    async def slow() -> None:
        async with time_limit(0.05):
            await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        asyncio.run(slow())


def test_what_is_waited_for_on_our_account_does_not_count() -> None:
    async def patient() -> str:
        async with time_limit(0.2):
            await waits(0.3)
            await asyncio.gather(waits(0.3), waits(0.4))
            return "done"

    assert asyncio.run(patient()) == "done"


def test_the_limit_goes_on_after_the_wait() -> None:
    async def slow_afterwards() -> None:
        async with time_limit(0.1):
            await waits(0.2)
            await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        asyncio.run(slow_afterwards())


def test_a_wait_in_another_thread_and_loop_does_not_count_either() -> None:
    async def patient() -> str:
        async with time_limit(0.3):
            await asyncio.to_thread(asyncio.run, waits(0.5))
            return "done"

    assert asyncio.run(patient()) == "done"


def test_a_wait_that_outlives_the_trial_does_no_harm() -> None:
    async def leaves_a_task() -> None:
        async with time_limit(0.2):
            task = asyncio.ensure_future(waits(0.1))
            await asyncio.sleep(0)
        await task

    asyncio.run(leaves_a_task())


def test_without_a_trial_or_a_limit_a_wait_is_just_a_wait() -> None:
    async def unlimited() -> None:
        await waits(0)
        async with time_limit(None):
            await waits(0)

    asyncio.run(unlimited())
