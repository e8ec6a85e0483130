"""Which model each role asks and where, as the header says: a run's prompts go there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_taubench.plugin.options import OptionValues
from pytest_taubench.plugin.settings import fault_model, run_settings
from pytest_taubench.plugin.sources import ASK_NO_MODEL

if TYPE_CHECKING:
    from pytest_taubench.schema import ModelSettings


def models_line(values: OptionValues) -> str | None:
    """Return the header's line about models, or None where no endpoint is asked."""
    if values["replay"]:
        return None
    from pytest_taubench.llm.endpoint import Endpoint

    said = [
        f"{role} {settings.name or '(the one it serves)'} at {Endpoint.of(settings)}"
        for role, settings in _asked(values)
    ]
    return f"models: {', '.join(said)}" if said else None


def _asked(values: OptionValues) -> Iterator[tuple[str, ModelSettings]]:
    """Yield role and model, by the options alone: nothing of the project is imported for it."""
    from pytest_taubench.agents import loading as agents
    from pytest_taubench.users import loading as users

    settings, faults = run_settings(values), fault_model(values)
    agent: str = values["agent"] or ""
    if agent.startswith(("http://", "https://")):
        yield "agent", settings.agent_model.model_copy(update={"base_url": agent})
    elif agent in agents.BUILT_IN.keys() - ASK_NO_MODEL:
        yield "agent", settings.agent_model
    elif agent not in ASK_NO_MODEL and values["proxy"]:
        # Behind the proxy an agent names a model of its own.
        name = settings.agent_model.name or "(the one it names)"
        yield "agent", settings.agent_model.model_copy(update={"name": name})
    if values["user"] in users.BUILT_IN.keys() - ASK_NO_MODEL:
        yield "user", settings.user_model
    if settings.judge_model.name:
        yield "judge", settings.judge_model
    if faults is not None:
        yield "attribution", faults
