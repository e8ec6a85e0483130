"""Which models a run asks and where; what they need is checked before the first trial."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import EndpointRefusedError, InfrastructureError, TauBenchError
from pytest_taubench.plugin.options.values import OptionValues, fault_model, origin_of, run_settings
from pytest_taubench.plugin.run.fixtures import ASK_NO_MODEL, default_agent, default_user
from pytest_taubench.plugin.run.models import model_options, needs_judge
from pytest_taubench.plugin.stash import OPTIONS

if TYPE_CHECKING:
    from pytest_taubench.llm.endpoint import Endpoint
    from pytest_taubench.llm.provider import OpenAIModels, Role
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


def check_terms(config: pytest.Config, asked: Sequence[Asked]) -> None:
    """Refuse the run where a model's key is missing, or its price that a cost limit rests on.

    Args:
        config: The config.
        asked: The models that its trials ask.

    Raises:
        pytest.UsageError: Names each model, and what to set.
    """
    checks = (_wrong_settings, _missing_keys, _missing_prices)
    for problems in (check(config, asked) for check in checks):
        if said := list(problems):
            raise pytest.UsageError(*said)


def _wrong_settings(config: pytest.Config, asked: Iterable[Asked]) -> Iterator[str]:
    from pytest_taubench.llm.reply import parts_in

    for each in asked:
        if says := parts_in(each.settings.args):
            option = each.model_option.replace("-model", "-arg")
            yield f"{origin_of(config, option)}: {says} (the model is named by --tau-{each.model_option})"


def _missing_keys(config: pytest.Config, asked: Iterable[Asked]) -> Iterator[str]:
    for each in asked:
        if says := _endpoint(config, each).key_problem(str(each)):
            yield f"{origin_of(config, each.option)}: {says}"


def _missing_prices(config: pytest.Config, asked: Iterable[Asked]) -> Iterator[str]:
    """Yield what is wrong; of a model that is not named yet the first call will tell."""
    if config.stash[OPTIONS]["max-cost"] is None:
        return
    from pytest_taubench.llm.prices import is_known, why_unknown

    for each in asked:
        name, endpoint = each.settings.name, _endpoint(config, each)
        # Behind the proxy an agent names a model of its own.
        if each.role == "agent-sdk" or name is None or is_known(name, endpoint.base_url):
            continue
        why = why_unknown(f"{each} at {endpoint}")
        yield f"{origin_of(config, 'max-cost')}: {why} ({origin_of(config, each.model_option)})"


def _endpoint(config: pytest.Config, asked: Asked) -> Endpoint:
    from pytest_taubench.llm.endpoint import Endpoint, ServerKeys

    keys = ServerKeys(config.stash[OPTIONS]["base-url"])
    return keys.fit(asked.role, Endpoint.of(asked.settings))


QUESTION = "This is a test of the connection. Answer with the one word: ready"

_SECONDS = 60.0
"""How long an answer is waited for where nobody said how long a request may take: it is short."""


def check_models(config: pytest.Config, asked: Iterable[Asked]) -> None:
    """Refuse the run where a model cannot take part in it.

    An endpoint that is down is no reason to: it may come back, and trials that it leaves unscored
    are told apart from the rest. It is said, for the run may not be worth its start.

    Args:
        config: The config.
        asked: The models that its trials ask.

    Raises:
        pytest.UsageError: Names the option and what the endpoint answered.
    """
    checks = [each for each in asked if _is_in_doubt(each)]
    if not checks:
        return
    from pytest_taubench.llm.wiring import asked_models
    from pytest_taubench.plugin.run.engine import Engine

    options = model_options(config)
    if config.stash[OPTIONS]["request-timeout"] is None:
        options = replace(options, timeout=_SECONDS)
    models = asked_models(options)
    engine = Engine()
    try:
        for check in checks:
            _require(config, check, engine.submit(_ask(models, check)))
    finally:
        engine.close()


def _is_in_doubt(asked: Asked) -> bool:
    """Return whether it may be long before a trial asks the model, or which one it is."""
    # Behind the proxy an agent names a model of its own.
    return asked.role == "judge" or (asked.settings.name is None and asked.role != "agent-sdk")


def _require(config: pytest.Config, check: Asked, asked: Future[None]) -> None:
    origin = origin_of(config, check.option)
    try:
        asked.result()
    except TauBenchError as error:
        down = isinstance(error, InfrastructureError) and not isinstance(
            error, EndpointRefusedError
        )
        if not down:
            hint = "" if check.settings.name else f"; or pass --tau-{check.model_option}=MODEL"
            raise pytest.UsageError(f"{origin}: {error}{hint}") from error
        terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(f"{origin}: {error}", yellow=True)


async def _ask(models: OpenAIModels, check: Asked) -> None:
    from pytest_taubench.llm.endpoint import UNNAMED

    model = models.chat_model(check.role, check.settings)
    try:
        # Where the endpoint lists none, only an answer tells whether it takes the request.
        if check.settings.name or (await model.find_name() == UNNAMED and check.speaks):
            await model.complete([{"role": "user", "content": QUESTION}])
    finally:
        await model.close()
