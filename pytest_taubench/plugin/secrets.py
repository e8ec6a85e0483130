"""Keeps keys out of what is written."""

from __future__ import annotations

import re
from typing import Any

from pytest_taubench.schema import ModelSettings, RunSettings

_SECRET = re.compile(r"key|token|secret|passw|authoriz|credential", re.IGNORECASE)
_NOT_SECRET = re.compile(r"tokens$|^max_", re.IGNORECASE)
_HIDDEN = "(hidden)"


def without_secrets(settings: RunSettings) -> RunSettings:
    """Return the settings with the values hidden of arguments whose name speaks of a secret."""
    return settings.model_copy(
        update={
            "agent_model": _hidden(settings.agent_model),
            "user_model": _hidden(settings.user_model),
            "judge_model": _hidden(settings.judge_model),
        }
    )


def _hidden(model: ModelSettings) -> ModelSettings:
    return model.model_copy(update={"args": _without(model.args)})


def _without(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _shown(name, value) for name, value in values.items()}


def _shown(name: str, value: Any) -> Any:
    if _SECRET.search(name) and not _NOT_SECRET.search(name):
        return _HIDDEN
    return _without(value) if isinstance(value, dict) else value
