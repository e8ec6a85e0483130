"""Asks models, before the first trial, what else only a trial would find out, hours later maybe.

An agent's or a user's model that is named is asked in the first turn of the first trial. A judge
may have its first word after hours, and a model that nobody named may be one of several.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import EndpointRefusedError, InfrastructureError, TauBenchError
from pytest_taubench.plugin.models import model_options
from pytest_taubench.plugin.options import origin_of
from pytest_taubench.plugin.stash import OPTIONS

if TYPE_CHECKING:
    from pytest_taubench.llm.provider import OpenAIModels
    from pytest_taubench.plugin.asked_models import Asked

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
    from pytest_taubench.plugin.engine import Engine

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
    from pytest_taubench.llm.served_model import UNNAMED

    model = models.chat_model(check.role, check.settings)
    try:
        # Where the endpoint lists none, only an answer tells whether it takes the request.
        if check.settings.name or (await model.find_name() == UNNAMED and check.speaks):
            await model.complete([{"role": "user", "content": QUESTION}])
    finally:
        await model.close()
