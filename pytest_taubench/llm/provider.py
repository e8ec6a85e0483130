"""Who gives each role of each trial its model.

How a trial wires it: the plugin makes one ``ModelProvider`` per process (``OpenAIModels``, or a
recording or replaying one around it). For each trial ``run_trial`` puts
``provider.for_trial(task, trial)`` into ``options["models"]`` of the agent's and the user's context,
where ``task`` is a key unique in the run, e.g. ``suite/task-id``. Agents and users ask that for
their ``chat_model(role, settings)`` and close the model when they are closed. Where the option is
absent, they talk to the endpoint that settings and environment name. After the last trial
``provider.close()`` is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, Protocol

from pytest_taubench.llm.chat import ChatModel
from pytest_taubench.llm.endpoint import SECONDS_A_REQUEST, Endpoint, ServerKeys
from pytest_taubench.llm.openai_chat import Admission, OpenAIChatModel
from pytest_taubench.llm.prices import Pricer, price
from pytest_taubench.llm.retry import Backoff
from pytest_taubench.schema import ModelSettings

Role = Literal["agent", "agent-sdk", "user", "user-judge", "judge"]
"""Who asks; ``agent-sdk`` is an agent's own SDK behind the proxy, which sets what it wants itself,
and ``user-judge`` a user's model that judges what the user is about to say."""

ROLE_DEFAULTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "agent": {"temperature": 0},
        "agent-sdk": {},
        "user": {"temperature": 1},
        "user-judge": {"temperature": 1},
        "judge": {"temperature": 0},
    }
)
"""Sampling settings of the paper (arXiv 2406.12045, section 5), dropped for models that refuse them."""


class TrialModels(Protocol):
    """The models of one trial."""

    def chat_model(self, role: Role, settings: ModelSettings) -> ChatModel:
        """Return the model a role talks to; whoever asks closes it."""
        ...


class ModelProvider(Protocol):
    """The models of all trials of a process."""

    def for_trial(self, task: str, trial: int) -> TrialModels:
        """Return the models of one trial; the task's name is unique in the run."""
        ...

    def take_lost(self, task: str, trial: int) -> str:
        """Forget a trial that is over; return why its recording is not kept, empty where it is."""
        ...

    def close(self) -> None:
        """Release what the provider holds."""
        ...


class OpenAIModels:
    """Models behind OpenAI-compatible endpoints, the same ones for every trial.

    Args:
        admission: What each request passes through, e.g. ``SharedLimits(...).admit``.
        pricer: Gives the cost of a call.
        backoff: When to try again.
        timeout: Seconds one request may take.
        endpoint_of: Gives the endpoint of a role's settings.
        keys: Says which key that endpoint is sent; by default the one it has.
    """

    def __init__(
        self,
        *,
        admission: Admission | None = None,
        pricer: Pricer = price,
        backoff: Backoff | None = None,
        timeout: float = SECONDS_A_REQUEST,
        endpoint_of: Callable[[ModelSettings], Endpoint] | None = None,
        keys: ServerKeys | None = None,
    ) -> None:
        self._admission = admission
        self._pricer = pricer
        self._backoff = backoff
        self._endpoint_of = endpoint_of or (lambda settings: Endpoint.of(settings, timeout=timeout))
        self._keys = keys
        self._refused: dict[tuple[str | None, str | None], set[str]] = {}
        self._answered: dict[tuple[str | None, str | None], set[str]] = {}

    def for_trial(self, task: str, trial: int) -> OpenAIModels:
        """Return itself: no trial's models differ."""
        return self

    def take_lost(self, task: str, trial: int) -> str:
        """Return nothing: nothing is recorded."""
        return ""

    def chat_model(self, role: Role, settings: ModelSettings) -> OpenAIChatModel:
        """Return a model with connections of its own."""
        endpoint, served = self._endpoint_of(settings), (settings.base_url, settings.name)
        return OpenAIChatModel(
            settings,
            role=role,
            endpoint=self._keys.fit(role, endpoint) if self._keys else endpoint,
            defaults=ROLE_DEFAULTS[role],
            refused=self._refused.setdefault(served, set()),
            answered=self._answered.setdefault(served, set()),
            admission=self._admission,
            pricer=self._pricer,
            backoff=self._backoff,
        )

    def close(self) -> None:
        """Nothing is held: each model closes its own connections."""


class GivenModels:
    """Models given by role, for tests and examples."""

    def __init__(self, **models: ChatModel) -> None:
        self._models = models

    def for_trial(self, task: str, trial: int) -> GivenModels:
        """Return itself."""
        return self

    def take_lost(self, task: str, trial: int) -> str:
        """Return nothing: nothing is recorded."""
        return ""

    def chat_model(self, role: Role, settings: ModelSettings) -> ChatModel:
        """Return the model given for the role, or else for the side it is on."""
        return self._models.get(role) or self._models[role.partition("-")[0]]

    def close(self) -> None:
        """Nothing is held."""


def models_in(options: Mapping[str, Any]) -> TrialModels:
    """Return the models a context's options hold, or plain OpenAI-compatible ones."""
    models: TrialModels | None = options.get("models")
    return OpenAIModels() if models is None else models
