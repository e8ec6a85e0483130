"""What all commands share of their output."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_taubench.stored_runs import StoredRun


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Give a command the option that every command has."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def exit_statuses(text: str) -> str:
    """Return the last line of a command's help: what its exit status tells a script."""
    return f"Exit status: {text}; 2 where the command line or an input is wrong."


def print_json(data: Any) -> None:
    """Print a result as JSON, for a program to read."""
    print(json.dumps(data, indent=2, ensure_ascii=False))


def print_text(text: str) -> None:
    """Print a result for people, in which agents' words may stand."""
    from pytest_taubench.report.foreign_text import printable

    print(printable(text))


def print_warnings(*runs: StoredRun) -> None:
    """Say what is wrong with the files of stored runs, apart from the result."""
    for warning in warnings_of(runs):
        print(f"warning: {warning}", file=sys.stderr)


def warnings_of(runs: Iterable[StoredRun]) -> list[str]:
    """Return what is wrong with the files of stored runs, each once."""
    return list(dict.fromkeys(warning for run in runs for warning in run.warnings))


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts: ``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
