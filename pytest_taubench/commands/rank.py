"""``rank``: how far a metric's ranking of models agrees with a human one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.cli import add_json_option, exit_statuses, print_json

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers

_FORMATS = (
    "a .json list of names or a text file with a name a line, best first; or a .json object or "
    ".csv file of scores"
)


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "rank",
        help="compare two rankings of models: Kendall's τ and Spearman's ρ",
        description=f"Each ranking is {_FORMATS}, of which higher is better.",
        epilog=exit_statuses("0 where both rankings can be read"),
    )
    parser.add_argument("metric", type=Path, metavar="METRIC", help="the ranking by a metric")
    parser.add_argument("human", type=Path, metavar="HUMAN", help="the ranking by people")
    parser.add_argument(
        "--lower-is-better",
        action="store_true",
        help="of METRIC's scores, lower is better, as with the normalized edit distance",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare the rankings and print the agreement."""
    from pytest_taubench.taskbench.ranking import rank_agreement, read_ranking

    metric = read_ranking(args.metric)
    if args.lower_is_better:
        metric = {name: -score for name, score in metric.items()}
    agreement = rank_agreement(metric, read_ranking(args.human))
    if args.json:
        print_json(agreement.to_dict())
        return 0
    print(f"{len(agreement.models)} models")
    print(f"Kendall's τ    {agreement.kendall_tau:+.4f}  (p {agreement.kendall_p:.4f})")
    print(f"Spearman's ρ   {agreement.spearman_rho:+.4f}  (p {agreement.spearman_p:.4f})")
    if agreement.left_out:
        print(f"in one ranking only, and left out: {', '.join(agreement.left_out)}")
    return 0
