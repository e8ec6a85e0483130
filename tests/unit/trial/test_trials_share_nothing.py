"""What an agent or a user does to the objects it is given reaches no other trial of the process."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path
from typing import Any

from pytest_taubench.agents.loading import AgentSource
from pytest_taubench.agents.protocol import AgentContext
from pytest_taubench.agents.shapes import maker_of
from pytest_taubench.environment.domain import load_domain
from pytest_taubench.schema import ModelSettings, RunSettings, Task
from pytest_taubench.trial.tau_trial import GoldStates, TrialSpec, run_trial
from pytest_taubench.users.loading import UserSource, load_user
from pytest_taubench.users.protocol import UserContext, UserTurn

SETTINGS = RunSettings(
    agent_model=ModelSettings(name="m", args={"temperature": 0.5, "stop": ["x"]}),
    user_model=ModelSettings(name="u", args={"top_p": 0.9}),
)
TASK = Task.model_validate(
    {
        "id": "a",
        "domain": "retail",
        "instruction": "You want nothing.",
        "script": {"answers": {"size": "red"}},
    }
)


def play(agent: Any, user: Any = None, trials: int = 2) -> RunSettings:
    """Run trials of one task one after the other, as one process does; return their settings."""
    settings = SETTINGS.model_copy(deep=True)
    domain = load_domain("retail")
    users = load_user("scripted", Path()) if user is None else UserSource("user", user)
    for trial in range(1, trials + 1):
        spec = TrialSpec(TASK, domain, f"a[trial-{trial}]", "retail", trial, settings)
        source = AgentSource("agent", maker_of(agent, "agent"))
        asyncio.run(run_trial(spec, source, users, GoldStates()))
    return settings


def test_each_trial_gets_its_own_tool_schemas():
    seen = []

    class Vandal:
        def __init__(self, context: AgentContext) -> None:
            seen.append(copy.deepcopy(context.tool_schemas))
            for schema in context.tool_schemas:
                schema["function"]["parameters"]["properties"].clear()
                schema["function"]["parameters"]["required"].clear()

        def step(self, messages: list[dict[str, Any]]) -> str:
            return "Bye."

    play(Vandal)
    assert seen[0] == seen[1]
    assert any(schema["function"]["parameters"]["properties"] for schema in seen[1])


def test_each_trial_gets_its_own_model_settings():
    seen = []

    class Vandal:
        def __init__(self, context: AgentContext) -> None:
            seen.append(context.model.model_dump())
            context.model.args["temperature"] = 2
            context.model.args["stop"].append("y")
            context.model.name = "another"

        def step(self, messages: list[dict[str, Any]]) -> str:
            return "Bye."

    settings = play(Vandal)
    assert seen == [SETTINGS.agent_model.model_dump()] * 2
    assert settings == SETTINGS


def test_each_trials_user_gets_its_own_script_and_model_settings():
    seen = []

    class Vandal:
        def __init__(self, context: UserContext) -> None:
            assert context.script is not None
            seen.append((context.model.model_dump(), context.script.model_dump()))
            context.model.args.clear()
            context.script.answers.clear()

        async def respond(self, text: str | None) -> UserTurn:
            return UserTurn("Hello.", stop=text is not None)

        def usage(self) -> None:
            return None

        def notes(self) -> list[str]:
            return []

        async def close(self) -> None:
            pass

    play(lambda messages, tools: "Bye.", Vandal)
    assert len(seen) == 2
    assert seen[0] == seen[1]
