"""The one object of figures: what is published of it, and that each figure is taken once."""

from record_factory import run_of

from pytest_taubench.metrics.comparison import Baseline
from pytest_taubench.report.figures import RunFigures, run_figures
from pytest_taubench.report.run_json import RunReport
from pytest_taubench.schema import RunInfo, RunSettings

INFO = RunInfo(run_id="r", started="2026-01-01T00:00:00Z", settings=RunSettings(agent="mine"))
RECORDS = run_of({"a": [1, 1], "b": [1, 0]})


def test_each_published_figure_is_one_of_the_object():
    # RunReport takes figures by name, so that one of another name would be empty in silence.
    published = set(RunReport.model_fields) - {"version", "run", "gates"}
    assert published <= set(RunFigures.__dataclass_fields__)


def test_without_a_baseline_nothing_is_compared():
    figures = run_figures(RECORDS, INFO)
    assert (figures.baseline, figures.comparison) == (None, None)


def test_an_interval_is_resampled_once():
    [suite] = run_figures(RECORDS).suites
    assert suite.pass_1_interval is suite.pass_1_interval
    assert suite.pass_1_interval == suite.interval()


def test_ways_of_grouping_that_part_no_trials_are_left_out():
    assert run_figures(RECORDS).breakdowns == []


def test_a_baseline_knows_the_tasks_it_scored_and_its_own_figures():
    baseline = Baseline("main", run_of({"a": [1], "lost": [None]}), INFO)
    assert [task.rpartition("::")[2] for task in baseline.scored_tasks()] == ["a"]
    assert [suite.tasks for suite in baseline.suites] == [2]
