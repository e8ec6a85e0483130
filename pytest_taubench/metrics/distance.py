"""How far failed trials were from their annotation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from pytest_taubench.metrics.summary import suite_label
from pytest_taubench.schema import TrialRecord

DISTANCES = ("node_f1", "edge_f1", "ned", "t_f1", "v_f1")
"""The metrics of a τ trial's write actions, by their names in records."""


@dataclass(frozen=True)
class Distance:
    """The means of the failed trials of one suite.

    Attributes:
        suite: The suite.
        failed: Scored trials of reward 0 whose write actions were compared.
        means: Mean of each metric over them.
    """

    suite: str
    failed: int
    means: dict[str, float]


def distance_of_failed(records: Iterable[TrialRecord]) -> list[Distance]:
    """Return how far the failed τ trials of each suite were, suites without any left out."""
    suites: dict[str, list[TrialRecord]] = {}
    for record in records:
        if record.kind == "tau" and record.reward == 0 and DISTANCES[0] in record.metrics:
            suites.setdefault(suite_label(record), []).append(record)
    return [_distance(suite, failed) for suite, failed in suites.items()]


def _distance(suite: str, failed: Sequence[TrialRecord]) -> Distance:
    means = {name: fmean(each.metrics[name] for each in failed) for name in DISTANCES}
    return Distance(suite, len(failed), means)
