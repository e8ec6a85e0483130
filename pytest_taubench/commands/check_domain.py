"""``check-domain``: say in plain words what is wrong with a domain folder."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_taubench.commands.cli import add_json_option, exit_statuses, print_json
from pytest_taubench.text.names import counted

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers
    from pytest_taubench.environment.check_domain import DomainProblem


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "check-domain",
        help="say what is wrong with a domain folder; exit status 1 on an error",
        epilog=exit_statuses("0 where there is no error, 1 where there is one"),
    )
    parser.add_argument("path", nargs="+", metavar="PATH", help="a folder, or a bundled name")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check each domain and print its problems."""
    from pytest_taubench.environment.check_domain import check_domain

    found = {path: check_domain(path) for path in args.path}
    failed = any(_errors(problems) for problems in found.values())
    if args.json:
        print_json({"ok": not failed, "domains": [_as_json(*item) for item in found.items()]})
    else:
        for path, problems in found.items():
            print("\n".join(_lines(path, problems)))
    return int(failed)


def _errors(problems: list[DomainProblem]) -> int:
    return sum(problem.severity == "error" for problem in problems)


def _as_json(path: str, problems: list[DomainProblem]) -> dict[str, object]:
    return {
        "domain": path,
        "ok": not _errors(problems),
        "problems": [
            {"where": p.where, "message": p.message, "severity": p.severity} for p in problems
        ],
    }


def _lines(path: str, problems: list[DomainProblem]) -> list[str]:
    errors = _errors(problems)
    warnings = len(problems) - errors
    found = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    return [
        f"{path}: {found if problems else 'nothing is wrong'}",
        *(f"  {problem}" for problem in problems),
    ]
