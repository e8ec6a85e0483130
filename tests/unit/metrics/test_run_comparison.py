"""What two runs are said to differ by, on runs whose difference is known."""

import random

import pytest
from record_factory import run_of

from pytest_taubench.metrics.comparison import Baseline, compare
from pytest_taubench.metrics.intervals import interval_of_mean
from pytest_taubench.metrics.significance import detectable_difference, trials_needed
from pytest_taubench.report.wording import run_comparison_lines
from pytest_taubench.schema import RunInfo, RunSettings


def simulated(rates, trials, rng):
    return run_of(
        {f"t{i}": [int(rng.random() < p) for _ in range(trials)] for i, p in enumerate(rates)}
    )


def test_equal_runs_differ_by_nothing():
    run = run_of({f"t{i}": [1, 0] for i in range(10)})
    comparison = compare(run, run)
    pass_1 = comparison.differences["pass^1"]
    assert (pass_1.value, pass_1.p_value) == (0.0, 1.0)
    assert comparison.verdict == "cannot tell", "a drop too small to show may be there"
    assert (comparison.broke, comparison.mended, comparison.flicker) == ([], [], [])


def test_a_plain_loss_is_a_regression_and_the_broken_tasks_are_named():
    before = run_of({f"t{i}": [1] * 4 for i in range(12)})
    after = run_of({f"t{i}": [0] * 4 if i < 8 else [1] * 4 for i in range(12)})
    comparison = compare(before, after)
    assert comparison.verdict == "regression"
    assert comparison.differences["pass^1"].value == pytest.approx(-8 / 12)
    assert [task[-2:] for task in comparison.broke] == [f"t{i}" for i in range(8)]
    assert compare(after, before).mended == comparison.broke


def test_one_task_that_lost_one_trial_only_flickers_and_nothing_can_be_told():
    before = run_of({f"t{i}": [1] * 4 for i in range(12)})
    after = run_of({f"t{i}": [1, 1, 1, int(i > 0)] for i in range(12)})
    comparison = compare(before, after)
    assert comparison.verdict == "cannot tell"
    assert (comparison.broke, len(comparison.flicker)) == ([], 1)


def test_the_sign_flip_p_value_is_the_exact_one_for_few_tasks():
    # Five tasks that all fell by 1: of the 32 sign patterns one is as low as the one seen.
    before = run_of({f"t{i}": [1, 1] for i in range(5)})
    after = run_of({f"t{i}": [0, 0] for i in range(5)})
    pass_1 = compare(before, after).differences["pass^1"]
    assert pass_1.p_worse == pytest.approx(1 / 32)
    assert pass_1.p_value == pytest.approx(2 / 32)


def test_only_a_rise_that_the_test_shows_is_no_regression_without_a_margin():
    # One task of 40 rose: half of all patterns of signs are as high.
    before = run_of({f"t{i}": [1, 0, 1, 0] for i in range(40)})
    one_better = run_of({f"t{i}": [1, int(i == 0), 1, 0] for i in range(40)})
    all_better = run_of({f"t{i}": [1, 1, 1, 0] for i in range(40)})
    assert compare(before, one_better).verdict == "cannot tell"
    assert compare(before, all_better).verdict == "no regression"


def test_runs_that_always_pass_do_not_show_a_drop_to_be_smaller_than_any_margin():
    # No sign of five differences of 0 can flip; yet two tasks of five may well fail elsewhere.
    run = run_of({f"t{i}": [1] for i in range(5)})
    assert compare(run, run, margin=0.001).verdict == "cannot tell"


def test_few_trials_a_side_show_of_no_task_that_it_broke_and_that_is_said():
    # Fisher: 3 of 3 against 0 of 3 has p = 2 / C(6, 3) = 0.1; 4 against 0 has 2 / C(8, 4) = 0.029.
    three = compare(run_of({"a": [1] * 3}), run_of({"a": [0] * 3}))
    four = compare(run_of({"a": [1] * 4}), run_of({"a": [0] * 4}))
    assert (three.broke, len(three.flicker)) == ([], 1)
    assert any("fewer than 4 trials a side" in warning for warning in three.warnings)
    assert (len(four.broke), four.warnings) == (1, [])


def test_a_margin_forgives_a_drop_that_is_shown_to_be_smaller():
    rng = random.Random(5)
    rates = [0.8] * 150
    before, after = simulated(rates, 8, rng), simulated([0.78] * 150, 8, rng)
    assert compare(before, after, margin=0.1).verdict == "no regression"
    assert compare(before, simulated([0.5] * 150, 8, rng), margin=0.1).verdict == "regression"


