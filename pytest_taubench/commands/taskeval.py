"""``taskeval``: score predicted task plans against gold."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.cli import add_json_option, exit_statuses, print_json, print_text

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "taskeval",
        help="score TaskBench predictions: ROUGE, node and edge F1, NED, parameters",
        epilog=exit_statuses("0 where they are scored, whatever the figures"),
    )
    parser.add_argument("gold", type=Path, metavar="GOLD", help="samples, a JSON object a line")
    parser.add_argument(
        "predictions",
        type=Path,
        metavar="PREDICTIONS",
        help='{"id": …, "result": {task_steps, task_nodes, task_links}} a line',
    )
    parser.add_argument("--graph", required=True, help="a bundled tool graph's name, or a path")
    parser.add_argument(
        "--mode",
        choices=("reference", "strict"),
        default="reference",
        help="reference (default): comparable with published numbers; strict: counts missing "
        "predictions, hallucinated and repeated tools, and the order of execution",
    )
    parser.add_argument("--no-rouge", action="store_true", help="leave the steps in words out")
    parser.add_argument(
        "-n", "--processes", type=_positive, default=1, metavar="N", help="score in N"
    )
    parser.add_argument("--faults", action="store_true", help="list every fault, not counts only")
    add_json_option(parser)
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected at least 1")
    return number


def run(args: argparse.Namespace) -> int:
    """Score the predictions and print the tables."""
    from pytest_taubench.report.taskeval_table import render_taskeval
    from pytest_taubench.taskbench.graph_file import load_tool_graph
    from pytest_taubench.taskbench.taskeval import evaluate_files

    result = evaluate_files(
        args.gold,
        args.predictions,
        load_tool_graph(args.graph),
        args.mode,
        rouge=not args.no_rouge,
        processes=args.processes,
    )
    data = result.to_dict()
    if args.json:
        print_json(data)
        return 0
    print_text(render_taskeval(data))
    if args.faults:
        print_text("\n".join(f"{id_ or '(file)'}: {fault}" for id_, fault in result.fault_list))
    return 0
