"""The cost of models, split by role and direction, in every form of a run's report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from record_factory import record

from pytest_taubench.report.figures import run_figures
from pytest_taubench.report.files import report_text
from pytest_taubench.report.terminal import models_text
from pytest_taubench.schema import RunInfo, RunSettings, TrialRecord, Usage

INFO = RunInfo(run_id="r1", started="2026-01-01T00:00:00Z", settings=RunSettings(agent="a"))
TOKENS = {"calls": 3, "input_tokens": 12_000, "output_tokens": 340}
SPLIT = Usage(**TOKENS, cost=0.75, input_cost=0.5, output_cost=0.25)
UNSPLIT = Usage(**TOKENS, cost=0.75)
PRICELESS = Usage(**TOKENS)


def trials(*uses: Usage) -> list[TrialRecord]:
    return [record("a", number, 1.0, usage={"agent": use}) for number, use in enumerate(uses, 1)]


def report(suffix: str, records: list[TrialRecord]) -> str:
    return report_text(suffix, INFO, run_figures(records), records)


def markdown_cells(records: list[TrialRecord]) -> list[str]:
    [row] = [r for r in report(".md", records).splitlines() if r.startswith("| agent")]
    return [cell.strip() for cell in row.strip("|").split("|")]


def html_cells(records: list[TrialRecord]) -> list[str]:
    [row] = re.findall(r"<tr><td>agent</td>.*?</tr>", report(".html", records), re.S)
    return re.findall(r"<td[^>]*>(.*?)</td>", row)


def test_the_terminal_has_a_row_for_each_direction() -> None:
    rows = [line.split() for line in models_text(run_figures(trials(SPLIT))).splitlines() if line]
    assert rows == [
        ["models", "calls", "tokens", "cost"],
        ["agent", "3", "12,340", "$0.7500"],
        ["input", "12,000", "$0.5000"],
        ["output", "340", "$0.2500"],
    ]


def test_the_terminal_has_all_of_it_at_80_columns_however_large() -> None:
    large = Usage(
        calls=9_999_999,
        input_tokens=10**12,
        output_tokens=10**11,
        cost=1_234_567.0,
        input_cost=1_000_000.0,
        output_cost=234_567.0,
    )
    text = models_text(run_figures(trials(large, PRICELESS)))
    assert "$1,234,567.0000 (partial)" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("cells", [markdown_cells, html_cells])
@pytest.mark.parametrize(
    ("uses", "costs"),
    [
        ([SPLIT], ["$0.5000", "$0.2500", "$0.7500"]),
        ([SPLIT, PRICELESS], ["$0.5000 (partial)", "$0.2500 (partial)", "$0.7500 (partial)"]),
        ([SPLIT, UNSPLIT], ["$0.5000 (partial)", "$0.2500 (partial)", "$1.5000"]),
        ([UNSPLIT], ["unknown", "unknown", "$0.7500"]),
        ([PRICELESS], ["unknown", "unknown", "unknown"]),
        ([Usage(**TOKENS, complete=False)], ["unknown (partial)"] * 3),
    ],
)
def test_what_is_unknown_or_partial_is_said_of_each_figure(
    cells: Callable[[list[TrialRecord]], list[str]], uses: list[Usage], costs: list[str]
) -> None:
    assert cells(trials(*uses))[-3:] == costs


def test_machines_read_both_and_whether_they_are_partial() -> None:
    [cost] = json.loads(report(".json", trials(SPLIT, UNSPLIT)))["costs"]
    assert (cost["input_cost"], cost["output_cost"], cost["cost"]) == (0.5, 0.25, 1.5)
    assert (cost["partial"], cost["split_partial"]) == (False, True)
