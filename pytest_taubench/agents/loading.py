"""From what ``--tau-agent`` or a fixture gives to something that makes one agent a trial."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pytest_taubench.agents.protocol import Agent, AgentContext
from pytest_taubench.agents.shapes import EXPECTED, AgentShapeError, is_planner, maker_of
from pytest_taubench.agents.tool_calling import ToolCallingAgent
from pytest_taubench.errors import TauBenchError
from pytest_taubench.object_reference import (
    UnresolvedReferenceError,
    looks_like_reference,
    resolve_reference,
)
from pytest_taubench.text.names import meant
from pytest_taubench.text.secrets import url_holds_secret


def endpoint_factory(url: str) -> Callable[[AgentContext], Agent]:
    """Return what makes a tool-calling agent at that URL.

    The model is the one that ``--tau-agent-model`` names, else the one the endpoint lists.
    """

    def make(context: AgentContext) -> Agent:
        settings = context.model.model_copy(update={"base_url": url})
        return ToolCallingAgent(dataclasses.replace(context, model=settings))

    return make


BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "act": "pytest_taubench.agents.react:make_act",
        "few-shot": "pytest_taubench.agents.few_shot:make_few_shot",
        "oracle": "",
        "react": "pytest_taubench.agents.react:make_react",
        "silent": "pytest_taubench.agents.silent:make_silent",
        "tool-calling": "pytest_taubench.agents.tool_calling:make_tool_calling",
    }
)
"""Factories of the built-in agents, imported when asked for. The oracle needs gold, so the
trial makes it itself."""

DEFAULT_ATTRIBUTES = ("agent", "Agent", "make_agent", "create_agent", "plan")


class AgentSpecError(TauBenchError):
    """``--tau-agent`` names no agent; the message says what was expected."""


@dataclass(frozen=True)
class AgentSource:
    """Makes the agent of each trial.

    Attributes:
        name: The agent's name, for records and the header.
        make: Makes one trial's agent.
        target: The object the user gave, for benchmarks that want another shape of it.
        oracle: True for the oracle, which the trial makes with gold instead.
    """

    name: str
    make: Callable[[AgentContext], Agent]
    target: object = None
    oracle: bool = False


def load_agent(spec: str, rootdir: Path) -> AgentSource:
    """Return the agent that ``--tau-agent`` names.

    Args:
        spec: A built-in name, a module, ``module:attribute``, ``file.py:attribute``, or the URL
            of an OpenAI-compatible endpoint.
        rootdir: Where files and modules are looked for.

    Raises:
        AgentSpecError: With the nearest built-in name, or what went wrong on import.
    """
    if spec == "oracle":
        return AgentSource("oracle", _oracle_is_made_by_the_trial, oracle=True)
    if spec in BUILT_IN:
        return AgentSource(spec, _imported(BUILT_IN[spec]))
    if spec.startswith(("http://", "https://")):
        if secret := url_holds_secret(spec):
            raise AgentSpecError(f"expected an address without {secret} for the agent")
        return AgentSource(spec, endpoint_factory(spec))
    try:
        target = resolve_reference(spec, rootdir, DEFAULT_ATTRIBUTES)
        return adapt_agent(target, spec)
    except (UnresolvedReferenceError, AgentShapeError) as error:
        raise AgentSpecError(f"{error}{_near_built_in(spec)}") from error


def adapt_agent(target: object, name: str | None = None) -> AgentSource:
    """Return the source of an agent given as an object: by a fixture, a hook or a reference.

    Raises:
        AgentShapeError: The object has none of the accepted shapes.
    """
    if isinstance(target, AgentSource):
        return target
    shown: str = name or getattr(target, "__name__", None) or type(target).__name__
    make = _cannot_converse(shown) if is_planner(target) else maker_of(target, shown)
    return AgentSource(shown, make, target=target)


def _cannot_converse(name: str) -> Callable[[AgentContext], Agent]:
    def make(context: AgentContext) -> Agent:
        raise AgentSpecError(
            f"agent {name!r} is a planner of TaskBench samples, plan(request, tools), which a "
            f"τ task cannot use; {EXPECTED}"
        )

    return make


def _imported(path: str) -> Callable[[AgentContext], Agent]:
    module, _, attribute = path.partition(":")

    def make(context: AgentContext) -> Agent:
        factory: Callable[[AgentContext], Agent] = getattr(
            importlib.import_module(module), attribute
        )
        return factory(context)

    return make


def _oracle_is_made_by_the_trial(context: AgentContext) -> Agent:
    raise AgentSpecError("the oracle plays the annotation, which no context carries")


def _near_built_in(spec: str) -> str:
    if looks_like_reference(spec):
        return ""
    names = ", ".join(BUILT_IN)
    return meant(spec, BUILT_IN, f"built-in agents are {names}")
