"""A task: one annotated instance of either benchmark, as its file states it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from pytest_taubench.schema.script import Script

RewardComponent = Literal["database", "outputs", "actions", "nl_assertions"]
OutputMatch = Literal["value", "substring"]


class Action(BaseModel):
    """One tool call of the annotation.

    Attributes:
        name: The tool's name.
        arguments: Its arguments; the paper's files call them ``kwargs``.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    name: str
    arguments: dict[str, Any] = Field(
        default_factory=dict, validation_alias=AliasChoices("arguments", "kwargs")
    )


class Task(BaseModel):
    """One τ-bench task (arXiv 2406.12045, section 3).

    Attributes:
        id: Unique within its file; part of the test id.
        domain: The domain's name, or a path to a domain folder.
        instruction: What the simulated user wants and knows.
        actions: The annotated actions, whose final database is the gold one.
        outputs: What the agent must have told the user.
        user_id: The user's key in the database, where the annotation gives it. In a task file it
            must be the key of some record, where the domain has a table ``users``.
        reward_basis: The components whose product is the reward.
        output_match: ``value`` compares numbers and words; ``substring`` is the paper's rule.
        max_steps: A step cap of the task's own, in agent actions.
        marks: pytest marks put on the task's items.
        script: What the scripted user knows and says.
        notes: For people; lint reads answers in it, as ``lint(SUBJECT): reason``.
        nl_assertions: Statements a judge model grades, where the basis asks for them.
        ignore_failing_gold: Keep the reference's rule that a gold action that fails is passed
            over; set by the interop alone, and said in the record.
        source: Where the task comes from, for people: a file, or a data folder and index.
    """

    model_config = ConfigDict(extra="forbid")

    id: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    instruction: str = Field(min_length=1)
    actions: list[Action] = Field(default_factory=list)
    outputs: list[str] = Field(default_factory=list)
    user_id: str | None = None
    reward_basis: list[RewardComponent] = Field(default=["database", "outputs"], min_length=1)
    output_match: OutputMatch = "value"
    max_steps: int | None = Field(default=None, ge=1)
    marks: list[str] = Field(default_factory=list)
    script: Script | None = None
    notes: str | None = None
    nl_assertions: list[str] = Field(default_factory=list)
    ignore_failing_gold: bool = False
    source: str | None = None
