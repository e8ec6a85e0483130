"""How an episode ends where agent, user, tool or time fails, and whose fault that is."""

import asyncio
import time

import pytest
from small_episode import TOOLS, User, call, calls, play, roles, run

from pytest_taubench import Database, Environment, UserTurn, tool
from pytest_taubench.errors import AgentError, InfrastructureError
from pytest_taubench.schema import Ending
from pytest_taubench.trial.episode import Episode
from pytest_taubench.users.loading import adapt_user


def test_an_exception_in_the_agent_ends_the_trial_scored_with_its_trajectory():
    def agent(messages, tools):
        raise RuntimeError("boom")

    episode = run(agent)
    assert (episode.ending, episode.ending.scored) == (Ending.AGENT_ERROR, True)
    assert "boom" in episode.error.message
    assert roles(episode) == ["user"]


@tool(kind="read")
def broken_look(db, order_id: str) -> dict:
    """Look an order up.

    Args:
        order_id: The order.
    """
    return 1 / 0


@pytest.mark.parametrize("own_loop", [True, False])
def test_a_broken_tool_is_unscored_even_where_the_agent_swallows_it(own_loop):
    class Swallowing:
        def __init__(self, context):
            [self.look] = context.tools

        def respond(self, text):
            try:
                return self.look("#1")
            except Exception:
                return "never mind"

    def agent(messages, tools):
        return calls(call("broken_look", {"order_id": "#1"}))

    episode = run(Swallowing if own_loop else agent, tools={"broken_look": broken_look})
    assert episode.ending is Ending.ENVIRONMENT_ERROR
    assert not episode.ending.scored
    assert "ZeroDivisionError" in episode.error.message


class BrokenUser(User):
    async def respond(self, text):
        if text is None:
            return UserTurn("hi")
        raise InfrastructureError("no reply", source="user")


class SlowUser(User):
    async def respond(self, text):
        if text is not None:
            await asyncio.sleep(5)
        return UserTurn("hi")


def test_a_broken_simulator_is_unscored():
    assert play(user=BrokenUser()).ending is Ending.USER_ERROR


def test_time_that_runs_out_is_laid_to_who_had_the_turn():
    assert play(user=SlowUser(), timeout=0.3).ending is Ending.USER_ERROR

    def slow(messages, tools):
        time.sleep(0.6)
        return "late"

    episode = run(slow, timeout=0.3)
    assert (episode.ending, episode.ending.scored) == (Ending.AGENT_TIMEOUT, True)
    assert "agent had the turn" in episode.error.message


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


EXITS = [
    SystemExit(7),
    KeyboardInterrupt(),
    GeneratorExit(),
    asyncio.CancelledError(),
    StopIteration(),
    pytest.skip.Exception("not today"),
    pytest.fail.Exception("no"),
    Unprintable(),
]


@pytest.mark.parametrize("error", EXITS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("is_async", [True, False])
def test_what_would_end_a_process_or_a_test_is_an_agents_error_like_any(error, is_async):
    def agent(messages, tools):
        raise error

    async def async_agent(messages, tools):
        raise error

    episode = run(async_agent if is_async else agent)
    assert (episode.ending, episode.ending.scored) == (Ending.AGENT_ERROR, True)
    assert type(error).__name__ in episode.error.message


@pytest.mark.parametrize("pauses", [True, False])
def test_an_agent_that_cancels_its_own_task_is_an_agents_error_like_any(pauses):
    async def agent(messages, tools):
        asyncio.current_task().cancel()
        if pauses:
            await asyncio.sleep(0)
        return "done"

    episode = run(agent)
    assert (episode.ending, episode.ending.scored) == (Ending.AGENT_ERROR, True)
    assert "CancelledError" in episode.error.message


def test_an_agent_that_waits_through_the_time_limit_is_told_and_may_clean_up():
    told = []

    async def agent(messages, tools):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise

    assert run(agent, timeout=0.1).ending is Ending.AGENT_TIMEOUT
    assert told == ["cancelled"]


@pytest.mark.parametrize("error", EXITS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("is_async", [True, False])
def test_what_would_end_a_process_or_a_test_in_a_user_is_unscored(error, is_async):
    class Leaving:
        def __init__(self, context):
            pass

        def respond(self, text):
            raise error

    class AsyncLeaving(Leaving):
        async def respond(self, text):
            raise error

    user = adapt_user(AsyncLeaving if is_async else Leaving).make(None)
    assert play(user=user).ending is Ending.USER_ERROR


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_turn_of_any_user_is_asked_for_again_and_then_unscored(text):
    # KNOWN_FAULTS 23
    class Mute(User):
        async def respond(self, agent_text):
            self.heard.append(agent_text)
            return UserTurn(text)

    episode = play(user=Mute())
    assert (episode.ending, episode.ending.scored) == (Ending.USER_ERROR, False)
    assert episode.user.heard == [None] * 3
    assert episode.trajectory == []


def test_time_that_a_computing_user_takes_is_the_users():
    class Computing(User):
        async def respond(self, text):
            if text is not None:
                time.sleep(0.6)  # never lets the loop go on
            return UserTurn("hi")

    episode = play(user=Computing(), timeout=0.3)
    assert episode.ending is Ending.USER_ERROR
    assert "user had the turn" in episode.error.message


def test_an_agent_fault_raised_by_a_built_in_agent_is_scored():
    class Refusing:
        async def step(self, messages):
            raise AgentError("no")

    episode = Episode(Environment(TOOLS, Database({"orders": {}})), User(), "", 5)
    assert asyncio.run(episode.run(Refusing())) is Ending.AGENT_ERROR
