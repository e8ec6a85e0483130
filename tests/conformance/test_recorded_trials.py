"""100 recorded trials of a model on the reference's airline tasks, graded anew."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from pytest_taubench.commands.cli import main


@pytest.fixture(scope="module")
def file(upstream: Path) -> Path:
    return upstream / "tau-bench" / "trajectories" / "gpt-4o-airline-trials-0-1.json"


@pytest.fixture(scope="module")
def recorded(file: Path) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def rescored(file: Path, upstream: Path) -> dict[str, Any]:
    with redirect_stdout(StringIO()) as out:
        status = main(["rescore", str(file), "--tau-data", str(upstream / "tau-bench"), "--json"])
    assert status == 0
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


def test_all_hundred_rewards_are_the_recorded_ones(
    recorded: list[dict[str, Any]], rescored: dict[str, Any]
) -> None:
    expected = {(trial["task_id"], trial["trial"]): trial["reward"] for trial in recorded}
    found = {(trial["task_id"], trial["trial"]): trial["reward"] for trial in rescored["trials"]}
    assert len(expected) == 100
    assert found == expected
    assert rescored["files"][0]["same_reward_as_recorded"] == 100


def _chance_that_all_pass(rewards: Iterable[float], k: int) -> float:
    """Count, over every choice of k trials of a task, how often all of them passed."""
    return mean(all(reward == 1 for reward in chosen) for chosen in combinations(rewards, k))


def test_pass_k_is_what_counting_gives(
    recorded: list[dict[str, Any]], rescored: dict[str, Any]
) -> None:
    rewards: dict[int, list[float]] = {}
    for trial in recorded:
        rewards.setdefault(trial["task_id"], []).append(trial["reward"])
    counted = {k: mean(_chance_that_all_pass(r, k) for r in rewards.values()) for k in (1, 2)}
    assert rescored["pass_k"] == pytest.approx({"1": counted[1], "2": counted[2]}, abs=1e-12)
    assert rescored["pass_k"]["1"] == pytest.approx(0.43, abs=1e-12)  # the recorded average
    assert rescored["pass_k_tasks"] == {"1": 50, "2": 50}
    assert rescored["average_reward"] == pytest.approx(0.43, abs=1e-12)


def test_the_trials_without_reward_info_are_those_the_step_cap_ended(
    recorded: list[dict[str, Any]], rescored: dict[str, Any]
) -> None:
    capped = {
        (trial["task_id"], trial["trial"])
        for trial in recorded
        if trial["info"]["reward_info"] is None
    }
    found = {
        (trial["task_id"], trial["trial"])
        for trial in rescored["trials"]
        if trial["ending"] == "max_steps"
    }
    assert len(capped) == 2
    assert found == capped
    transfers = sum(
        trial["traj"][-1].get("name") == "transfer_to_human_agents" for trial in recorded
    )
    assert Counter(trial["ending"] for trial in rescored["trials"]) == {
        "user_stop": 100 - 2 - transfers,
        "transfer": transfers,
        "max_steps": 2,
    }


def test_components_are_the_recorded_ones_where_the_record_has_them(
    recorded: list[dict[str, Any]], rescored: dict[str, Any]
) -> None:
    found = {(trial["task_id"], trial["trial"]): trial for trial in rescored["trials"]}
    compared = 0
    for trial in recorded:
        info = (trial["info"]["reward_info"] or {}).get("info", {})
        graded = found[trial["task_id"], trial["trial"]]
        if "r_actions" in info:  # what the reference calls the comparison of databases
            assert graded["database"] == info["r_actions"]
            compared += 1
        if "r_outputs" in info:
            assert graded["outputs"] == info["r_outputs"]
            compared += 1
    assert compared >= 98


def test_how_it_departs_from_the_reference_is_said(rescored: dict[str, Any]) -> None:
    text = "\n".join(rescored["notes"])
    for tool in ("update_reservation_flights", "search_onestop_flight", "cancel_reservation"):
        assert f"Departs from the reference: {tool}" in text
    assert "info.task" in text
