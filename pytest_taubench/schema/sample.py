"""A TaskBench sample: one annotated request and its tool invocation graph."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class PassBar(BaseModel):
    """The bar a sample's item passes at, where it is not the exact graph."""

    model_config = ConfigDict(extra="forbid")

    metric: str
    at_least: float


class Sample(BaseModel):
    """One TaskBench sample (arXiv 2311.18760), with the published field names.

    Attributes:
        id: Unique within its file.
        domain: The tool graph's name, or a path to its folder.
        type: ``single``, ``chain`` or ``dag``.
        n_tools: How many tools the gold graph has.
        sampled_nodes: The sampled tools.
        sampled_links: The sampled edges.
        user_request: What the user asks.
        task_steps: The steps in words.
        task_nodes: ``{task, arguments}`` a tool call.
        task_links: ``{source, target}`` an edge.
        seed: The seed it was sampled with.
    """

    model_config = ConfigDict(extra="forbid")

    id: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    type: Literal["single", "chain", "dag"] | None = None
    n_tools: int | None = None
    sampled_nodes: list[Any] = Field(default_factory=list)
    sampled_links: list[Any] = Field(default_factory=list)
    user_request: str = Field(min_length=1)
    task_steps: list[str] = Field(default_factory=list)
    task_nodes: list[dict[str, Any]] = Field(default_factory=list)
    task_links: list[dict[str, Any]] = Field(default_factory=list)
    seed: int | None = None
    marks: list[str] = Field(default_factory=list)
    pass_bar: PassBar | None = None
    notes: str | None = None
    source: str | None = None
