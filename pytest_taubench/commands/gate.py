"""``gate``: decide gates on a stored run, without running anything."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.output import (
    add_json_option,
    exit_statuses,
    print_json,
    print_text,
    print_warnings,
)
from pytest_taubench.commands.stored_gates import (
    add_stop_error_option,
    decide_stored,
    read_gates,
)

if TYPE_CHECKING:
    from pytest_taubench.cli import Subparsers
    from pytest_taubench.stored_runs import StoredRun


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "gate",
        help="decide gates on a stored run",
        epilog=exit_statuses(
            "0 where every gate holds, 1 where one fails, 6 where none fails but one cannot be told"
        ),
    )
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument(
        "gate", nargs="+", metavar="GATE", help="such as 'pass^4 >= 0.6' or 'no regression'"
    )
    parser.add_argument("--baseline", type=Path, metavar="RUN", help="for 'no regression'")
    add_stop_error_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Decide, print each gate and return the exit status."""
    from pytest_taubench.report.run_json import gate_json
    from pytest_taubench.run_gates import exit_status
    from pytest_taubench.stored_runs import load_run, refuse_empty_baseline

    gates = read_gates(args.gate, args)
    stored = load_run(args.run_folder)
    baseline = load_run(args.baseline) if args.baseline else None
    if baseline:
        refuse_empty_baseline(baseline)
    print_warnings(stored, *([baseline] if baseline else []))
    if baseline:
        for warning in _differences(baseline, stored):
            print(f"warning: {warning}", file=sys.stderr)
    results = decide_stored(gates, stored, baseline, args.stop_error)
    if args.json:
        print_json([gate_json(result).model_dump() for result in results])
    else:
        for result in results:
            print_text(f"{result.decision}: {result.gate.text} ({result.reason})")
    return exit_status(results)


def _differences(baseline: StoredRun, run: StoredRun) -> list[str]:
    """Return what makes the comparison less than it seems."""
    from pytest_taubench.metrics.compare import compare

    return compare(baseline.records, run.records, runs=(baseline.info, run.info)).warnings
