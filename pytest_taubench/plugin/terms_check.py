"""Checks, before the first trial, that each model of a run has the key and the price it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_taubench.plugin.options import origin_of
from pytest_taubench.plugin.stash import OPTIONS

if TYPE_CHECKING:
    from pytest_taubench.llm.endpoint import Endpoint
    from pytest_taubench.plugin.asked_models import Asked


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
    from pytest_taubench.llm.request_parts import parts_in

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
    from pytest_taubench.llm.endpoint import Endpoint
    from pytest_taubench.llm.keys import ServerKeys

    keys = ServerKeys(config.stash[OPTIONS]["base-url"])
    return keys.fit(asked.role, Endpoint.of(asked.settings))
