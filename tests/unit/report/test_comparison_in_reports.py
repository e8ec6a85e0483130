"""What makes a comparison less than it seems is said in every form of a run's report."""

from __future__ import annotations

import html
import json

import pytest
from record_factory import run_of

from pytest_taubench.metrics.comparison import Baseline
from pytest_taubench.report.figures import run_figures
from pytest_taubench.report.files import SUFFIXES, report_text
from pytest_taubench.schema import DomainFingerprint, ModelSettings, RunInfo, RunSettings

BEFORE = run_of({"a": [1, 1], "b": [1, 0], "gone": [1, 1]}, user="llm", task_hash="old")
AFTER = run_of({"a": [1, 1], "b": [0, 0]}, user="scripted", task_hash="new")
EARLIER = RunSettings(
    agent="mine",
    user="llm",
    user_model=ModelSettings(name="gpt-4o", args={"temperature": 1.0}),
    max_steps=20,
    think=False,
)
NOW = RunSettings(
    agent="mine", user_model=ModelSettings(name="gpt-4o-mini"), judge_model=ModelSettings(name="j")
)
SHOP = DomainFingerprint(name="shop", policy="p1", tools="t1", database="d1")
CHANGED = SHOP.model_copy(update={"policy": "p2", "database": "d2"})


def run_info(settings: RunSettings, domain: DomainFingerprint) -> RunInfo:
    started = "2026-01-01T00:00:00Z"
    return RunInfo(run_id="r", started=started, settings=settings, domains=[domain])


def report(suffix: str, settings: RunSettings = NOW, domain: DomainFingerprint = CHANGED) -> str:
    baseline = Baseline("main", BEFORE, run_info(EARLIER, SHOP))
    info = run_info(settings, domain)
    text = report_text(suffix, info, run_figures(AFTER, info, baseline), AFTER)
    if suffix == ".json":
        return "\n".join(json.loads(text)["comparison"]["warnings"])
    return html.unescape(text).replace("\\", "")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "warning",
    [
        "the users' models differ: gpt-4o against gpt-4o-mini",
        "the settings of the users' models differ: {'temperature': 1.0} against none",
        "the judges' models differ: none against j",
        "the step caps differ: 20 against 30",
        "the first run withheld the think tool from the agent (--tau-no-think)",
        "the users differ: llm against scripted",
        "1 task is only in the first run and left out",
        "the annotation of 2 tasks changed",
        "the policy of shop changed",
        "the database of shop changed",
    ],
)
def test_what_differs_beside_the_agent_is_said(suffix: str, warning: str) -> None:
    assert warning in report(suffix)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_settings_and_domains_that_are_the_same_are_not_warned_of(suffix: str) -> None:
    text = report(suffix, EARLIER, SHOP)
    assert "of shop changed" not in text
    assert "models differ" not in text
    assert "withheld" not in text
