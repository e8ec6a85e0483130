"""``report``: the page, Markdown or JSON of a stored run."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.cli import (
    add_json_option,
    exit_statuses,
    print_warnings,
    warnings_of,
)
from pytest_taubench.commands.gate import (
    add_stop_error_option,
    decide_stored,
    read_gates,
)

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "report",
        help="write the report of a stored run",
        epilog=exit_statuses("0 where the report is written, whatever its gates say"),
    )
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument("--baseline", type=Path, metavar="RUN", help="a run to compare with")
    parser.add_argument(
        "--gate",
        action="append",
        default=[],
        metavar="GATE",
        help="decide and show a gate, such as 'pass^4 >= 0.6' or 'no regression'; may be repeated",
    )
    add_stop_error_option(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="a .html, .md or .json file; JSON to the terminal"
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the report."""
    from pytest_taubench.metrics.comparison import Baseline
    from pytest_taubench.report.figures import run_figures
    from pytest_taubench.report.files import check_report_name, report_text, write_report
    from pytest_taubench.runs.stored_run import load_run, refuse_empty_baseline

    if args.out is not None:
        check_report_name(str(args.out))
    gates = read_gates(args.gate, args)
    stored = load_run(args.run_folder)
    baseline = load_run(args.baseline) if args.baseline else None
    if baseline:
        refuse_empty_baseline(baseline)
    runs = [stored, baseline] if baseline else [stored]
    print_warnings(*runs)
    compared = None
    if baseline:
        compared = Baseline(baseline.folder.resolve().name, baseline.records, baseline.info)
    text_as = partial(
        report_text,
        info=stored.info,
        figures=run_figures(stored.records, stored.info, compared, warnings_of(runs)),
        records=stored.records,
        gates=decide_stored(gates, stored, baseline, args.stop_error),
    )
    if args.json or args.out is None:
        print(text_as(".json"))
    if args.out is not None:
        write_report(args.out, text_as(args.out.suffix))
    return 0
