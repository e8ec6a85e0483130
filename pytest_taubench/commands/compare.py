"""``compare``: what changed between stored runs, task by task."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
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
    from pytest_taubench.metrics.comparison import Comparison
    from pytest_taubench.runs.stored_run import StoredRun
    from pytest_taubench.taskbench.ranking import RankAgreement


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "compare",
        help="compare stored runs with the first one, paired by task",
        epilog=exit_statuses("0 where no run is shown to be a regression, 1 where one is"),
    )
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="RUN", help="folders of stored runs"
    )
    parser.add_argument(
        "--margin",
        type=_margin,
        default=0.0,
        help="the drop in pass^1 that is no regression, e.g. 0.02 or 2%% (0)",
    )
    parser.add_argument(
        "--show",
        type=_difference,
        metavar="D",
        help="say how many trials would show this difference in pass^1, e.g. 0.05 or 5%%",
    )
    parser.add_argument(
        "--ranking",
        type=Path,
        metavar="FILE",
        help="say how far pass^1 ranks the runs as this file does: by folder names, a .json list "
        "or a text file with a name a line, best first, or a .json object or .csv file of scores",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the resampling (0)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def _margin(text: str) -> float:
    share = _share(text)
    if share is None:
        raise argparse.ArgumentTypeError(
            f"expected a drop in pass^1 between 0 and 1, e.g. 0.02 or 2%, not {text!r}"
        )
    return share


def _difference(text: str) -> float:
    share = _share(text)
    if not share:
        raise argparse.ArgumentTypeError(
            f"expected a difference in pass^1 above 0, up to 1, e.g. 0.05 or 5%, not {text!r}"
        )
    return share


def _share(text: str) -> float | None:
    """Return a number or a percentage where it lies between 0 and 1, as gates have it."""
    number = text.strip()
    try:
        share = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None


def run(args: argparse.Namespace) -> int:
    """Compare, and return 1 where a run is a regression."""
    from pytest_taubench.errors import TauBenchError
    from pytest_taubench.metrics.comparison import compare
    from pytest_taubench.runs.stored_run import load_run, refuse_empty_baseline
    from pytest_taubench.taskbench.ranking import agreement_lines

    folders: list[Path] = args.folders
    if len(folders) < 2:
        raise TauBenchError("compare needs two runs or more")
    first, *others = stored = [load_run(folder) for folder in folders]
    refuse_empty_baseline(first)
    print_warnings(*stored)
    results = []
    for other in others:
        runs = (first.info, other.info)
        result = compare(
            first.records, other.records, margin=args.margin, seed=args.seed, runs=runs
        )
        results.append((other, result))
    agreement = _agreement(stored, args.ranking) if args.ranking else None
    if args.json:
        from pytest_taubench.report.run_json import comparison_json

        print_json(
            {
                "baseline": str(first.folder),
                "warnings": warnings_of(stored),
                "comparisons": [
                    {"run": str(run.folder), **comparison_json(result).model_dump()}
                    for run, result in results
                ],
                **({"ranking": agreement.to_dict()} if agreement else {}),
            }
        )
    else:
        for run_, result in results:
            print_text("\n".join(_lines(first, run_, result, args.show)))
        if agreement:
            print_text("\n".join(agreement_lines(agreement)))
    return int(any(result.verdict == "regression" for _, result in results))


def _agreement(runs: Sequence[StoredRun], ranking: Path) -> RankAgreement:
    """Compare the order of the runs by pass^1 with the one in a file."""
    from pytest_taubench.errors import TauBenchError
    from pytest_taubench.metrics.summary import summarize_tasks
    from pytest_taubench.taskbench.ranking import rank_agreement, read_ranking

    scores: dict[str, float] = {}
    for run_ in runs:
        name = run_.folder.resolve().name
        if name in scores:
            raise TauBenchError(f"--ranking: two runs are in folders named {name!r}")
        rates = [task.c / task.n for task in summarize_tasks(run_.records) if task.n]
        if not rates:
            raise TauBenchError(f"--ranking: {run_.folder} has no scored trial to rank it by")
        scores[name] = fmean(rates)
    return rank_agreement(scores, read_ranking(ranking))


def _lines(
    first: StoredRun, other: StoredRun, result: Comparison, wanted: float | None
) -> list[str]:
    from pytest_taubench.report.wording import run_comparison_lines

    lines = [f"{first.folder} -> {other.folder}: {result.verdict}"]
    lines += [f"  {line}" for line in run_comparison_lines(result)]
    return [*lines, *_trials_line(result, wanted)]


def _trials_line(result: Comparison, wanted: float | None) -> list[str]:
    from pytest_taubench.metrics.significance import trials_needed

    if wanted is None:
        return []
    needed = trials_needed(result.counts, wanted)
    if needed is None:
        return [f"  no number of trials shows a difference of {wanted:g} on these tasks"]
    return [f"  {counted(needed, 'trial')} a task on each side show a difference of {wanted:g}"]
