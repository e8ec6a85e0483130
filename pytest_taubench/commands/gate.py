"""``gate``: decide gates on a stored run, without running anything."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.output import add_json_option, print_json, print_text, print_warnings
from pytest_taubench.errors import TauBenchError

if TYPE_CHECKING:
    from pytest_taubench.cli import Subparsers
    from pytest_taubench.stored_runs import StoredRun


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "gate",
        help="decide gates on a stored run",
        epilog="Exit status: 0 all hold, 1 one fails, 6 none fails but one cannot be told.",
    )
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument(
        "gate", nargs="+", metavar="GATE", help="such as 'pass^4 >= 0.6' or 'no regression'"
    )
    parser.add_argument("--baseline", type=Path, metavar="RUN", help="for 'no regression'")
    parser.add_argument(
        "--stop-error",
        type=float,
        metavar="E",
        help="decide what a run that was stopped early leaves open by the same sequential test",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Decide, print each gate and return the exit status."""
    from pytest_taubench.metrics.gate_syntax import parse_gate
    from pytest_taubench.report.run_json import gate_json
    from pytest_taubench.run_gates import decide_all, exit_status
    from pytest_taubench.stored_runs import load_run, refuse_empty_baseline

    gates = [parse_gate(text) for text in args.gate]
    if args.stop_error is not None and not 0 < args.stop_error < 0.5:
        raise TauBenchError(
            f"--stop-error {args.stop_error:g}: expected a chance of error between 0 and 0.5, e.g. 0.05"
        )
    if args.baseline is None and any(gate.metric == "no regression" for gate in gates):
        raise TauBenchError("the gate 'no regression' needs --baseline RUN to compare with")
    stored = load_run(args.run_folder)
    baseline = load_run(args.baseline) if args.baseline else None
    if baseline:
        refuse_empty_baseline(baseline)
    print_warnings(stored, *([baseline] if baseline else []))
    if baseline:
        for warning in _differences(baseline, stored):
            print(f"warning: {warning}", file=sys.stderr)
    before = baseline.records if baseline else None
    results = decide_all(gates, stored.records, stored.planned, before, args.stop_error)
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
