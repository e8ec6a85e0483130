"""How far failed trials were."""

from __future__ import annotations

from typing import Any

from pytest_taubench.report.taskeval_table import render_distances
from pytest_taubench.schema import Ending, TrialRecord
from pytest_taubench.taskbench.records import DISTANCES, distance_of_failed


def record(number: int, reward: float | None, value: float, **fields: Any) -> TrialRecord:
    return TrialRecord(
        nodeid=f"x::{number}[trial-1]",
        suite="shop",
        domain="shop",
        task_id=str(number),
        trial=1,
        outcome="unscored" if reward is None else "scored",
        reward=reward,
        ending=Ending.USER_STOP,
        metrics=dict.fromkeys(DISTANCES, value),
        **fields,
    )


def test_only_failed_trials_of_tasks_count():
    records = [
        record(1, 0.0, 0.5),
        record(2, 0.0, 1.0),
        record(3, 1.0, 1.0),
        record(4, None, 0.0),
        record(5, 0.0, 0.0, kind="graph"),
    ]
    (found,) = distance_of_failed(records)
    assert (found.suite, found.failed) == ("shop", 2)
    assert found.means == dict.fromkeys(DISTANCES, 0.75)


def test_the_table_is_in_percent_and_empty_without_failures():
    lines = render_distances(distance_of_failed([record(1, 0.0, 0.25)])).splitlines()
    assert lines[1].split() == ["failed", "n-F1", "e-F1", "NED", "t-F1", "v-F1"]
    assert lines[2].split() == ["shop", "1", *["25.00"] * 5]
    assert render_distances(distance_of_failed([record(1, 1.0, 1.0)])) == ""


def test_a_record_that_lost_one_of_its_metrics_is_left_out():
    damaged = record(1, 0.0, 0.25)
    del damaged.metrics["edge_f1"]
    assert distance_of_failed([damaged]) == []