def test_only_common_tasks_are_compared_and_the_others_are_counted():
    before = run_of({"a": [1, 1], "b": [1, 1]})
    after = run_of({"b": [1, 1], "c": [0, 0], "d": [0, 0]})
    comparison = compare(before, after)
    assert comparison.differences["pass^1"].tasks == 1
    assert comparison.warnings[:2] == [
        "1 task is only in the first run and left out",
        "2 tasks are only in the second run and left out",
    ]


def test_changed_annotations_and_users_are_said():
    before = run_of({"a": [1]}, task_hash="1", user="scripted")
    after = run_of({"a": [1]}, task_hash="2", user="llm")
    text = " | ".join(compare(before, after).warnings)
    assert "annotation of 1 task changed, and they are left out" in text
    assert "users differ: scripted against llm" in text


def test_a_task_whose_annotation_changed_is_no_pair():
    # Its gold was emptied, and an agent that does nothing passes it now: that mends nothing.
    before = [*run_of({"a": [0] * 4}, task_hash="1"), *run_of({"b": [1] * 4}, task_hash="b")]
    after = [*run_of({"a": [1] * 4}, task_hash="2"), *run_of({"b": [0] * 4}, task_hash="b")]
    comparison = compare(before, after)
    assert (len(comparison.broke), comparison.mended) == (1, [])
    assert comparison.differences["pass^1"].tasks == 1
    assert comparison.warnings[0].startswith("the annotation of 1 task changed")


def test_where_every_annotation_changed_nothing_can_be_told():
    run = [run_of({f"t{i}": [1] for i in range(9)}, task_hash=mark) for mark in "12"]
    comparison = compare(*run)
    assert (comparison.verdict, comparison.differences) == ("cannot tell", {})


def test_a_run_of_before_hashes_is_compared_as_ever():
    old = run_of({"a": [1]}, task_hash="")
    assert compare(old, run_of({"a": [1]}, task_hash="1")).differences["pass^1"].tasks == 1


def test_no_common_task_can_tell_nothing():
    comparison = compare(run_of({"a": [1]}), run_of({"b": [1]}))
    assert comparison.verdict == "cannot tell"
    assert comparison.differences == {}
    assert comparison.detectable is None
    named = [text for text in comparison.warnings if text.startswith("no task is in both")]
    assert [("::a," in text, text.endswith("::b")) for text in named] == [(True, True)]


def test_unscored_trials_are_left_out_and_counted():
    comparison = compare(run_of({"a": [1, None]}), run_of({"a": [1, 1]}))
    assert comparison.differences["pass^1"].after == 1.0
    assert "1 trial of the first run is unscored and left out" in comparison.warnings


def test_the_detectable_difference_is_that_of_the_normal_approximation():
    # 100 tasks of rate 1/2 on both sides with 4 trials: each estimate of p(1-p) is 1/3 of
    # 4/3 * 1/4, the noise of a difference 2 * (1/3) / 4 = 1/6, and (1.960 + 0.842) * sqrt(1/600).
    counts = [(4, 2, 4, 2)] * 100
    assert detectable_difference(counts) == pytest.approx(2.8016 * (1 / 600) ** 0.5, rel=1e-3)


def test_the_trials_needed_are_those_that_make_the_difference_detectable():
    counts = [(4, 2, 4, 2)] * 100
    needed = trials_needed(counts, 0.05)
    assert detectable_difference(counts, needed) <= 0.05 < detectable_difference(counts, needed - 1)


def test_no_number_of_trials_makes_up_for_tasks_that_differ():
    counts = [(8, 8, 8, 0), (8, 0, 8, 8)] * 5
    assert trials_needed(counts, 0.1) is None


def test_an_interval_is_the_same_for_the_same_seed_and_holds_the_mean():
    values = [0.7, 0.1, 0.9, 0.4, 0.5, 0.2]
    first, second = interval_of_mean(values, seed=1), interval_of_mean(values, seed=1)
    assert first == second
    assert first.low < sum(values) / len(values) < first.high


def test_the_interval_does_not_depend_on_the_order_of_the_tasks():
    values = [0.0, 0.25, 0.25, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0, 0.5, 0.25, 0.0]
    assert interval_of_mean(values) == interval_of_mean(sorted(values, reverse=True))


def test_unanimous_tasks_have_the_exact_binomial_interval():
    # All of n passed: the lower end of Clopper-Pearson is 0.025 ** (1 / n).
    interval = interval_of_mean([1.0] * 20)
    assert (interval.low, interval.high) == (pytest.approx(0.025 ** (1 / 20)), 1.0)


def test_few_tasks_have_students_interval():
    # Of 1, 1, 0 the mean is 2/3 and the standard error 1/3; t(2) is 4.303 at 97.5%.
    interval = interval_of_mean([1.0, 1.0, 0.0])
    assert (interval.low, interval.high) == (0.0, 1.0)
    interval = interval_of_mean([0.5, 0.6, 0.7])
    assert interval.high == pytest.approx(0.6 + 4.303 * 0.1 / 3**0.5, abs=1e-3)


