"""The figures as text: complete at 80 columns, plain unless colour is asked for."""

from __future__ import annotations

from typing import Any

from pytest_taubench.report.figures import run_figures
from pytest_taubench.report.terminal import LISTED, models_text, summary_text, unscored_text
from pytest_taubench.schema import Ending, ErrorInfo, TrialRecord, Usage


def record(task: str, trial: int, reward: float | None, **values: Any) -> TrialRecord:
    fields: dict[str, Any] = {
        "nodeid": f"tasks/retail/x.tau.yaml::{task}[trial-{trial}]",
        "suite": "retail",
        "domain": "retail",
        "task_id": task,
        "trial": trial,
        "outcome": "unscored" if reward is None else "scored",
        "reward": reward,
        "ending": Ending.MODEL_ERROR if reward is None else Ending.USER_STOP,
    }
    return TrialRecord(**fields | values)


def rewards(**tasks: list[float | None]) -> list[TrialRecord]:
    return [
        record(task, trial, reward)
        for task, each in tasks.items()
        for trial, reward in enumerate(each, 1)
    ]


def test_every_figure_says_over_how_many_tasks_it_is():
    # always: 2 of 2, flaky: 1 of 2, once: 1 of 1 and one trial unscored.
    # Of 1, 0.5 and 1 the mean is 5/6 and its standard error 1/6; t(2) is 4.303: 0.833 - 0.717.
    text = summary_text(run_figures(rewards(always=[1, 1], flaky=[1, 0], once=[1, None])))
    assert text.splitlines() == [
        "retail: 3 tasks, 6 trials, 5 scored, 1 unscored, average reward 0.800",
        "  k   pass^k   over tasks   pass@k   over tasks",
        "  1    0.833       3 of 3    0.833       3 of 3",
        "  2    0.500       2 of 3    1.000       2 of 3",
        "  pass^1, 95% interval: [0.116, 1.000], Student's t over tasks",
        # once failed: 1, 0.5 and 0.5; once passed: 1, 0.5 and 1.
        "  pass^1 with its unscored trial failed: 0.667, passed: 0.833",
        "  endings: user_stop 5, model_error 1",
        "  flakiest tasks:",
        "    1 of 2  tasks/retail/x.tau.yaml::flaky",
        "",
    ]


def test_what_too_few_trials_cannot_tell_is_not_estimated():
    text = summary_text(run_figures(rewards(a=[0, None, None, None])))
    assert "  2-4   not estimated       0 of 1   not estimated       0 of 1" in text
    assert "nan" not in text.lower()


def test_a_suite_without_a_scored_trial_has_no_figures():
    text = summary_text(run_figures(rewards(a=[None])))
    assert "0 scored, 1 unscored, average reward not estimated" in text
    assert "  1   not estimated       0 of 1" in text


def test_failing_tasks_are_listed_up_to_a_number_and_the_rest_counted():
    text = summary_text(run_figures(rewards(**{f"t{n}": [0.0] for n in range(LISTED + 3)})))
    assert text.count("::t") == LISTED
    assert "and 3 more" in text


def test_long_ids_are_folded_and_never_cut():
    name = "x" * 150
    text = summary_text(run_figures(rewards(**{name: [0.0]})), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert name in "".join(line.strip() for line in text.splitlines())


def test_eight_trials_fit_in_eighty_columns():
    text = summary_text(run_figures(rewards(**{f"t{n}": [1.0] * 8 for n in range(1000)})), width=80)
    assert "  8    1.000   1000 of 1000    1.000   1000 of 1000" in text
    assert max(map(len, text.splitlines())) <= 80


def test_escape_codes_come_only_with_colour():
    figures = run_figures(rewards(a=[1, None]))
    assert "\x1b" not in summary_text(figures)
    assert "\x1b[1m" in summary_text(figures, color=True)


def test_unscored_trials_are_told_with_what_failed():
    broken = record("a", 1, None, error=ErrorInfo(type="E", message="[red]503[/red] from model"))
    assert unscored_text(run_figures([broken])).splitlines() == [
        "tasks/retail/x.tau.yaml::a[trial-1] - model_error",
        "  [red]503[/red] from model",
    ]


def test_figures_of_which_some_response_gave_none_are_said_to_be_partial() -> None:
    missing = Usage(calls=2, input_tokens=100, complete=False)
    assert "unknown (partial)" in models_text(
        run_figures([record("a", 1, 1, usage={"agent": missing})])
    )
    priceless = Usage(calls=2, input_tokens=100)
    assert "partial" not in models_text(
        run_figures([record("a", 1, 1, usage={"agent": priceless})])
    )
