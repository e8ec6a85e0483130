"""The figures of a run, on records written by hand."""

import random

import pytest
from record_factory import record, run_of

from pytest_taubench.metrics import DuplicateTrialError, summarize
from pytest_taubench.schema import Ending


def test_no_records_have_no_figures_and_no_division_error():
    assert summarize([]) == []


def test_one_missing_trial_leaves_pass_1_at_the_average_reward():
    # KNOWN_FAULTS 24: a harness that took n from the largest task printed 0.625 here.
    records = [record("a", 1, 1), record("a", 2, 1), record("b", 1, 1)]
    [suite] = summarize(records)
    assert suite.average_reward == 1.0
    assert suite.pass_hat[1].value == 1.0
    assert (suite.pass_hat[2].value, suite.pass_hat[2].tasks) == (1.0, 1)


def test_rows_of_one_trial_are_refused_by_name():
    # KNOWN_FAULTS 24: three such rows once gave a pass^1 of 3.0.
    records = [record("a", 1, 1), record("a", 1, 1), record("a", 2, 0)]
    with pytest.raises(DuplicateTrialError, match=r"a\.tau\.yaml::a trial 1"):
        summarize(records)


def test_unscored_trials_are_in_no_figure_but_their_own_count():
    # KNOWN_FAULTS 25: an infrastructure error is out of the average and out of pass^1 alike.
    records = [
        record("a", 1, 1),
        record("a", 2, None, ending=Ending.MODEL_ERROR),
        record("b", 1, 0),
        record("b", 2, 1),
    ]
    [suite] = summarize(records)
    assert (suite.trials, suite.scored, suite.unscored) == (4, 3, 1)
    assert suite.average_reward == pytest.approx(2 / 3)
    assert suite.pass_hat[1].value == pytest.approx((1.0 + 0.5) / 2)
    assert (suite.pass_hat[2].value, suite.pass_hat[2].tasks) == (0.0, 1)
    assert suite.endings == {"user_stop": 3, "model_error": 1}


def test_a_task_that_passes_and_fails_is_flaky_and_one_that_never_passes_is_failing():
    records = run_of({"a": [1, 0], "b": [0, 0]})
    [suite] = summarize(records)
    assert [task.task_id for task in suite.flaky] == ["a"]
    assert [task.task_id for task in suite.failing] == ["b"]


def test_a_task_without_a_scored_trial_is_not_failing():
    [suite] = summarize([record("a", 1, None, ending=Ending.WORKER_CRASH)])
    assert suite.failing == []
    assert suite.average_reward is None
    assert (suite.pass_hat[1].value, suite.pass_hat[1].tasks) == (None, 0)


def test_suites_are_apart_and_named_with_their_domain_where_it_differs():
    records = [record("a", 1, 1), record("a", 1, 0, suite="graphs", domain="sound")]
    assert [suite.name for suite in summarize(records)] == ["graphs/sound", "shop"]


def test_figures_and_their_order_do_not_depend_on_how_records_came_in():
    rewards = {f"t{n}": [1, 0, n % 2] for n in range(12)} | {f"f{n}": [0, 0] for n in (10, 9, 2)}
    records = run_of(rewards)
    [suite] = summarize(records)
    assert [task.task_id for task in suite.flaky] == [f"t{n}" for n in range(12)]
    assert [task.task_id for task in suite.failing] == ["f2", "f9", "f10"]
    [shuffled] = summarize(random.Random(1).sample(records, len(records)))
    assert shuffled == suite
    assert shuffled.interval(seed=3) == suite.interval(seed=3)


def test_k_goes_up_to_the_most_trials_that_any_task_has_whatever_their_numbers():
    [alone] = summarize([record("a", 9, 1)])
    assert list(alone.pass_hat) == [1]
    [uneven] = summarize([*run_of({"a": [1, 1, 0]}), record("b", 4, 1), record("b", 7, None)])
    assert list(uneven.pass_hat) == [1, 2, 3]


def test_k_that_unscored_trials_made_impossible_is_there_and_not_estimated():
    [suite] = summarize([record("a", 1, 1), record("a", 2, None), record("a", 3, None)])
    assert {k: estimate.value for k, estimate in suite.pass_hat.items()} == {1: 1, 2: None, 3: None}


def test_what_unscored_trials_could_make_of_pass_1_stands_beside_it():
    # It passes a and b; c and d, which it would fail, it leaves unscored: 1.000 over two tasks.
    (suite,) = summarize(run_of({"a": [1, 1], "b": [1, 1], "c": [None, None], "d": [1, None]}))
    assert suite.pass_hat[1].value == 1.0
    assert suite.pass_1_ends == ((1 + 1 + 0 + 0.5) / 4, 1.0)
    (whole,) = summarize(run_of({"a": [1, 0]}))
    assert whole.pass_1_ends is None
