"""``graph``: figures about a tool graph, and its picture for Graphviz."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.commands.cli import add_json_option, exit_statuses, print_json

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers
    from pytest_taubench.taskbench.graph import GraphStatistics


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "graph",
        help="describe, check and draw a tool graph",
        epilog=exit_statuses("0 where the graph can be read"),
    )
    parser.add_argument("graph", help="a bundled graph's name, or the path of a folder or file")
    parser.add_argument(
        "--dot",
        type=Path,
        metavar="FILE",
        help="write it in Graphviz's language; `dot -Tsvg FILE` makes a picture of it",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check the graph, write what was asked for and print its figures."""
    from pytest_taubench.taskbench.drawing import to_dot
    from pytest_taubench.taskbench.graph import graph_statistics
    from pytest_taubench.taskbench.graph_file import load_tool_graph

    graph = load_tool_graph(args.graph)
    if args.dot is not None:
        args.dot.write_text(to_dot(graph), encoding="utf-8")
    statistics = graph_statistics(graph)
    if args.json:
        print_json(statistics.to_dict())
    else:
        print("\n".join(_lines(statistics)))
    return 0


def _lines(statistics: GraphStatistics) -> list[str]:
    types = ", ".join(f"{type_} {times}" for type_, times in statistics.edges_by_type.items())
    return [
        f"{statistics.name}: a {statistics.dependency} graph",
        f"  tools: {statistics.tools}",
        f"  edges: {statistics.edges} ({types})",
        f"  density {statistics.density:.3f}, mean degree {statistics.mean_degree:.1f}",
        f"  parts: {statistics.components}; "
        f"largest set of tools that reach one another: {statistics.largest_cycle_component}",
        f"  no edge leads to: {', '.join(statistics.sources) or 'none'}",
        f"  no edge leads from: {', '.join(statistics.sinks) or 'none'}",
    ]
