"""``gate``: decide gates on a stored run, without running anything."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.cli import (
    add_json_option,
    exit_statuses,
    print_json,
    print_text,
    print_warnings,
)
from pytest_taubench.errors import TauBenchError

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers
    from pytest_taubench.gates.decision import GateResult
    from pytest_taubench.gates.metric import Gate
    from pytest_taubench.runs.stored_run import StoredRun


def add_stop_error_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for runs that ``--tau-stop-error`` ended."""
    parser.add_argument(
        "--stop-error",
        type=float,
        metavar="E",
        help="decide what a run that was stopped early leaves open by the same sequential test",
    )


def read_gates(texts: Sequence[str], args: argparse.Namespace) -> list[Gate]:
    """Return the gates that were typed.

    Raises:
        TauBenchError: One cannot be read, or what decides it is not given.
    """
    from pytest_taubench.gates.syntax import parse_gate

    gates = [parse_gate(text) for text in texts]
    error = args.stop_error
    if error is not None and not 0 < error < 0.5:
        raise TauBenchError(
            f"--stop-error {error:g}: expected a chance of error between 0 and 0.5, e.g. 0.05"
        )
    if args.baseline is None and (gate := _comparing(gates)):
        raise TauBenchError(f"the gate {gate.metric!r} needs --baseline RUN to compare with")
    return gates


def _comparing(gates: Sequence[Gate]) -> Gate | None:
    return next((gate for gate in gates if gate.figure.needs_baseline), None)


def decide_stored(
    gates: Sequence[Gate], run: StoredRun, baseline: StoredRun | None, error: float | None
) -> list[GateResult]:
    """Decide gates on what a stored run has."""
    from pytest_taubench.gates.outcome import decide_all

    before = baseline.records if baseline else None
    return decide_all(gates, run.records, run.planned, before, error)


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
    from pytest_taubench.gates.outcome import exit_status
    from pytest_taubench.report.run_json import gate_json
    from pytest_taubench.runs.stored_run import load_run, refuse_empty_baseline

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
    from pytest_taubench.metrics.comparison import compare

    return compare(baseline.records, run.records, runs=(baseline.info, run.info)).warnings
