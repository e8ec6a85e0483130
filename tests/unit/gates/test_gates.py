"""Gates: how they are read, and what scored and missing trials decide."""

import re

import pytest
from record_factory import record, run_of

from pytest_taubench.gates.bounds import pass_bounds
from pytest_taubench.gates.decision import decide
from pytest_taubench.gates.outcome import decide_all
from pytest_taubench.gates.syntax import GateSyntaxError, parse_gate
from pytest_taubench.metrics.summary import task_key
from pytest_taubench.schema import Usage


def planned_of(records):
    plan = {}
    for each in records:
        plan[task_key(each)] = plan.get(task_key(each), 0) + 1
    return plan


def decision(text, records, planned=None, **more):
    plan = planned_of(records) if planned is None else planned
    return decide(parse_gate(text), records, plan, **more).decision


@pytest.mark.parametrize(
    ("text", "metric", "selector", "operator", "bound"),
    [
        ("pass^4 >= 0.6", "pass^4", None, ">=", 0.6),
        ("pass^1[airline]>=50%", "pass^1", "airline", ">=", 0.5),
        ("pass@2 > 0", "pass@2", None, ">", 0.0),
        ("node_f1[multimedia] >= 0.9", "node_f1", "multimedia", ">=", 0.9),
        ("cost_per_trial <= 0.05", "cost_per_trial", None, "<=", 0.05),
        ("unscored == 0", "unscored", None, "==", 0.0),
        ("pass^1 >= 100%", "pass^1", None, ">=", 1.0),
        ("steps <= 12.5", "steps", None, "<=", 12.5),
        ("pass^1 >= .5", "pass^1", None, ">=", 0.5),
        ("no regression within .05", "no regression", None, "", 0.05),
        ("no regression", "no regression", None, "", 0.0),
        ("no regression within 5%", "no regression", None, "", 0.05),
    ],
)
def test_a_gate_is_read(text, metric, selector, operator, bound):
    gate = parse_gate(text)
    assert (gate.metric, gate.selector, gate.operator) == (metric, selector, operator)
    assert gate.bound == pytest.approx(bound)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pass^4", "expected METRIC"),
        ("pass^0 >= 1", "k must be at least 1"),
        ("pass4 >= 1", "did you mean 'pass"),
        ("nod_f1 >= 1", "did you mean 'node_f1'"),
        ("pass^1 => 0.5", "expected METRIC"),
        ("pass^1 >= much", "expected METRIC"),
        ("pass^1 >= nan", "expected METRIC"),
        ("pass^1 >= inf", "expected METRIC"),
        ("pass^1 >= 50", "pass^1 lies between 0 and 1 (100%); did you mean 50%?"),
        ("pass@2 >= 101", "pass@2 lies between 0 and 1 (100%)"),
        ("reward >= 90", "did you mean 90%?"),
        ("node_f1[multimedia] >= 75.5", "did you mean 75.5%?"),
        ("ned <= -0.1", "ned lies between 0 and 1"),
        ("pass^1 >= 150%", "pass^1 lies between 0 and 1 (100%)"),
        ("no regression within 2", "a margin lies between 0 and 1 (100%); did you mean 2%?"),
        ("pass^1 > 1", "can never hold: pass^1 lies between 0 and 1; did you mean '>='?"),
        ("unscored <= 5%", "unscored is a number of trials and no share of them"),
        ("unscored <= 0.05", "expected a whole number, such as 'unscored <= 2'"),
        ("unscored < 0", "unscored is never below 0"),
        ("steps <= 50%", "steps is no share of anything"),
        ("cost_per_trial <= -1", "cost_per_trial is never below 0"),
        ("", "expected METRIC"),
    ],
)
def test_a_gate_that_cannot_be_read_says_what_was_expected(text, said):
    with pytest.raises(GateSyntaxError, match=re.escape(said)):
        parse_gate(text)


def test_a_full_run_decides_by_its_figure():
    records = run_of({"a": [1, 1], "b": [1, 0]})
    assert decision("pass^1 >= 0.75", records) == "holds"
    assert decision("pass^1 > 0.75", records) == "fails"
    assert decision("pass^2 == 0.5", records) == "holds"
    assert decision("pass@2 >= 1", records) == "holds"


