"""The trials that show a task's floor: of agents that should fail, and of the one that should pass."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_taubench.agents.loading import AgentSource, load_agent
from pytest_taubench.environment.domain import Domain
from pytest_taubench.schema import (
    FunctionCall,
    Message,
    RunSettings,
    Task,
    ToolCall,
    TrialRecord,
    Usage,
)
from pytest_taubench.trial.tau_trial import GoldStates, TrialSpec, run_trial
from pytest_taubench.users.loading import load_user

SILENT, TRANSFER, RECITAL, ORACLE = "silent", "transfer", "recital", "oracle"


class TransferAgent:
    """Ends the episode with its first call, then waits for the user to leave."""

    def __init__(self, call: FunctionCall) -> None:
        self._call: FunctionCall | None = call

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Make the call, and after it say nothing of use."""
        if self._call is None:
            return Message(role="assistant", content="I have nothing to say to that.")
        call, self._call = self._call, None
        return Message(role="assistant", tool_calls=[ToolCall(id="at-once", function=call)])

    def usage(self) -> Usage | None:
        """Return None: no model is used."""
        return None

    async def close(self) -> None:
        """Hold nothing."""


class RecitingAgent:
    """Tells the user every amount up to 999.99, so that each answer is among them."""

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Recite, whatever was asked."""
        amounts = (f"{cents // 100}.{cents % 100:02}" for cents in range(100_000))
        return Message(role="assistant", content=" ".join(amounts))

    def usage(self) -> Usage | None:
        """Return None: no model is used."""
        return None

    async def close(self) -> None:
        """Hold nothing."""


@dataclass(frozen=True)
class Floor:
    """The rewards of agents that should fail and of the one that should pass.

    Attributes:
        rewards: The reward by agent; None where a trial was not scored.
        errors: Why a trial was not scored, by agent.
    """

    rewards: dict[str, float | None]
    errors: dict[str, str]


def play_floor(task: Task, domain: Domain, *, asks_for_change: bool) -> Floor:
    """Run one trial of each of the agents, with the scripted user.

    Args:
        task: The task.
        domain: Its domain.
        asks_for_change: Whether its reward asks for a change of the database, which no words make.
    """
    agents = {SILENT: load_agent(SILENT, Path()), ORACLE: load_agent(ORACLE, Path())}
    call = _ending_call(domain)
    if call is not None:
        agents[TRANSFER] = AgentSource(TRANSFER, lambda context: TransferAgent(call))
    if task.outputs and "outputs" in task.reward_basis and not asks_for_change:
        agents[RECITAL] = AgentSource(RECITAL, lambda context: RecitingAgent())
    records = {name: asyncio.run(_play(task, domain, agent)) for name, agent in agents.items()}
    return Floor(
        {name: record.reward for name, record in records.items()},
        {
            n: r.error.message
            for n, r in records.items()
            if r.error is not None and r.reward is None
        },
    )


async def _play(task: Task, domain: Domain, agent: AgentSource) -> TrialRecord:
    nodeid = f"lint::{task.id}[{agent.name}]"
    spec = TrialSpec(task, domain, nodeid, "lint", 1, RunSettings())
    return await run_trial(spec, agent, load_user("scripted", Path()), GoldStates())


def _ending_call(domain: Domain) -> FunctionCall | None:
    """Return a call of a tool that ends the episode, where all it asks for is text."""
    for tool in domain.tools.values():
        required = [each for each in tool.accepted.values() if each.required]
        if tool.ends_episode and all(each.schema.get("type") == "string" for each in required):
            arguments = {each.name: "The user needs a person." for each in required}
            return FunctionCall(name=tool.name, arguments=json.dumps(arguments))
    return None
