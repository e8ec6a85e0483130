"""Counts of faults and groups of trials, against counting by hand."""

import pytest
from record_factory import record

from pytest_taubench.metrics.breakdowns import (
    by_ending,
    by_gold_writes,
    count_faults,
    settings_warnings,
)
from pytest_taubench.report.figures import run_figures
from pytest_taubench.report.markdown import render_markdown
from pytest_taubench.report.run_json import run_report
from pytest_taubench.report.terminal import breakdown_text
from pytest_taubench.schema import (
    Attribution,
    Ending,
    Fault,
    ModelSettings,
    RunInfo,
    RunSettings,
    Verdict,
)

INFO = RunInfo(run_id="r", started="2026-01-01T00:00:00Z", settings=RunSettings(agent="mine"))


def why(*kinds, paper=None, whose=""):
    """An attribution; whose=None is a model that did not say, "" is that none was asked."""
    return Attribution(
        classes=list(dict.fromkeys(kinds)),
        paper_class=paper,
        faults=[Fault(kind=kind, detail="...") for kind in kinds],
        model=None if whose == "" else Verdict(whose=whose, why="..."),
    )


def run():
    """Four tasks: a and b of no write, c and d of two; a passes twice, b once, c and d never."""
    wrong = why("wrong_argument", "wrong_argument", paper="wrong_argument", whose="agent")
    lost = why("early_stop", "missing_action", whose="user")
    none = why("missing_action", "wrong_argument", paper="wrong_argument", whose=None)
    capped = {"ending": Ending.MAX_STEPS}
    return [
        record("a", 1, 1, gold_writes=0),
        record("a", 2, 1, gold_writes=0),
        record("b", 1, 1, gold_writes=0),
        record("b", 2, 0, gold_writes=0, attribution=wrong),
        record("c", 1, 0, gold_writes=2, attribution=lost),
        record("c", 2, 0, gold_writes=2, attribution=none, **capped),
        record("d", 1, None, gold_writes=2),
    ]


def test_a_trial_counts_once_for_each_kind_of_fault_it_has():
    faults = count_faults(run())
    assert faults.failed == 3
    assert faults.kinds == {"wrong_argument": 2, "missing_action": 2, "early_stop": 1}


def test_each_failed_trial_has_one_class_of_the_paper_or_none():
    faults = count_faults(run())
    assert faults.paper == {"wrong_argument": 2, "none of the four": 1}
    assert sum(faults.paper.values()) == faults.failed


def test_verdicts_of_a_model_are_counted_those_it_did_not_give_apart():
    assert count_faults(run()).whose == {"agent": 1, "user": 1, "not attributed": 1}
    assert count_faults([record("a", 1, 0, attribution=why("unfinished"))]).whose == {}


def test_pass_1_is_taken_over_the_tasks_of_each_number_of_gold_writes():
    none, two = by_gold_writes(run())
    assert (none.name, none.tasks, none.trials, none.passed) == ("0", 2, 4, 3)
    assert none.pass_1.value == pytest.approx((2 / 2 + 1 / 2) / 2)
    assert (two.name, two.tasks, two.trials, two.passed) == ("2", 1, 2, 0)  # d is unscored
    assert two.pass_1.value == 0


def test_pass_1_of_a_group_weighs_tasks_and_not_trials():
    trials = [record("a", n, 1, gold_writes=1) for n in (1, 2, 3)]
    [group] = by_gold_writes([*trials, record("b", 1, 0, gold_writes=1)])
    assert (group.passed, group.trials, group.pass_1.value) == (3, 4, 0.5)


def test_numbers_of_gold_writes_rise_as_numbers_do():
    records = [record(f"t{n}", 1, 1, gold_writes=n) for n in (10, 2, 1)]
    assert [group.name for group in by_gold_writes(records)] == ["1", "2", "10"]


def test_records_that_do_not_know_their_gold_writes_are_in_no_group():
    assert by_gold_writes([record("a", 1, 1)]) == []


def test_endings_are_grouped_the_most_frequent_first():
    stopped, capped = by_ending(run())
    assert (stopped.name, stopped.trials, stopped.passed) == ("user_stop", 5, 3)
    assert (capped.name, capped.trials, capped.passed) == ("max_steps", 1, 0)


def test_the_terminal_shows_faults_and_groups_within_eighty_columns():
    text = breakdown_text(run_figures(run()))
    assert "why 3 trials failed" in text
    assert "missing action 2" in text
    assert "agent 1, user 1, not attributed 1" in text
    assert "0       2        4        3    0.750" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_terminal_shows_nothing_where_all_passed_and_tasks_are_alike():
    assert breakdown_text(run_figures([record("a", 1, 1, gold_writes=1)])) == ""


def test_markdown_has_a_row_for_faults_and_for_each_group():
    text = render_markdown(INFO, run_figures(run()))
    assert "| faults | wrong argument 2, missing action 2, early stop 1 |" in text
    assert "| 0 | 2 | 3 of 4 | 0.750 |" in text
    assert "| max\\_steps | 1 | 0 of 1 | 0.000 |" in text


def test_json_holds_the_same_figures():
    report = run_report(INFO, run_figures(run()))
    assert report.faults.kinds == {"wrong_argument": 2, "missing_action": 2, "early_stop": 1}
    assert [(g.name, g.pass_1) for g in report.by_gold_writes] == [("0", 0.75), ("2", 0.0)]


def test_runs_that_differ_in_policy_user_model_or_limits_are_said_to():
    plain = RunSettings(user_model=ModelSettings(name="m"))
    other = RunSettings(policy=False, user_model=ModelSettings(name="n"), max_steps=10)
    assert settings_warnings(plain, plain) == []
    assert settings_warnings(plain, other) == [
        "the second run withheld the policy from the agent (--tau-no-policy)",
        "the users' models differ: m against n",
        "the step caps differ: 30 against 10",
    ]
    assert "the first run withheld" in settings_warnings(other, plain)[0]
