"""Sends the model calls of an agent's own SDK through the harness."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
from typing import Any

from pytest_taubench.agents.loading import AgentSource
from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.llm.provider import models_in
from pytest_taubench.llm.proxy import ChatProxy, ProxiedTrial
from pytest_taubench.schema import Message, Usage
from pytest_taubench.trial_clock import agents_step


def proxied(source: AgentSource, proxy: ChatProxy) -> AgentSource:
    """Return the source of an agent whose ``context.model.base_url`` is the proxy's.

    An agent that takes its base URL from there needs no change to be recorded and replayed.
    """

    def make(context: AgentContext) -> Agent:
        trial = proxy.open(models_in(context.options), context.model)
        settings = context.model.model_copy(update={"base_url": trial.url})
        inner = source.make(dataclasses.replace(context, model=settings))
        return ProxiedAgent(inner, trial, proxy)

    return dataclasses.replace(source, make=make)


class ProxiedAgent:
    """An agent whose endpoint failures count as such, whatever its framework makes of them."""

    def __init__(self, inner: Agent, trial: ProxiedTrial, proxy: ChatProxy) -> None:
        self._inner = inner
        self._trial = trial
        self._proxy = proxy

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Return the agent's next message; see Agent.step."""
        self._trial.context = contextvars.copy_context()
        try:
            with agents_step():
                message = await self._inner.step(messages)
        except asyncio.CancelledError:
            self._trial.cut_off()
            # What ends in the proxy's threads is still counted and recorded.
            await asyncio.to_thread(self._trial.wait)
            raise
        except Exception as error:
            cause = self._trial.fault or self._trial.too_long or self._trial.unserved
            if cause is None:
                raise
            raise cause from error
        if self._trial.fault is not None:
            raise self._trial.fault
        if self._trial.unserved is not None and not self._trial.usage().calls:
            raise self._trial.unserved  # which a framework may have told the user in its own words
        return message

    def usage(self) -> Usage | None:
        """Return what the agent counted itself, else what went through the proxy."""
        return self._inner.usage() or self._trial.usage()

    async def close(self) -> None:
        """Close the agent and its address."""
        try:
            await self._inner.close()
        finally:
            self._proxy.forget(self._trial)
