"""What ``gate`` and ``report`` share: gates that are typed, decided on a stored run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_taubench.errors import TauBenchError

if TYPE_CHECKING:
    from pytest_taubench.metrics.gate_syntax import Gate
    from pytest_taubench.metrics.gates import GateResult
    from pytest_taubench.stored_runs import StoredRun


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
    from pytest_taubench.metrics.gate_syntax import parse_gate

    gates = [parse_gate(text) for text in texts]
    error = args.stop_error
    if error is not None and not 0 < error < 0.5:
        raise TauBenchError(
            f"--stop-error {error:g}: expected a chance of error between 0 and 0.5, e.g. 0.05"
        )
    if args.baseline is None and any(gate.metric == "no regression" for gate in gates):
        raise TauBenchError("the gate 'no regression' needs --baseline RUN to compare with")
    return gates


def decide_stored(
    gates: Sequence[Gate], run: StoredRun, baseline: StoredRun | None, error: float | None
) -> list[GateResult]:
    """Decide gates on what a stored run has."""
    from pytest_taubench.run_gates import decide_all

    before = baseline.records if baseline else None
    return decide_all(gates, run.records, run.planned, before, error)
