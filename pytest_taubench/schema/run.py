"""A run: settings, versions and what its domains were made of, kept beside its records."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Trials = Annotated[int, Field(ge=0, le=100_000)]
"""Trials of one task: gates look at each that has not run."""


class DomainFingerprint(BaseModel):
    """A domain's parts, each as a hash, so that a change can be told by the part that changed.

    A hash is of content alone, without paths, times or line ends, so that it is the same on every
    machine. An empty one says nothing: the domain has no such part, or it could not be read.

    Attributes:
        name: The domain's name.
        place: Where its data lie, seen from the root directory; empty for a bundled domain. It
            tells two domains of one name apart.
        policy: Of ``policy.md``.
        tools: Of ``tools.py`` and the modules beside it that it imports.
        database: Of ``db/*``.
        tool_graph: Of the tools and edges, where the domain is a tool graph.
    """

    model_config = ConfigDict(extra="forbid")

    name: str
    place: str = ""
    policy: str = ""
    tools: str = ""
    database: str = ""
    tool_graph: str = ""


class ModelSettings(BaseModel):
    """Which model one role talks to.

    Attributes:
        name: The model's name as its endpoint knows it.
        base_url: The endpoint, or None for the client's default.
        args: Sampling settings, passed through only when set.
    """

    model_config = ConfigDict(extra="forbid")

    name: str | None = None
    base_url: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)


class RunSettings(BaseModel):
    """The settings that decide what a run's figures mean.

    Attributes:
        agent: The agent as given.
        user: The user as given.
        agent_model: The agent's model.
        user_model: The user's model.
        trials: Trials a task.
        seed: The run's seed.
        max_steps: The step cap, in agent actions.
        timeout: Seconds a trial may take, or None.
        policy: False under ``--tau-no-policy``.
        shots: Solved samples that model planners are shown.
        judge_model: The model that grades assertions; without a name where there is none.
        think: False under ``--tau-no-think``.
        examples: A digest of the example conversations of ``--tau-examples``, or None.
    """

    model_config = ConfigDict(extra="forbid")

    agent: str = ""
    user: str = "scripted"
    agent_model: ModelSettings = Field(default_factory=ModelSettings)
    user_model: ModelSettings = Field(default_factory=ModelSettings)
    trials: Trials = Field(default=1, ge=1)
    seed: int = 0
    max_steps: int = Field(default=30, ge=1)
    timeout: float | None = None
    policy: bool = True
    shots: int = Field(default=0, ge=0)
    judge_model: ModelSettings = Field(default_factory=ModelSettings)
    think: bool = True
    examples: str | None = None


class Shard(BaseModel):
    """Which part of a run this one is.

    Attributes:
        number: Its number, from 1.
        of: How many parts there are.
        balanced_by: The run whose durations balance the parts, and a digest of these; None where
            number alone does. Parts that were made by different durations overlap.
    """

    model_config = ConfigDict(extra="forbid")

    number: int = Field(ge=1)
    of: int = Field(ge=1)
    balanced_by: str | None = None


class RunInfo(BaseModel):
    """What ``run.json`` holds.

    Attributes:
        run_id: The folder's name.
        started: ISO time, UTC.
        settings: See RunSettings.
        versions: Of Python, pytest and this package.
        commit: The git commit of the root directory, where there is one.
        task_hashes: Hash of each task by its id without the trial, filled as records come.
        domains: What the domains of the trials that ran were made of; empty in older runs.
        planned: Trials planned a task, by its id without the trial.
        shard: Which part of a run this is, under ``--tau-shard``.
        resumed: When the run was gone on with, as ISO times.
    """

    model_config = ConfigDict(extra="forbid")

    run_id: str
    started: str
    settings: RunSettings
    versions: dict[str, str] = Field(default_factory=dict)
    commit: str | None = None
    task_hashes: dict[str, str] = Field(default_factory=dict)
    domains: list[DomainFingerprint] = Field(default_factory=list)
    planned: dict[str, Trials] = Field(default_factory=dict)
    shard: Shard | None = None
    resumed: list[str] = Field(default_factory=list)
