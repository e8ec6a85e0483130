"""All code of one agent runs in one context, one thread and one task."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from pytest_taubench.errors import CodeExitError
from pytest_taubench.foreign_code import ForeignCode

SESSION: ContextVar[str] = ContextVar("session", default="none")


async def calls(*functions):
    code = ForeignCode("test")
    try:
        return [await code.call(function) for function in functions]
    finally:
        code.close()


def begin():
    SESSION.set("begun")


async def begin_async():
    SESSION.set("begun")


def session():
    return SESSION.get()


async def session_async():
    return SESSION.get()


@pytest.mark.parametrize("first", [begin, begin_async])
@pytest.mark.parametrize("then", [session, session_async])
def test_what_one_call_sets_the_next_finds_sync_or_async(first, then):
    assert asyncio.run(calls(first, then)) == [None, "begun"]


def test_what_one_agent_sets_no_other_finds():
    async def two():
        return await calls(begin, begin_async), await calls(session, session_async)

    assert asyncio.run(two())[1] == ["none", "none"]


def test_what_is_bound_to_a_thread_or_a_task_stays_there():
    async def task():
        return asyncio.current_task()

    threads = asyncio.run(calls(threading.get_ident, threading.get_ident))
    tasks = asyncio.run(calls(task, task))
    assert threads[0] == threads[1] != threading.get_ident()
    assert tasks[0] is tasks[1]


def test_a_call_after_one_that_cancelled_its_task_runs_as_any():
    async def cancels():
        asyncio.current_task().cancel()

    async def both():
        code = ForeignCode("test")
        with pytest.raises(CodeExitError, match="CancelledError"):
            await code.call(cancels)
        return await code.call(session_async)

    assert asyncio.run(both()) == "none"


def test_an_async_call_runs_while_a_synchronous_one_hangs():
    release = threading.Event()

    async def hung():
        code = ForeignCode("test")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await code.call(release.wait)
        try:
            return await code.call(session_async)
        finally:
            release.set()
            code.close()

    assert asyncio.run(hung()) == "none"
