"""``python -m pytest_taubench``: what is no test run, one command a module; and what they share."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_taubench.commands import COMMANDS
from pytest_taubench.errors import TauBenchError

if TYPE_CHECKING:
    from pytest_taubench.runs.stored_run import StoredRun


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
    from pytest_taubench.text.foreign import printable

    print(printable(text))


def print_warnings(*runs: StoredRun) -> None:
    """Say what is wrong with the files of stored runs, apart from the result."""
    for warning in warnings_of(runs):
        print(f"warning: {warning}", file=sys.stderr)


def warnings_of(runs: Iterable[StoredRun]) -> list[str]:
    """Return what is wrong with the files of stored runs, each once."""
    return list(dict.fromkeys(warning for run in runs for warning in run.warnings))


if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

FAILED = 1
USAGE_ERROR = 2
INTERRUPTED = 130
"""As shells have it of a process that Ctrl-C ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: The arguments; those of the process by default.

    Returns:
        0, 1 where a check failed, 2 where the command line or an input is wrong, or 130 where
        Ctrl-C ended it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that has no arrow must not turn a gate that holds into one that fails.
            stream.reconfigure(errors="replace")
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser, names = _parser()
    _suggest_command(parser, arguments, names)
    args = parser.parse_args(arguments)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except TauBenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE_ERROR
    except OSError as error:
        return _os_error(error)
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    return status


def _parser() -> tuple[argparse.ArgumentParser, list[str]]:
    parser = argparse.ArgumentParser(
        prog="python -m pytest_taubench",
        description="Commands around agent benchmark runs. Runs themselves are made by pytest.",
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"pytest_taubench.commands.{name}").register(subparsers)
    return parser, list(subparsers.choices)


def _suggest_command(
    parser: argparse.ArgumentParser, arguments: Sequence[str], names: Sequence[str]
) -> None:
    """Refuse an unknown command with the nearest one, where argparse lists them all."""
    command = next((word for word in arguments if not word.startswith("-")), None)
    if command is None or command in names:
        return
    close = difflib.get_close_matches(command, names, n=1)
    hint = f"Did you mean '{close[0]}'?" if close else f"Commands: {', '.join(names)}"
    _refuse(parser, f"no command '{command}'. {hint}")


def _refuse(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    parser.exit(USAGE_ERROR, f"error: {message}\n")


def _os_error(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):  # `... | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    print(f"error: {error}", file=sys.stderr)
    return USAGE_ERROR