@pytest.mark.parametrize("tasks", [5, 10])
def test_the_interval_covers_the_truth_also_of_few_tasks(tasks):
    # Tasks drawn from Beta(2, 1.5), whose mean is 4/7; 4 trials each. The plain bootstrap covers
    # it in 0.88 of such suites of five tasks. 300 of them have a standard error of 0.013.
    rng = random.Random(tasks)
    covered = 0
    for _ in range(300):
        rates = [rng.betavariate(2, 1.5) for _ in range(tasks)]
        values = [sum(rng.random() < rate for _ in range(4)) / 4 for rate in rates]
        interval = interval_of_mean(values)
        covered += interval.low <= 4 / 7 <= interval.high
    assert covered / 300 >= 0.915


def test_one_task_has_no_interval():
    assert interval_of_mean([0.5]) is None


def test_the_order_in_which_trials_finished_changes_nothing():
    old = run_of({f"t{i}": [i % 2, 1, 1] for i in range(30)})
    new = run_of({f"t{i}": [i % 3 > 0, 1, 0] for i in range(30)})
    assert compare(old[::-1], new[::-1]).differences == compare(old, new).differences


def test_runs_that_do_not_differ_have_an_interval_around_nothing():
    # Where 10 tasks of 10 are equal, at most 1 - 0.025 ** (1 / 10) = 0.308 of all tasks differ.
    run = run_of({f"t{i}": [1, 1] for i in range(10)})
    interval = compare(run, run).differences["pass^1"].interval
    assert interval.low == pytest.approx(-0.3085, abs=1e-4)
    assert interval.high == pytest.approx(0.3085, abs=1e-4)


def test_tasks_that_all_broke_have_an_interval_that_begins_there():
    before = run_of({f"t{i}": [1, 1] for i in range(10)})
    after = run_of({f"t{i}": [0, 0] for i in range(10)})
    interval = compare(before, after).differences["pass^1"].interval
    assert interval.low == -1.0
    assert interval.high == pytest.approx(-1 + 2 * 0.3085, abs=1e-4)


def test_tasks_that_are_all_half_right_are_not_known_exactly():
    # At most 0.308 of all tasks differ, and those pass always or never.
    interval = interval_of_mean([0.5] * 10)
    assert interval.low == pytest.approx(0.5 - 0.3085 / 2, abs=1e-4)
    assert interval.high == pytest.approx(0.5 + 0.3085 / 2, abs=1e-4)


def test_fewer_tasks_than_the_test_can_tell_apart_detect_nothing():
    # All five signs alike: 2 of 32 patterns, p 0.0625; of six 2 of 64, p 0.031.
    assert detectable_difference([(4, 4, 4, 0)] * 5) is None
    assert trials_needed([(4, 2, 4, 2)] * 5, 0.5) is None
    assert detectable_difference([(4, 2, 4, 2)] * 6) is not None


def test_runs_without_a_failure_detect_no_less_than_six_lost_trials():
    # Six signs alike are the least that shows anything: six tasks of 50 that lost 1 trial of 4.
    counts = [(4, 4, 4, 4)] * 50
    assert detectable_difference(counts) == pytest.approx(6 / 200)
    assert trials_needed(counts, 0.01) == 12


@pytest.mark.parametrize(
    ("started", "fields", "said"),
    [
        ("2025-03-01T23:00:00Z", {}, "the same day"),
        ("2025-03-01T09:00:00Z", {"commit": "1a2b3c4d5e"}, "1 day before, at commit 1a2b3c4"),
        (
            "2025-02-20T10:00:00Z",
            {"commit": "1a2b3c4d5e", "dirty": True},
            "10 days before, at commit 1a2b3c4 with uncommitted changes",
        ),
        ("2025-03-09T10:00:00Z", {"dirty": False}, "on 2025-03-09"),
        ("some day", {}, "on some day"),
    ],
)
def test_a_baseline_says_how_old_it_is_and_of_what_commit(started, fields, said):
    def info(when, **more):
        return RunInfo(run_id="r", started=when, settings=RunSettings(), **more)

    baseline = Baseline("main", [], info(started, **fields))
    assert baseline.made(info("2025-03-02T10:00:00Z")) == said


def test_tasks_that_changed_are_told_with_their_counts_the_worst_first():
    before = run_of({"a": [1] * 8, "b": [1] * 8, "c": [0] * 8})
    after = run_of({"a": [1, 1] + [0] * 6, "b": [0] * 8, "c": [1] * 8})
    lines = run_comparison_lines(compare(before, after))
    told = [line.strip() for line in lines if " of 8" in line]
    assert [line.partition("  ")[0] for line in told] == [
        "8 of 8 → 0 of 8",
        "8 of 8 → 2 of 8",
        "0 of 8 → 8 of 8",
    ]
