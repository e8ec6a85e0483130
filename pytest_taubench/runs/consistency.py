"""What a record must say so that figures may rest on it: nothing that it contradicts itself."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_taubench.schema import TrialRecord
from pytest_taubench.schema.record import GraphCounts

_OF_A_SCORE = ("nodes", "edges", "names", "values", "similarity", "graph", "zero")


class _Graph(BaseModel):
    """What reports and figures read of a plan's record."""

    model_config = ConfigDict(extra="allow")

    request: str | None = None
    type: str | None = None
    dependency: str | None = None
    gold: dict[str, Any] | None = None
    prediction: dict[str, Any] | None = None
    faults: list[str]
    counts: GraphCounts


def refuse_contradiction(record: TrialRecord) -> None:
    """Raise ValueError where a record cannot be what a trial left, with what contradicts what."""
    if record.outcome == "unscored":
        if record.reward is not None:
            raise ValueError(f"reward: {record.reward:g}, but the trial is unscored")
        return
    if record.reward is None:
        raise ValueError("reward: missing, but the trial is scored; expected 0 or 1")
    if not record.ending.scored:
        raise ValueError(f"outcome: scored, but a trial that ended by {record.ending} is unscored")
    expected = _reward_of(record)
    if expected is not None and record.reward != expected:
        raise ValueError(
            f"reward: {record.reward:g}, but ending and components make it {expected:g}"
        )
    if record.graph:  # without its plan a record is in no figure of plans, and is named
        _refuse_unread_graph(record)


def _reward_of(record: TrialRecord) -> float | None:
    """Return the reward that the rest of the record implies, or None where it implies none."""
    from pytest_taubench.reward.reward import counted

    if not record.ending.terminated:
        return 0.0
    components = counted(record.components)
    return float(all(each.value == 1 for each in components)) if components else None


def _refuse_unread_graph(record: TrialRecord) -> None:
    try:
        counts = _Graph.model_validate(record.graph).counts
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(["graph", *map(str, fault["loc"])])
        raise ValueError(f"{place}: {fault['msg']}") from None
    given = [name for name in _OF_A_SCORE if getattr(counts, name) is not None]
    if given and len(given) < len(_OF_A_SCORE):
        missing = next(name for name in _OF_A_SCORE if name not in given)
        raise ValueError(f"graph.counts.{missing}: missing beside {', '.join(given)}")
