"""pytest-taubench: run agent benchmark tasks as pytest tests.

The public API. Names are imported when they are first used, since the plugin is loaded in
every pytest run of an environment that has it installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_taubench.agents.loading import AgentSource, adapt_agent, load_agent
    from pytest_taubench.agents.protocol import Agent, AgentContext
    from pytest_taubench.environment.arithmetic import evaluate
    from pytest_taubench.environment.check_domain import check_domain
    from pytest_taubench.environment.database import Database, Overlay
    from pytest_taubench.environment.domain import Domain, load_domain
    from pytest_taubench.environment.environment import Environment
    from pytest_taubench.environment.tool import Tool, tool
    from pytest_taubench.errors import (
        AgentError,
        DomainError,
        InfrastructureError,
        TaskFileError,
        TauBenchError,
        ToolError,
    )
    from pytest_taubench.metrics import pass_at_k, pass_hat_k, summarize
    from pytest_taubench.schema import Action, Ending, Message, RunSettings, Task, TrialRecord
    from pytest_taubench.trial.tau_trial import GoldStates, TrialSpec, run_trial
    from pytest_taubench.users.loading import UserSource, adapt_user, load_user
    from pytest_taubench.users.protocol import User, UserContext, UserTurn

_HOMES = {
    "agents.loading": ("AgentSource", "adapt_agent", "load_agent"),
    "agents.protocol": ("Agent", "AgentContext"),
    "environment.check_domain": ("check_domain",),
    "environment.domain": ("Domain", "load_domain"),
    "environment.arithmetic": ("evaluate",),
    "environment.database": ("Database", "Overlay"),
    "environment.environment": ("Environment",),
    "environment.tool": ("Tool", "tool"),
    "errors": (
        "AgentError",
        "DomainError",
        "InfrastructureError",
        "TaskFileError",
        "TauBenchError",
        "ToolError",
    ),
    "metrics": ("pass_at_k", "pass_hat_k", "summarize"),
    "schema": ("Action", "Ending", "Message", "RunSettings", "Task", "TrialRecord"),
    "trial.tau_trial": ("GoldStates", "TrialSpec", "run_trial"),
    "users.loading": ("UserSource", "adapt_user", "load_user"),
    "users.protocol": ("User", "UserContext", "UserTurn"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Action",
    "Agent",
    "AgentContext",
    "AgentError",
    "AgentSource",
    "Database",
    "Domain",
    "DomainError",
    "Ending",
    "Environment",
    "GoldStates",
    "InfrastructureError",
    "Message",
    "Overlay",
    "RunSettings",
    "Task",
    "TaskFileError",
    "TauBenchError",
    "Tool",
    "ToolError",
    "TrialRecord",
    "TrialSpec",
    "User",
    "UserContext",
    "UserSource",
    "UserTurn",
    "adapt_agent",
    "adapt_user",
    "check_domain",
    "evaluate",
    "load_agent",
    "load_domain",
    "load_user",
    "pass_at_k",
    "pass_hat_k",
    "run_trial",
    "summarize",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
