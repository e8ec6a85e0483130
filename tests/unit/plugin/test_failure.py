"""The report of a trial that did not pass."""

from __future__ import annotations

from typing import Any

from pytest_taubench.plugin.run.failure import TrialFailure, conversation_lines, headline
from pytest_taubench.schema import (
    Component,
    Ending,
    ErrorInfo,
    FunctionCall,
    Message,
    RecordChange,
    ToolCall,
    TrialRecord,
)


def record(**values: Any) -> TrialRecord:
    fields: dict[str, Any] = {
        "nodeid": "x::a[trial-1]",
        "suite": "x",
        "domain": "shop",
        "task_id": "a",
        "trial": 1,
        "outcome": "scored",
        "reward": 0.0,
        "ending": Ending.USER_STOP,
    }
    return TrialRecord(**fields | values)


def component(name: str, value: float, **detail: Any) -> Component:
    return Component(name=name, value=value, detail=detail)


def test_the_headline_names_each_component_that_counted_and_is_zero():
    components = [
        component("database", 0),
        component("outputs", 0, missing=["54.04", "41.64"]),
        component("actions", 0, counted=False),
    ]
    assert headline(record(components=components)) == (
        "reward 0: the database is not the expected one; not told: 54.04, 41.64"
    )


def verdict(assertion: str, met: bool, reason: str = "") -> dict[str, Any]:
    return {"assertion": assertion, "met": met, "reason": reason}


def test_the_headline_says_which_assertion_is_not_met_and_why():
    verdicts = [verdict("It greets.", True), verdict("It is\npolite.", False, "It swears.")]
    unmet = component("nl_assertions", 0, verdicts=verdicts)
    assert headline(record(components=[unmet])) == ("reward 0: not met: It is polite. (It swears.)")
    unmet.detail["verdicts"] += [verdict("It thanks.", False), verdict("It waits.", False)]
    assert headline(record(components=[unmet])) == (
        "reward 0: not met: It is polite. (It swears.) and 2 more"
    )


def test_the_headline_of_a_trial_no_judge_was_asked_about_gives_its_ending():
    unasked = component("nl_assertions", 0, verdicts=[], not_judged=["It is polite."])
    cut = record(ending=Ending.MAX_STEPS, components=[unasked])
    assert headline(cut) == "reward 0: ended by max_steps"


def test_the_headline_says_how_a_trial_was_cut_short():
    components = [component("database", 1), component("outputs", 1)]
    cut = record(ending=Ending.MAX_STEPS, components=components)
    assert headline(cut) == "reward 0: ended by max_steps"


def test_the_headline_of_an_unscored_trial_gives_the_first_line_of_its_error():
    error = ErrorInfo(type="RateLimit", message="429 after 5 tries\nmore")
    broken = record(outcome="unscored", reward=None, ending=Ending.MODEL_ERROR, error=error)
    assert headline(broken) == "unscored, model_error: 429 after 5 tries"


def test_both_sides_of_the_database_are_shown_where_they_differ():
    text = TrialFailure(
        record(
            expected_changes={
                "orders": {
                    "#1": RecordChange(before={"s": "a"}, after={"s": "b"}),
                    "#2": RecordChange(before={"s": "a"}, after={"s": "b"}),
                    "#3": RecordChange(before={"s": "a", "n": 25}, after={"s": "b", "n": 25.0}),
                }
            },
            actual_changes={
                "orders": {
                    "#2": RecordChange(before={"s": "a"}, after={"s": "c"}),
                    "#3": RecordChange(before={"s": "a", "n": 25}, after={"s": "b", "n": 25}),
                    "#4": RecordChange(before=None, after={"s": "new"}),
                }
            },
        )
    ).text(full=False)
    assert text.splitlines()[3:] == [
        "database, expected -> actual:",
        '  orders/#1 s: "b" -> "a" (not changed)',
        '  orders/#2 s: "b" -> "c"',
        '  orders/#4 null -> {"s": "new"} (no change expected)',
        "  (1 changed record is as expected)",
    ]


def test_calls_and_results_are_shown_in_the_conversation():
    call = ToolCall(id="1", function=FunctionCall(name="get", arguments='{"id": "#1"}'))
    lines = conversation_lines(
        [
            Message(role="user", content="Hi.\nWhere is it?"),
            Message(role="assistant", content=None, tool_calls=[call]),
            Message(role="tool", content="x" * 1000, name="get"),
        ],
        full=False,
    )
    assert lines[:3] == ["user: Hi.", "        Where is it?", 'agent calls: get({"id": "#1"})']
    assert "(840 more characters)" in " ".join(" ".join(lines[3:]).split())
    assert max(map(len, lines)) <= 94


def test_escape_codes_of_an_agent_do_not_reach_the_terminal():
    said = Message(role="assistant", content="\x1b[2J\x07 café → \U0001f600")
    text = TrialFailure(record(trajectory=[said])).text(full=True)
    assert "  agent: \\x1b[2J\\x07 café → \U0001f600" in text
    assert "\x1b" not in text
