"""A trial's time limit, and what it does not count."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine

import pytest

from pytest_taubench.errors import EndpointFailedError
from pytest_taubench.trial_clock import (
    CutOff,
    agents_step,
    apart,
    asking,
    not_counted,
    strike,
    time_limit,
    when_cut_short,
)


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
        async with time_limit(0.5):
            await waits(0.6)
            await asyncio.gather(waits(0.6), waits(0.7))
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
        async with time_limit(0.5):
            await asyncio.to_thread(asyncio.run, waits(0.7))
            return "done"

    assert asyncio.run(patient()) == "done"


def test_a_wait_that_outlives_the_trial_does_no_harm() -> None:
    async def leaves_a_task() -> str:
        async with time_limit(5):
            task = asyncio.ensure_future(waits(0.1))
            await asyncio.sleep(0)
        await task
        return "done"

    assert asyncio.run(leaves_a_task()) == "done"


def test_without_a_trial_or_a_limit_a_wait_is_just_a_wait() -> None:
    async def unlimited() -> str:
        await waits(0)
        async with time_limit(None):
            await waits(0)
        return "done"

    assert asyncio.run(unlimited()) == "done"


def ended_by(trial: Callable[[], Coroutine[None, None, None]]) -> str:
    """Run a trial under a limit of 0.2 s; return the type and message of what ended it."""

    async def limited() -> None:
        async with time_limit(0.2):
            await trial()

    with pytest.raises((TimeoutError, EndpointFailedError)) as caught:
        asyncio.run(limited())
    return f"{type(caught.value).__name__}: {caught.value}"


HUNG = (
    "EndpointFailedError: no reply from the agent's model m within the trial's limit of 0.2 s: "
    "a hanging endpoint, or a limit too short for this model"
)


def test_a_limit_that_strikes_over_one_long_call_is_laid_to_the_endpoint() -> None:
    async def hangs() -> None:
        await asyncio.sleep(0.05)
        async with asking("the agent's model m"):
            await asyncio.sleep(5)

    assert ended_by(hangs) == HUNG


def test_a_limit_used_up_before_the_last_call_is_the_agents() -> None:
    async def dawdles() -> None:
        await asyncio.sleep(0.15)
        async with asking("the agent's model m"):
            await asyncio.sleep(5)

    assert ended_by(dawdles) == "TimeoutError: "


def test_many_answered_calls_are_the_agents_own_time() -> None:
    async def talks() -> None:
        while True:
            async with asking("the agent's model m"):
                await asyncio.sleep(0.06)

    assert ended_by(talks) == "TimeoutError: "


def test_the_longest_of_several_calls_decides() -> None:
    async def call(after: float, model: str) -> None:
        await asyncio.sleep(after)
        async with asking(model):
            await asyncio.sleep(5)

    async def asks_twice() -> None:
        await asyncio.gather(call(0.15, "the agent's model s"), call(0.0, "the agent's model m"))

    assert ended_by(asks_twice) == HUNG


def test_the_pauses_within_a_call_do_not_make_it_a_long_one() -> None:
    async def waits_and_dawdles() -> None:
        await asyncio.sleep(0.13)
        async with asking("the agent's model m"):
            await waits(0.4)
            await asyncio.sleep(5)

    assert ended_by(waits_and_dawdles) == "TimeoutError: "


def test_a_call_in_another_thread_and_loop_counts_too() -> None:
    async def call(release: threading.Event) -> None:
        async with asking("the agent's model m"):
            release.wait(5)

    async def hangs_elsewhere() -> None:
        release = threading.Event()
        try:
            await asyncio.to_thread(asyncio.run, call(release))
        finally:
            release.set()

    assert ended_by(hangs_elsewhere) == HUNG


def test_what_the_users_model_takes_is_not_the_agents() -> None:
    async def slow_user() -> str:
        async with time_limit(0.2):
            async with apart("the user's model u"):
                await asyncio.sleep(0.15)
            await asyncio.sleep(0.15)
            return "done"

    assert asyncio.run(slow_user()) == "done"


def test_a_users_model_that_hangs_is_cut_off_after_the_limit_of_its_own() -> None:
    async def hangs() -> None:
        async with apart("the user's model u"):
            await asyncio.sleep(5)

    assert ended_by(hangs) == HUNG.replace("agent's model m", "user's model u")


def test_a_users_model_that_is_slow_at_every_turn_is_cut_off_too() -> None:
    async def slow() -> None:
        while True:
            async with apart("the user's model u"):
                await asyncio.sleep(0.15)

    says = "the user's model u took longer than the trial's limit of 0.2 s over all its turns"
    assert ended_by(slow) == f"EndpointFailedError: {says}"


def test_a_rate_limit_does_not_count_against_the_users_model_either() -> None:
    async def patient() -> str:
        async with time_limit(0.2):
            async with apart("the user's model u"):
                await waits(0.4)
            return "done"

    assert asyncio.run(patient()) == "done"


def test_a_time_out_of_the_agents_own_is_not_taken_for_the_limit() -> None:
    async def gives_up() -> None:
        async with asking("the agent's model m"):
            raise TimeoutError("mine")

    assert ended_by(gives_up) == "TimeoutError: mine"


@pytest.mark.parametrize(
    ("unanswered", "said"), [("the agent's model m", HUNG), (None, "TimeoutError: ")]
)
def test_a_recorded_limit_strikes_at_once_and_ends_the_trial_alike(
    unanswered: str | None, said: str
) -> None:
    async def replayed() -> None:
        assert strike(CutOff(0.2, unanswered))
        for _ in range(5):  # rounds of the loop, which take no time
            await asyncio.sleep(0)

    assert ended_by(replayed) == said


def test_a_recorded_limit_does_not_strike_where_the_trial_has_another() -> None:
    async def replayed(seconds: float | None) -> bool:
        async with time_limit(seconds):
            return strike(CutOff(60.0))

    assert not asyncio.run(replayed(30.0))
    assert not asyncio.run(replayed(None))


@pytest.mark.parametrize("used", [True, False])
def test_a_limit_that_strikes_in_a_step_after_an_answer_says_whether_it_was_used(
    used: bool,
) -> None:
    told: list[tuple[CutOff, bool]] = []

    async def computes() -> None:
        with agents_step():
            when_cut_short(lambda cut, used: told.append((cut, used)))
            if not used:
                await asyncio.sleep(5)
        with agents_step():
            await asyncio.sleep(5)

    assert ended_by(computes) == "TimeoutError: "
    assert told == [(CutOff(0.2), used)]


def test_a_limit_that_strikes_between_two_steps_of_the_agent_tells_nobody() -> None:
    told: list[tuple[CutOff, bool]] = []

    async def the_user_computes() -> None:
        with agents_step():
            when_cut_short(lambda cut, used: told.append((cut, used)))
        await asyncio.sleep(5)

    assert ended_by(the_user_computes) == "TimeoutError: "
    assert told == []
