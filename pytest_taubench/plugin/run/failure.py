"""Why a trial did not pass, as text: what was expected, what happened, what was said."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_taubench.environment.compare import differences
from pytest_taubench.report.plan_comparison import comparison_lines
from pytest_taubench.report.plan_comparison import differences as differences_of_plans
from pytest_taubench.schema import Component, Message, RecordChange, TrialRecord
from pytest_taubench.text.foreign import printable, visible


@dataclass(frozen=True)
class Crash:
    """What pytest's short summary reads the reason of a failure from, and others its place.

    Attributes:
        message: The reason.
        path: The task file.
        lineno: The line; a trial has none of its own.
    """

    message: str
    path: str = ""
    lineno: int = 0


class FailureText:
    """A failure report with a one-line reason.

    It is made from plain text where reports arrive, since a report crosses processes as text
    and the short summary shall be the same with and without xdist. What agents wrote is made
    harmless where it is printed; JUnit's file has it as it was.

    Attributes:
        reprcrash: The reason.
    """

    def __init__(self, text: str, reason: str, path: str = "") -> None:
        self.text = text
        self.reprcrash = Crash(printable(reason), path)

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:
        """Write the report; the first line is the reason and stands out."""
        first, _, rest = printable(self.text).partition("\n")
        tw.line(first, red=True, bold=True)
        if rest:
            tw.line(rest)


_FIRST_MESSAGES = 4
_LAST_MESSAGES = 14
_TEXT_WIDTH = 400
_RESULT_WIDTH = 160


class TrialFailure(Exception):
    """A trial has no reward of 1; carries its record.

    Attributes:
        record: The record.
    """

    def __init__(self, record: TrialRecord) -> None:
        super().__init__(visible(headline(record)))
        self.record = record

    def text(self, *, full: bool) -> str:
        """Return the report of the failure, with the whole conversation where ``full``."""
        return "\n".join(map(visible, report_lines(self.record, full=full)))


def headline(record: TrialRecord) -> str:
    """Return one line that says why the trial did not pass."""
    if record.outcome == "unscored":
        reason = f": {_first_line(record.error.message)}" if record.error else ""
        return f"unscored, {record.ending}{reason}"
    reasons = [*_component_reasons(record)]
    if not record.ending.terminated:
        reasons.insert(0, f"ended by {record.ending}")
    return f"reward {record.reward:g}: {'; '.join(reasons) or 'no component is 1'}"


def report_lines(record: TrialRecord, *, full: bool) -> list[str]:
    """Return the lines of the failure report."""
    lines = [headline(record), f"ended by {record.ending} after {_steps(record.steps)}"]
    if record.error is not None:
        lines += ["", f"{record.error.type}: {record.error.message}"]
        if record.error.traceback and full:
            lines += record.error.traceback.rstrip().splitlines()
    lines += _section("faults:", list(_fault_lines(record)))
    lines += _section("plan:", _graph_lines(record, full))
    lines += _section("database, expected -> actual:", list(_database_lines(record)))
    lines += _section("outputs:", list(_output_lines(record)))
    lines += _section("notes:", record.notes)
    lines += _section("conversation:", conversation_lines(record.trajectory, full=full))
    return lines


def conversation_lines(trajectory: Sequence[Message], *, full: bool) -> list[str]:
    """Return the conversation, one paragraph a message; the middle is left out unless ``full``."""
    if full or len(trajectory) <= _FIRST_MESSAGES + _LAST_MESSAGES + 1:
        return [line for message in trajectory for line in _message_lines(message, full)]
    left_out = len(trajectory) - _FIRST_MESSAGES - _LAST_MESSAGES
    first, last = trajectory[:_FIRST_MESSAGES], trajectory[-_LAST_MESSAGES:]
    return [
        *(line for message in first for line in _message_lines(message, full)),
        f"... {left_out} messages left out; -vv shows all",
        *(line for message in last for line in _message_lines(message, full)),
    ]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *(f"  {line}" for line in lines)] if lines else []


def _steps(count: int) -> str:
    return f"{count} step" if count == 1 else f"{count} steps"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _component_reasons(record: TrialRecord) -> Iterator[str]:
    for component in record.components:
        if component.value == 1 or not component.detail.get("counted", True):
            continue
        if component.name == "graph":
            yield from _graph_reasons(record, component)
            continue
        if component.name == "nl_assertions":
            yield from _unmet(component)
            continue
        missing = component.detail.get("missing")
        if component.name == "database":
            yield "the database is not the expected one"
        elif component.name == "outputs" and missing:
            yield f"not told: {', '.join(map(str, missing))}"
        else:
            yield f"{component.name} is {component.value:g}"


def _unmet(component: Component) -> Iterator[str]:
    """Yield the first assertion that is not met, with the judge's reason.

    Of a trial that no judge was asked about, its ending says why it failed.
    """
    unmet = [verdict for verdict in component.detail.get("verdicts", ()) if not verdict["met"]]
    for verdict in unmet[:1]:
        reason = f" ({verdict['reason']})" if verdict["reason"] else ""
        more = f" and {len(unmet) - 1} more" if len(unmet) > 1 else ""
        yield " ".join(f"not met: {verdict['assertion']}{reason}{more}".split())


def _graph_reasons(record: TrialRecord, component: Component) -> Iterator[str]:
    bar = component.detail.get("bar")
    if bar is not None:
        value = component.detail.get("value")
        reached = "not known" if value is None else f"{value:.3f}"
        yield f"{bar['metric']} is {reached}, the bar {bar['at_least']:g}"
    yield from differences_of_plans(record)


def _graph_lines(record: TrialRecord, full: bool) -> list[str]:
    if record.kind != "graph" or record.outcome != "scored" or record.graph is None:
        return []
    return comparison_lines(record, full=full)


def _database_lines(record: TrialRecord) -> Iterator[str]:
    expected, actual = record.expected_changes, record.actual_changes
    right = 0
    for table in dict.fromkeys([*expected, *actual]):
        wanted, found = expected.get(table, {}), actual.get(table, {})
        for key in dict.fromkeys([*wanted, *found]):
            lines = list(_record_lines(f"{table}/{key}", wanted.get(key), found.get(key)))
            right += not lines
            yield from lines
    if right and record.reward != 1:
        yield f"({right} changed {'record is' if right == 1 else 'records are'} as expected)"


def _record_lines(
    place: str, wanted: RecordChange | None, found: RecordChange | None
) -> Iterator[str]:
    """Compare the two end states of one record; a side that left it alone has its start."""
    start = (wanted or found or RecordChange()).before
    expected = start if wanted is None else wanted.after
    actual = start if found is None else found.after
    remark = " (not changed)" if found is None else " (no change expected)" if not wanted else ""
    for difference in differences(expected, actual):
        yield f"{place} {difference.line()}{remark}"


def _fault_lines(record: TrialRecord) -> Iterator[str]:
    yield from (record.graph or {}).get("faults", ())
    attribution = record.attribution
    if attribution is None:
        return
    told = record.error.message if record.error else ""
    for fault in attribution.faults:
        if fault.detail and fault.detail in told:
            continue  # the report has it above
        yield f"{fault.kind.replace('_', ' ')}: {fault.detail}"
    verdict = attribution.model
    if verdict is not None:
        whose = f"the {verdict.whose}'s fault, a model says" if verdict.whose else "not attributed"
        yield f"{whose}: {verdict.why}"


def _output_lines(record: TrialRecord) -> Iterator[str]:
    component = record.component("outputs")
    detail: dict[str, Any] = component.detail if component else {}
    for name in ("missing", "found"):
        if detail.get(name):
            yield f"{name}: {', '.join(map(str, detail[name]))}"
    if detail.get("guesses"):
        yield f"numbers do not count: {detail['guesses']} were told that nobody had told the agent"


def _message_lines(message: Message, full: bool) -> Iterator[str]:
    speaker: str = "agent" if message.role == "assistant" else message.role
    if message.role == "user" and message.name:
        speaker = message.name  # the harness, whose words are none of the user's
    limit = None if full else _RESULT_WIDTH if message.role == "tool" else _TEXT_WIDTH
    if message.thought:
        yield from _hanging(f"{speaker} thinks", _cut(message.thought, limit))
    if message.content:
        yield from _hanging(speaker, _cut(message.content, limit))
    for call in message.tool_calls or ():
        text = f"{call.function.name}({call.function.arguments})"
        yield from _hanging("agent calls", _cut(text, limit))


def _cut(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]} ... ({len(text) - limit} more characters)"


def _hanging(speaker: str, text: str) -> Iterator[str]:
    label = f"{speaker}: "
    for paragraph in text.splitlines() or [""]:
        yield from textwrap.wrap(
            paragraph, 94, initial_indent=label, subsequent_indent=" " * 8
        ) or [label.rstrip()]
        label = " " * 8
