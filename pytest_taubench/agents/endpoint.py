"""An agent given by the URL of an OpenAI-compatible endpoint."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.agents.tool_calling import ToolCallingAgent


def endpoint_factory(url: str) -> Callable[[AgentContext], Agent]:
    """Return what makes a tool-calling agent at that URL.

    The model is the one that ``--tau-agent-model`` names, else the one the endpoint lists.
    """

    def make(context: AgentContext) -> Agent:
        settings = context.model.model_copy(update={"base_url": url})
        return ToolCallingAgent(dataclasses.replace(context, model=settings))

    return make
