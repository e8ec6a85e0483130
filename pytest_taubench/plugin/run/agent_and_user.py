"""The agent and the user of a run, as the hooks or the options give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.errors import TauBenchError
from pytest_taubench.plugin.options.values import OPTIONS, given_on_command_line, origin_of

if TYPE_CHECKING:
    from pytest_taubench.agents.loading import AgentSource
    from pytest_taubench.users.loading import UserSource

_AGENT: pytest.StashKey[AgentSource | None] = pytest.StashKey()


_USER: pytest.StashKey[UserSource] = pytest.StashKey()


NO_AGENT = (
    "no agent to test: pass --tau-agent=AGENT (e.g. --tau-agent=oracle), set tau_agent in the "
    "ini file, or define a tau_agent fixture"
)


ASK_NO_MODEL = frozenset({"oracle", "silent", "human", "scripted"})
"""The built-in agents and users that need none; all others do."""


def default_agent(config: pytest.Config) -> AgentSource | None:
    """Return the agent that the hook or the option gives, or None where neither does.

    Raises:
        pytest.UsageError: The option names no agent.
    """
    if _AGENT not in config.stash:
        config.stash[_AGENT] = _find_agent(config)
    return config.stash[_AGENT]


def agent_of(item: pytest.Item, given: object) -> object:
    """Return the agent of a test's trials: the one that was typed before the project's own.

    Args:
        item: The test.
        given: What its ``tau_agent`` fixture gave. One made of the plugin's own fixture of that
            name is made of what was typed, and stands.
    """
    if not given_on_command_line(item.config, "agent"):
        return given
    definitions: dict[str, Any] = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    if "tau_agent" in definitions["tau_agent"][-1].argnames:
        return given
    return default_agent(item.config)


def default_user(config: pytest.Config) -> UserSource:
    """Return the user that the hook or the option gives.

    Raises:
        pytest.UsageError: The option names no user.
    """
    if _USER not in config.stash:
        config.stash[_USER] = _find_user(config)
    return config.stash[_USER]


def _find_agent(config: pytest.Config) -> AgentSource | None:
    spec: str = config.stash[OPTIONS]["agent"] or ""
    made = config.hook.pytest_taubench_make_agent(config=config, spec=spec)
    if made is None and not spec:
        return None
    from pytest_taubench.agents.loading import adapt_agent, load_agent

    try:
        return load_agent(spec, config.rootpath) if made is None else adapt_agent(made, spec)
    except TauBenchError as error:
        raise pytest.UsageError(f"{origin_of(config, 'agent')}: {error}") from error


def _find_user(config: pytest.Config) -> UserSource:
    from pytest_taubench.users.loading import adapt_user, load_user

    spec: str = config.stash[OPTIONS]["user"]
    made = config.hook.pytest_taubench_make_user(config=config, spec=spec)
    try:
        return load_user(spec, config.rootpath) if made is None else adapt_user(made, spec)
    except TauBenchError as error:
        raise pytest.UsageError(f"{origin_of(config, 'user')}: {error}") from error
