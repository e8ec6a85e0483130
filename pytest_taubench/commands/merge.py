"""``merge``: join the runs of CI shards into one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.cli import (
    add_json_option,
    exit_statuses,
    print_json,
    print_text,
    print_warnings,
    warnings_of,
)
from pytest_taubench.text.names import counted

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "merge",
        help="join the stored runs of CI shards into one run",
        epilog=exit_statuses("0 where they are joined"),
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="the shards' folders")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="the new run's folder"
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Join the runs and say what was joined."""
    from pytest_taubench.runs.store import RunStore, StoreError
    from pytest_taubench.runs.stored_run import joined, load_run

    runs = [load_run(folder) for folder in args.runs]
    info, records = joined(runs)
    try:
        store = RunStore.create(args.out, info.model_copy(update={"run_id": args.out.name}))
    except FileExistsError:
        raise StoreError(f"{args.out} already holds a run") from None
    for record in records:
        store.append(record)
    store.close()
    print_warnings(*runs)
    if args.json:
        warnings = warnings_of(runs)
        print_json({"out": str(args.out), "trials": len(records), "warnings": warnings})
    else:
        print_text(f"{counted(len(records), 'trial')} of {counted(len(runs), 'run')} in {args.out}")
    return 0