def test_missing_trials_leave_open_what_they_could_change():
    # One of four trials is unscored: pass^1 ends at 0.5 or at 0.75.
    records = run_of({"a": [1, 1], "b": [0, None]})
    assert decision("pass^1 >= 0.5", records) == "holds"
    assert decision("pass^1 >= 0.8", records) == "fails"
    assert decision("pass^1 >= 0.6", records) == "cannot tell"
    assert decision("unscored == 0", records) == "fails"


def test_trials_that_never_ran_count_as_missing():
    records = [record("a", 1, 1)]
    plan = {task_key(records[0]): 4}
    assert pass_bounds(records, plan, "^", 1) == (0.25, 1.0)
    assert decision("pass^1 >= 0.9", records, plan) == "cannot tell"


def test_a_plan_of_fewer_trials_than_ran_is_not_believed():
    records = [record("a", 1, 1), record("a", 2, 0)]
    assert pass_bounds(records, {task_key(records[0]): 0}, "^", 1) == (0.5, 0.5)


def test_fewer_trials_than_k_cannot_tell():
    result = decide(parse_gate("pass^4 >= 0"), run_of({"a": [1, 1]}), {"x": 2})
    assert result.decision == "cannot tell"
    assert "needs 4 trials" in result.reason


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"a": 4, "b": 3}, "pass^4 needs 4 trials a task, and b has 3"),
        (
            {"a": 1, "b": 4, "c": 2, "d": 3},
            "pass^4 needs 4 trials a task, and a has 1, and 2 more have fewer than 4",
        ),
        ({"a": 3, "b": 2}, "pass^4 needs 4 trials a task, and no task has more than 3"),
        ({}, "pass^4 needs 4 trials a task, and no task has more than 0"),
    ],
)
def test_a_task_with_fewer_trials_than_k_is_named(plan, said):
    assert decide(parse_gate("pass^4 >= 0"), [], plan).reason == said


def test_equality_between_the_bounds_is_open():
    records = run_of({"a": [1, None], "b": [0, 0]})
    assert decision("pass^1 == 0.3", records) == "cannot tell"


def test_a_selector_picks_suite_or_domain_and_an_unknown_one_names_those_there_are():
    records = run_of({"a": [1]}) + run_of({"b": [0]}, suite="other", domain="other")
    assert decision("pass^1[shop] >= 1", records) == "holds"
    assert decision("pass^1[other] >= 1", records) == "fails"
    result = decide(parse_gate("pass^1[shp] >= 1"), records, {})
    assert (result.decision, "did you mean 'shop'?" in result.reason) == ("cannot tell", True)
    result = decide(parse_gate("no regression[shp]"), records, {})
    assert (result.decision, "did you mean 'shop'?" in result.reason) == ("cannot tell", True)
    result = decide(parse_gate("pass^1[zzz] >= 1"), records, {})
    assert "there are other, shop" in result.reason


def test_a_task_that_never_ran_belongs_to_the_suite_of_its_file():
    records = run_of({"a": [1]}) + run_of({"b": [1]}, suite="other", domain="other")
    plan = {**planned_of(records), "tasks/shop/a.tau.yaml::never": 1}
    assert decision("pass^1[shop] >= 0.6", records, plan) == "cannot tell"
    assert decision("pass^1[other] >= 0.6", records, plan) == "holds"


def test_the_cost_of_a_run_is_unknown_where_one_trials_is():
    known = {"agent": Usage(cost=0.02), "user": Usage(cost=0.01)}
    records = [record("a", 1, 1, usage=known), record("a", 2, 1, usage=known)]
    assert decision("cost_per_trial <= 0.031", records) == "holds"
    assert decision("cost_per_trial <= 0.029", records) == "fails"
    partly = [*records, record("a", 3, 1, usage={"agent": Usage(cost=None)})]
    assert decision("cost_per_trial <= 1", partly) == "cannot tell"


def test_no_regression_fails_only_on_what_the_data_support():
    good = run_of({f"t{i}": [1] * 4 for i in range(10)})
    bad = run_of({f"t{i}": [0] * 4 for i in range(10)})
    hurt = run_of({f"t{i}": [1, 1, 1, int(i > 0)] for i in range(10)})
    assert decision("no regression", bad, baseline=good) == "fails"
    assert decision("no regression", good, baseline=good) == "holds"
    result = decide(parse_gate("no regression"), hurt, {}, baseline=good)
    assert (result.decision, "cannot tell" in result.reason) == ("holds", True)
    assert decision("no regression", good, baseline=None) == "cannot tell"


