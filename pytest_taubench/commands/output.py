"""What all commands share of their output."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Give a command the option that every command has."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def print_json(data: Any) -> None:
    """Print a result as JSON, for a program to read."""
    print(json.dumps(data, indent=2, ensure_ascii=False))


def print_text(text: str) -> None:
    """Print a result for people, in which agents' words may stand."""
    from pytest_taubench.report.foreign_text import printable

    print(printable(text))


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts: ``1 error``, ``2 errors``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
