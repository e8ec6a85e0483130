"""Asks models, before the first trial, what else only a trial would find out, hours later maybe.

An agent's or a user's model that is named is asked in the first turn of the first trial. A judge
may have its first word after hours, and a model that nobody named may be one of several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import InfrastructureError, TauBenchError
from pytest_taubench.plugin.models import model_options, needs_judge
from pytest_taubench.plugin.options import fault_model, origin_of, run_settings
from pytest_taubench.plugin.sources import ASK_NO_MODEL, default_agent, default_user
from pytest_taubench.plugin.stash import OPTIONS

if TYPE_CHECKING:
    from pytest_taubench.llm.provider import OpenAIModels, Role
    from pytest_taubench.schema import ModelSettings

QUESTION = "This is a test of the connection. Answer with the one word: ready"

_SECONDS = 60.0


@dataclass(frozen=True)
class _Check:
    """A model to be asked.

    Attributes:
        option: The option that asks for it.
        role: Who will ask it.
        settings: The model.
        model_option: The option that would name it.
        speaks: False for an agent behind an address, which is no model to be asked anything.
    """

    option: str
    role: Role
    settings: ModelSettings
    model_option: str
    speaks: bool = True


def check_models(config: pytest.Config, collected: Callable[[], Iterable[object]]) -> None:
    """Refuse the run where a model cannot take part in it.

    An endpoint that is down is no reason to: it may come back, and trials that it leaves unscored
    are told apart from the rest. It is said, for the run may not be worth its start.

    Args:
        config: The config.
        collected: Gives the tasks and samples of the run.

    Raises:
        pytest.UsageError: Names the option and what the endpoint answered.
    """
    if config.stash[OPTIONS]["replay"]:
        return
    checks = [*_unnamed_agent(config), *_of_tasks(config, collected)]
    if not checks:
        return
    from pytest_taubench.llm.wiring import asked_models
    from pytest_taubench.plugin.engine import Engine

    models = asked_models(replace(model_options(config), timeout=_SECONDS))
    engine = Engine()
    try:
        for check in checks:
            _require(config, check, engine.submit(_ask(models, check)))
    finally:
        engine.close()


def _require(config: pytest.Config, check: _Check, asked: Future[None]) -> None:
    origin = origin_of(config, check.option)
    try:
        asked.result()
    except InfrastructureError as error:
        terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(f"{origin}: {error}", yellow=True)
    except TauBenchError as error:
        hint = "" if check.settings.name else f"; or pass --tau-{check.model_option}=MODEL"
        raise pytest.UsageError(f"{origin}: {error}{hint}") from error


def _unnamed_agent(config: pytest.Config) -> Iterator[_Check]:
    from pytest_taubench.agents.loading import BUILT_IN

    agent = default_agent(config)
    settings = run_settings(config.stash[OPTIONS]).agent_model
    if agent is None or agent.target is not None or settings.name:
        return
    if agent.name in BUILT_IN.keys() - ASK_NO_MODEL:
        yield _Check("agent", "agent", settings, "agent-model")
    elif agent.name.startswith(("http://", "https://")):
        at = settings.model_copy(update={"base_url": agent.name})
        yield _Check("agent", "agent", at, "agent-model", speaks=False)


def _of_tasks(config: pytest.Config, collected: Callable[[], Iterable[object]]) -> Iterator[_Check]:
    """Yield what only τ tasks need: the user and those who judge."""
    from pytest_taubench.users.loading import BUILT_IN

    settings, faults = run_settings(config.stash[OPTIONS]), fault_model(config.stash[OPTIONS])
    user = default_user(config).name
    asks = user in BUILT_IN.keys() - ASK_NO_MODEL and not settings.user_model.name
    if not (asks or faults or settings.judge_model.name):
        return
    # Which task a Python test runs is not known.
    tasks = [each for each in collected() if each is None or hasattr(each, "task")]
    if asks and tasks:
        yield _Check("user", "user", settings.user_model, "user-model")
    if settings.judge_model.name and any(each is None or needs_judge(each) for each in tasks):
        yield _Check("judge-model", "judge", settings.judge_model, "judge-model")
    if faults and tasks:
        yield _Check("attribute", "judge", faults, "attribute")


async def _ask(models: OpenAIModels, check: _Check) -> None:
    from pytest_taubench.llm.served_model import UNNAMED

    model = models.chat_model(check.role, check.settings)
    try:
        # Where the endpoint lists none, only an answer tells whether it takes the request.
        if check.settings.name or (await model.find_name() == UNNAMED and check.speaks):
            await model.complete([{"role": "user", "content": QUESTION}])
    finally:
        await model.close()
