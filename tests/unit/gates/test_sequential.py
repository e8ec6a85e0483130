"""The sequential test of pass^1, and which gates are settled before the run's end."""

import random

import pytest
from record_factory import record, run_of

from pytest_taubench.gates.outcome import is_settled
from pytest_taubench.gates.sequential import decide_sequentially, evidence_above
from pytest_taubench.gates.syntax import parse_gate
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import Usage


def plan_of(records, trials):
    return {task_key(each): trials for each in records}


def test_evidence_is_the_mean_likelihood_ratio():
    # One pass against b = 1/2: the mean of q / b over q in (1/2, 1) is (3/4) / (1/2).
    assert evidence_above(1, 1, 0.5) == pytest.approx(1.5)
    # One failure: the mean of (1 - q) / (1 - b) is (1/4) / (1/2).
    assert evidence_above(0, 1, 0.5) == pytest.approx(0.5)
    # No trial says nothing.
    assert evidence_above(0, 0, 0.3) == pytest.approx(1.0)


def test_the_expected_evidence_at_the_bound_is_one():
    # Three trials of rate b: the sum over their eight outcomes.
    b = 0.3
    weights = {0: (1 - b) ** 3, 1: 3 * b * (1 - b) ** 2, 2: 3 * b * b * (1 - b), 3: b**3}
    assert sum(w * evidence_above(s, 3, b) for s, w in weights.items()) == pytest.approx(1.0)


def test_unlike_tasks_with_the_same_mean_give_less_evidence():
    # Rates 0 and 1 against a bound of 1/2: one pass and one failure, for sure.
    assert evidence_above(1, 2, 0.5) < 1


def test_plain_results_decide_and_middling_ones_do_not():
    gate = parse_gate("pass^1 >= 0.5")
    good = run_of({f"t{i}": [1] for i in range(20)})
    bad = run_of({f"t{i}": [0] for i in range(20)})
    even = run_of({f"t{i}": [i % 2] for i in range(20)})
    plan = plan_of(good, 8)
    assert decide_sequentially(gate, good, plan, 0.05).decision == "holds"
    assert decide_sequentially(gate, bad, plan, 0.05).decision == "fails"
    assert decide_sequentially(gate, even, plan, 0.05) is None
    assert decide_sequentially(parse_gate("pass^1 <= 0.5"), bad, plan, 0.05).decision == "holds"


def test_what_is_missing_of_a_round_counts_against_the_decision():
    gate = parse_gate("pass^1 >= 0.5")
    passed = run_of({f"t{i}": [1] for i in range(10)})
    alone, among_many = (
        plan_of(passed, 8),
        {**plan_of(passed, 8), **{f"x{i}": 8 for i in range(20)}},
    )
    assert decide_sequentially(gate, passed, alone, 0.05).decision == "holds"
    assert decide_sequentially(gate, passed, among_many, 0.05) is None


@pytest.mark.parametrize("text", ["pass^2 >= 0.5", "pass^1 == 0.5", "reward >= 0.5", "pass^1 >= 1"])
def test_other_gates_are_not_decided_so(text):
    records = run_of({f"t{i}": [1] for i in range(20)})
    assert decide_sequentially(parse_gate(text), records, plan_of(records, 8), 0.05) is None


def test_the_error_is_at_most_what_was_asked_for_however_tasks_differ():
    # True pass^1 is exactly the bound, so any decision "above" is an error.
    rng, errors, runs = random.Random(0), 0, 400
    rates = [0.1, 0.9] * 10
    for _ in range(runs):
        passed = 0
        for done in range(1, 9):
            passed += sum(rng.random() < rate for rate in rates)
            if evidence_above(passed, done * len(rates), 0.5) >= 1 / 0.05:
                errors += 1
                break
    # 3.1 standard errors above 0.05 of 400.
    assert errors <= 33


def test_counts_and_means_are_settled_once_nothing_can_change_them():
    records = run_of({"a": [1, None], "b": [0]})
    plan = plan_of(records, 2)  # one trial to come
    assert is_settled(parse_gate("unscored == 0"), records, plan)
    assert is_settled(parse_gate("unscored <= 2"), records, plan)
    assert not is_settled(parse_gate("unscored <= 1"), records, plan)
    assert not is_settled(parse_gate("trials == 4"), records, plan)
    assert is_settled(parse_gate("trials < 4.5"), records, plan)
    # Of four trials one passed and two may yet be found to have: 1/4 to 3/4.
    assert is_settled(parse_gate("reward >= 0.25"), records, plan)
    assert is_settled(parse_gate("reward >= 0.8"), records, plan)
    assert not is_settled(parse_gate("reward >= 0.5"), records, plan)


def test_a_cost_can_only_be_found_too_high():
    records = [record("a", 1, 1, usage={"agent": Usage(cost=1.0)})]
    plan = plan_of(records, 2)
    # The mean ends at 0.5 or above.
    assert is_settled(parse_gate("cost_per_trial <= 0.4"), records, plan)
    assert not is_settled(parse_gate("cost_per_trial <= 0.9"), records, plan)


def test_a_suite_is_not_settled_before_all_its_tasks_are_known():
    records = run_of({"a": [1]})
    plan = {**plan_of(records, 1), "tasks/shop/other.tau.yaml::x": 1}
    assert not is_settled(parse_gate("pass^1[shop] >= 0.1"), records, plan)
    assert is_settled(parse_gate("pass^1 >= 0.1"), records, plan)


def test_a_regression_in_a_part_that_has_run_is_not_settled_before_the_end():
    records = run_of({"a": [1, 1]}) + run_of({"b": [1]}, suite="other", domain="other")
    assert not is_settled(parse_gate("no regression[shop]"), records, plan_of(records, 2))
