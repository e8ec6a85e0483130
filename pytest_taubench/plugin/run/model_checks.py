"""What the models that a run asks need, checked before the first trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import EndpointRefusedError, InfrastructureError, TauBenchError
from pytest_taubench.plugin.options.values import (
    OPTIONS,
    origin_of,
)
from pytest_taubench.plugin.run.asked_models import Asked
from pytest_taubench.plugin.run.models import model_options

if TYPE_CHECKING:
    from pytest_taubench.llm.endpoint import Endpoint
    from pytest_taubench.llm.provider import OpenAIModels


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