def test_what_did_not_run_leaves_every_gate_open_that_it_could_change():
    good = run_of({f"t{i}": [1] * 4 for i in range(7)})
    plan, first = planned_of(good), good[:1]
    for text in ("unscored == 0", "reward >= 0.9", "steps <= 9", "no regression", "pass^1 >= 0.9"):
        (result,) = decide_all([parse_gate(text)], first, plan, baseline=good)
        assert result.decision == "cannot tell", text
    assert decision("trials >= 1", first, plan) == "holds"
    assert decision("reward >= 0", first, plan) == "holds"


def test_unscored_trials_leave_no_regression_open_where_they_could_make_one():
    good = run_of({f"t{i}": [1] * 4 for i in range(8)})
    few = run_of({f"t{i}": [1, 1, 1, None if i == 0 else 1] for i in range(8)})
    many = run_of({f"t{i}": [1, None, None, None] for i in range(8)})
    bad = run_of({f"t{i}": [0, 0, 0, None] for i in range(8)})
    verdicts = [
        decide_all([parse_gate("no regression")], run, planned_of(run), baseline=good)[0].decision
        for run in (few, many, bad)
    ]
    assert verdicts == ["holds", "cannot tell", "fails"]


def test_tasks_of_which_nothing_ran_may_be_of_any_domain():
    records = run_of({"a": [1]})
    plan = {**planned_of(records), "tasks/later/b.tau.yaml::b": 1}
    assert decision("pass^1[shop] >= 0.9", records, plan) == "cannot tell"


@pytest.mark.parametrize(("tasks", "verdict"), [(4, "cannot tell"), (5, "fails")])
def test_no_regression_cannot_be_told_of_tasks_too_few_to_show_one(tasks, verdict):
    # Where every task broke, one of 2 ** tasks patterns of signs is as bad: 0.0625 of 4 tasks.
    good = run_of({f"t{i}": [1] * 4 for i in range(tasks)})
    bad = run_of({f"t{i}": [0] * 4 for i in range(tasks)})
    assert decision("no regression", bad, baseline=good) == verdict


def test_each_task_is_held_to_the_bound_and_not_their_mean():
    records = run_of({"a": [1, 1, 1, 1], "b": [1, 1, 1, 1], "c": [0, 0, 0, 1]})
    assert decision("pass^1 >= 0.5", records) == "holds"
    assert decision("each task >= 50%", records) == "fails"
    assert decision("each task >= 0.25", records) == "holds"
    reason = decide(parse_gate("each task >= 50%"), records, planned_of(records)).reason
    assert "the lowest pass^1 of 3 tasks is 0.250" in reason
    assert "::c" in reason


def test_a_task_that_may_still_reach_the_bound_leaves_it_open():
    records = run_of({"a": [1, 1], "b": [0, None]})
    assert decision("each task >= 50%", records) == "cannot tell"
    assert decision("each task >= 60%", records) == "fails"


def test_one_task_of_eight_that_breaks_fails_the_gate_on_broken_tasks():
    # Fisher: 4 of 4 against 0 of 4 has p = 2 / C(8, 4) = 0.029; the mean of eight shows nothing.
    before = run_of({f"t{i}": [1] * 4 for i in range(8)})
    after = run_of({f"t{i}": [int(i > 0)] * 4 for i in range(8)})
    plan = planned_of(after)
    result = decide(parse_gate("broke <= 0"), after, plan, before)
    assert (result.decision, result.value) == ("fails", 1)
    assert "1 of 8 tasks broke" in result.reason
    assert decide(parse_gate("no regression"), after, plan, before).decision == "holds"
    assert decide(parse_gate("broke <= 0"), before, plan, before).decision == "holds"


def test_of_three_trials_a_side_no_task_can_be_said_to_have_broken():
    run = run_of({"a": [1] * 3})
    result = decide(parse_gate("broke <= 0"), run, planned_of(run), run)
    assert (result.decision, "fewer than 4 trials" in result.reason) == ("cannot tell", True)
    alone = decide(parse_gate("broke <= 0"), run, planned_of(run))
    assert (alone.decision, alone.reason) == ("cannot tell", "there is no run to compare with")


@pytest.mark.parametrize(
    "text", ["each task <= 0.5", "broke <= 50%", "broke <= -1", "broke <= 0.5"]
)
def test_a_bound_that_such_a_metric_cannot_have_is_refused(text):
    with pytest.raises(GateSyntaxError):
        parse_gate(text)
