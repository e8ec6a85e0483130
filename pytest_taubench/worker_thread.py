"""A daemon thread for one trial's synchronous code, so that it cannot block other episodes."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from pytest_taubench.errors import CodeExitError, EpisodeOver, text_of


class WorkerThread:
    """Runs a trial's synchronous calls, all in one thread.

    One thread a trial, since an agent or a user may hold what is bound to its thread (a database
    connection, an event loop). A daemon, since a hung one must not keep pytest from ending;
    the executors of the standard library join their threads at exit.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run ``function(*args)`` in the thread; await what it returns if that is awaitable."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        context = contextvars.copy_context()

        def job() -> None:
            # A result or an exception, BaseException too: the waiting episode must learn of it.
            result, error = None, None
            try:
                result = context.run(function, *args)
            except BaseException as raised:
                error = _containable(raised)
            _call_in_loop(loop, _settle, future, result, error)

        self._start()
        self._jobs.put(job)
        result = await future
        return await contained(result) if inspect.isawaitable(result) else result

    def close(self) -> None:
        """Let the thread end after the job it is at."""
        self._jobs.put(None)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _call_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *a: Any) -> None:
    if not loop.is_closed():  # a trial that was given up may finish after the run
        loop.call_soon_threadsafe(function, *a)


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


async def contained(awaitable: Awaitable[Any]) -> Any:
    """Await foreign code, and let nothing out of it that would end more than its call.

    Raises:
        CodeExitError: In place of what was raised, where that is no usual exception.
    """
    try:
        return await awaitable
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # the trial itself is cancelled, by its time limit or the end of the run
        raise CodeExitError("CancelledError was raised") from error
    except BaseException as error:
        containable = _containable(error)
        if containable is error:
            raise
        raise containable from error


def _containable(error: BaseException) -> BaseException:
    """Return the exception, or what stands for one that may not travel."""
    if isinstance(error, EpisodeOver):
        return error
    # A future refuses StopIteration, which would leave the episode waiting for ever.
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    exit_error = CodeExitError(f"{text_of(error)} was raised")
    exit_error.__cause__ = error
    return exit_error
