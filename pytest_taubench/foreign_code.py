"""Runs the code of one trial's agent or user: one thread, one task, one context for all of it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from pytest_taubench.errors import CodeExitError, EpisodeOver, text_of


class ForeignCode:
    """Calls what others wrote, and lets nothing out of it that would end more than its call.

    Synchronous code runs in a thread of the trial's own, and all asynchronous code in one task,
    since an agent or a user may hold what is bound to its thread or task (a database connection,
    a cancel scope). The context variables that a call sets are there in the next one, in thread
    and task alike: tracers and sessions live in them.
    """

    def __init__(self, name: str) -> None:
        self._thread = _Thread(name)
        self._task = _Task()
        self._context: contextvars.Context | None = None

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what ``function(*args)`` returns, awaited if that is awaitable.

        Raises:
            CodeExitError: In place of what was raised, where that is no usual exception.
        """
        if self._context is None:
            self._context = contextvars.copy_context()
        elif self._thread.busy:  # hung, with the context in use, which no other may enter then
            self._context = self._context.copy()
        if inspect.iscoroutinefunction(function):
            return await self._task.run(function(*args), self._context)
        result = await self._thread.run(self._context, function, *args)
        if not inspect.isawaitable(result):
            return result
        return await self._task.run(result, self._context)

    def close(self) -> None:
        """Let thread and task end after what they are at."""
        self._thread.close()
        self._task.close()


class _Thread:
    """A daemon, since a hung one must not keep pytest from ending.

    The executors of the standard library join their threads at exit.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.busy = False

    async def run(
        self, context: contextvars.Context, function: Callable[..., Any], *args: Any
    ) -> Any:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def job() -> None:
            # A result or an exception, BaseException too: the waiting episode must learn of it.
            result, error = None, None
            try:
                result = context.run(function, *args)
            except BaseException as raised:
                error = _containable(raised)
            self.busy = False
            _call_in_loop(loop, _settle, future, result, error)

        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self.busy = True
        self._jobs.put(job)
        return await future

    def close(self) -> None:
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


class _Task:
    def __init__(self) -> None:
        self._jobs: asyncio.Queue[tuple[Awaitable[Any], asyncio.Future[Any]]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def run(self, awaitable: Awaitable[Any], context: contextvars.Context) -> Any:
        if self._task is None:
            self._task = asyncio.create_task(self._work(), context=context)
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait((awaitable, done))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            # The trial is cancelled, by its time limit or the end of the run, and the code with it.
            self._task.cancel()
            await asyncio.wait([done])
            done.exception()  # seen, so that nothing is said of it
            raise

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _work(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        while True:
            awaitable, done = await self._jobs.get()
            result, error = None, None
            try:
                result = await awaitable
                if task.cancelling():
                    await asyncio.sleep(0)  # it cancelled itself with its last breath
            except BaseException as raised:
                while task.cancelling():
                    task.uncancel()
                error = _containable(raised)
            _settle(done, result, error)


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
