"""``schema``: print the JSON Schema of task files, of trial records, or of a run's report."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_taubench.commands.cli import add_json_option, exit_statuses

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "schema",
        help="print the JSON Schema of task files, for an editor to check them as you type",
        epilog=exit_statuses("0 where it is printed"),
    )
    parser.add_argument(
        "--kind",
        choices=("tasks", "record", "report"),
        default="tasks",
        help="task files (the default), the records of trials.jsonl, or a run's report as JSON",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to a file instead")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print or write the schema."""
    text = json.dumps(_schema(args.kind), indent=2, ensure_ascii=False) + "\n"
    if args.out is None:
        sys.stdout.write(text)
    else:
        args.out.write_text(text, encoding="utf-8")
    return 0


def _schema(kind: str) -> dict[str, Any]:
    if kind == "tasks":
        from pytest_taubench.task_files.json_schema import task_file_schema

        return task_file_schema()
    if kind == "report":
        from pytest_taubench.report.run_json import RunReport

        return RunReport.model_json_schema(mode="serialization")
    from pytest_taubench.schema import TrialRecord

    return TrialRecord.model_json_schema()
