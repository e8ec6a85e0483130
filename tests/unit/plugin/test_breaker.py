"""When failing endpoints end a run, from records alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_taubench.plugin.run.breaker import Breaker
from pytest_taubench.schema import Ending, ErrorInfo, TrialRecord


def trial(task: str, error: str | None = "EndpointFailedError") -> TrialRecord:
    return TrialRecord(
        nodeid=f"{task}[trial-1]",
        suite="s",
        domain="d",
        task_id=task,
        task_hash=f"hash of {task}",
        trial=1,
        outcome="scored" if error is None else "unscored",
        reward=None if error else 1.0,
        ending=Ending.MODEL_ERROR if error else Ending.USER_STOP,
        error=ErrorInfo(type=error, message="500") if error else None,
    )


def items(*tasks: str) -> list[Any]:
    def collected(task: str) -> Any:
        return SimpleNamespace(annotation_hash=lambda: f"hash of {task}")

    return [SimpleNamespace(collected=collected(task)) for task in tasks for _ in range(4)]


def after(trials: list[TrialRecord], run: list[Any]) -> int | None:
    """The number of trials after which the run ends, or None."""
    breaker = Breaker()
    for count, record in enumerate(trials, 1):
        if breaker.take(record, run):
            return count
    return None


RUN = items("a", "b", "c", "d")


@pytest.mark.parametrize("error", ["EndpointFailedError", "EndpointRefusedError"])
def test_three_trials_of_three_tasks_that_had_no_reply_end_the_run(error: str) -> None:
    assert after([trial(task, error) for task in "abcd"], RUN) == 3


@pytest.mark.parametrize("error", ["EndpointFailedError", "EndpointRefusedError"])
def test_one_task_that_makes_the_server_fail_each_time_does_not(error: str) -> None:
    assert after([trial("a", error)] * 9, RUN) is None
    assert after([trial("a", error), trial("b", error)] * 9, RUN) is None


def test_a_third_task_ends_it_whenever_it_comes_in_the_row() -> None:
    assert after([trial(task) for task in "aaabac"], RUN) == 6


@pytest.mark.parametrize("between", [None, "InfrastructureError"])
def test_a_trial_that_was_answered_begins_a_new_row(between: str | None) -> None:
    row = [trial("a"), trial("b"), trial("c", between)]
    assert after(row * 5, RUN) is None


@pytest.mark.parametrize(
    ("tasks", "trials", "ends_after"),
    [("ab", "aaaaa", None), ("ab", "abab", 3), ("a", "aaaa", 3)],
    ids=["one of two", "both of two", "the only one"],
)
def test_a_run_of_fewer_tasks_ends_when_all_of_them_gave_up(
    tasks: str, trials: str, ends_after: int | None
) -> None:
    assert after([trial(task) for task in trials], items(*tasks)) == ends_after


def test_where_nothing_listens_the_task_does_not_matter() -> None:
    assert after([trial("a", "EndpointDownError")] * 9, RUN) == 3


def test_a_test_in_python_may_run_any_number_of_tasks() -> None:
    python = [SimpleNamespace(fixturenames=["tau_run", "tau_agent"])]
    assert after([trial("a")] * 9, python) is None
    assert after([trial(task) for task in "abc"], python) == 3


FAILED, REFUSED = "EndpointFailedError", "EndpointRefusedError"


@pytest.mark.parametrize(
    ("errors", "came_of_it"),
    [
        ((FAILED, FAILED, FAILED), "gave up on"),
        ((REFUSED, REFUSED, REFUSED), "were refused by"),
        ((REFUSED, FAILED, REFUSED), "gave up on"),
    ],
)
def test_the_message_says_how_many_of_how_many_and_why(
    errors: tuple[str, ...], came_of_it: str
) -> None:
    breaker = Breaker()
    trials = [trial(task, error) for task, error in zip("abc", errors, strict=True)]
    said = [breaker.take(record, RUN) for record in trials]
    why = f"3 in a row, of 3 tasks, {came_of_it} their model's endpoint: 500"
    assert said == [None, None, f"no trial can succeed: {why}"]


MANY = items(*"abcdefghijkl")


def test_ten_trials_of_ten_tasks_that_were_refused_after_their_first_turn_end_the_run() -> None:
    assert after([trial(task, "RequestRefusedError") for task in "abcdefghijkl"], MANY) == 10


def test_a_filter_that_refuses_nine_prompts_in_a_row_does_not() -> None:
    row = [*(trial(task, "RequestRefusedError") for task in "abcdefghi"), trial("j", None)]
    assert after(row * 5, MANY) is None


def test_nor_does_one_that_refuses_the_same_nine_tasks_in_each_trial() -> None:
    assert after([trial(task, "RequestRefusedError") for task in "abcdefghi"] * 4, MANY) is None


def test_a_run_of_fewer_tasks_ends_when_all_of_them_are_refused_ten_trials_long() -> None:
    refused = [trial(task, "RequestRefusedError") for task in "abc" * 5]
    assert after(refused, items(*"abc")) == 10
    assert after(refused, items(*"abcd")) is None


def test_such_a_refusal_makes_no_row_of_three_with_other_failures() -> None:
    row = [trial("a"), trial("b"), trial("c", "RequestRefusedError")]
    assert after(row * 5, MANY) is None


def test_any_failure_of_the_endpoint_goes_on_with_a_row_of_ten() -> None:
    errors = ["RequestRefusedError", "EndpointFailedError"] * 5
    row = [trial(task, error) for task, error in zip("abcdefghij", errors, strict=True)]
    assert after(row, MANY) == 10
