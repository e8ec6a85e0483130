"""Which models a run asks, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_taubench.plugin.options.values import OPTIONS, OptionValues, fault_model, run_settings
from pytest_taubench.plugin.run.agent_and_user import ASK_NO_MODEL, default_agent, default_user
from pytest_taubench.plugin.run.judge import needs_judge

if TYPE_CHECKING:
    from pytest_taubench.llm.provider import Role
    from pytest_taubench.plugin.collect.tasks import Collected
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


@dataclass(frozen=True)
class Asked:
    """A model that the trials of a run ask.

    Attributes:
        option: The option that asks for it.
        model_option: The option that names it.
        role: Who asks it.
        settings: The model, as far as it is known.
        speaks: False for an agent behind an address, which is no model to be asked anything.
    """

    option: str
    model_option: str
    role: Role
    settings: ModelSettings
    speaks: bool = True

    def __str__(self) -> str:
        """Return whose model it is, for messages."""
        name = f" {self.settings.name}" if self.settings.name else ""
        return f"the {self.role.partition('-')[0]}'s model{name}"


def asked_models(config: pytest.Config, collected: Callable[[], Iterable[object]]) -> list[Asked]:
    """Return the models; none where replies are replayed.

    Args:
        config: The config.
        collected: Gives the tasks and samples of the run.
    """
    return [] if config.stash[OPTIONS]["replay"] else models_of(config, collected)


def models_of(config: pytest.Config, collected: Callable[[], Iterable[object]]) -> list[Asked]:
    """Return the models, also where a recording answers for them; see asked_models."""
    return [*_of_agent(config), *_of_tasks(config, collected)]


def asking_in(session: pytest.Session) -> list[pytest.Item]:
    """Return the tests that ask for the agent."""
    return [each for each in session.items if "tau_agent" in getattr(each, "fixturenames", ())]


def collected_by(item: pytest.Item) -> Collected | None:
    """Return the task or sample that a test runs, or None where only the test itself knows."""
    return getattr(item, "collected", None)


def _of_agent(config: pytest.Config) -> Iterator[Asked]:
    from pytest_taubench.agents.loading import BUILT_IN

    agent = default_agent(config)
    if agent is None:
        return
    settings = run_settings(config.stash[OPTIONS]).agent_model
    if agent.target is not None:
        if config.stash[OPTIONS]["proxy"]:
            yield Asked("agent", "agent-model", "agent-sdk", settings)
    elif agent.name in BUILT_IN.keys() - ASK_NO_MODEL:
        yield Asked("agent", "agent-model", "agent", settings)
    elif agent.name.startswith(("http://", "https://")):
        at = settings.model_copy(update={"base_url": agent.name})
        yield Asked("agent", "agent-model", "agent", at, speaks=False)


def _of_tasks(config: pytest.Config, collected: Callable[[], Iterable[object]]) -> Iterator[Asked]:
    """Yield what only τ tasks need: the user and those who judge."""
    from pytest_taubench.users.loading import BUILT_IN

    settings, faults = run_settings(config.stash[OPTIONS]), fault_model(config.stash[OPTIONS])
    user = default_user(config).name in BUILT_IN.keys() - ASK_NO_MODEL
    if not (user or faults or settings.judge_model.name):
        return
    # Which task a Python test runs is not known.
    tasks = [each for each in collected() if each is None or hasattr(each, "task")]
    if user and tasks:
        yield Asked("user", "user-model", "user", settings.user_model)
    if settings.judge_model.name and any(each is None or needs_judge(each) for each in tasks):
        yield Asked("judge-model", "judge-model", "judge", settings.judge_model)
    if faults and tasks:
        yield Asked("attribute", "attribute", "judge", faults)
