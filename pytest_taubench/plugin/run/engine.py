"""One event loop in a background thread, on which the trials of a process run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from pytest_taubench.errors import FatalError

T = TypeVar("T")

_SECONDS_TO_CANCEL = 5.0


class EngineEndedError(FatalError):
    """The thread that runs trials is gone, and no trial will ever end."""


class Engine:
    """Runs coroutines beside the main thread, which pytest needs for itself."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._closing = False
        self._thread = threading.Thread(target=self._serve, name="tau-bench", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether what was submitted can still come to an end."""
        return self._thread.is_alive()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine and return its future; cancelling that cancels the coroutine."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def close(self) -> None:
        """Cancel what still runs, let it clean up, and end the thread."""
        if self._loop.is_closed():
            return
        cancelled = self.submit(self._cancel_all())
        try:
            cancelled.result(_SECONDS_TO_CANCEL)
        except TimeoutError:
            # What resists being cancelled is left to the thread, a daemon, so that pytest ends.
            return
        self._closing = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        while not self._closing:
            try:
                self._loop.run_forever()
            except (KeyboardInterrupt, SystemExit):
                # Raised by a trial's code: its own future has it, and the others go on.
                continue

    async def _cancel_all(self) -> None:
        tasks = asyncio.all_tasks(self._loop) - {asyncio.current_task(self._loop)}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
