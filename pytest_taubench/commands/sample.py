"""``sample``: draw subgraphs of a tool graph."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_taubench.commands.cli import add_json_option, exit_statuses, print_json
from pytest_taubench.errors import TauBenchError

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers
    from pytest_taubench.taskbench.sampling import Batch, SampleMode, Subgraph


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "sample",
        help="draw nodes, chains and DAGs from a tool graph",
        description="Without --mode and --size, modes and sizes follow the paper's ratios.",
        epilog=exit_statuses("0 where the samples are drawn"),
    )
    parser.add_argument("--graph", required=True, help="a bundled graph's name, or a path")
    parser.add_argument("--n", type=_positive, default=10, metavar="N", help="how many (10)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same (0)")
    parser.add_argument("--mode", choices=("node", "chain", "dag"), help="draw this mode only")
    parser.add_argument("--size", type=_positive, help="draw this many tools only")
    add_json_option(parser)
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected at least 1")
    return number


def run(args: argparse.Namespace) -> int:
    """Draw the subgraphs and print them."""
    from pytest_taubench.taskbench.graph_file import load_tool_graph
    from pytest_taubench.taskbench.sampling import draw_batch

    if args.mode == "node" and args.size not in (None, 1):
        raise TauBenchError(f"a node is one tool: --mode node has no --size {args.size}")
    graph = load_tool_graph(args.graph)
    batch = draw_batch(graph, args.n, args.seed, modes=_modes(args), **_sizes(args))
    if args.json:
        samples = [
            draw.subgraph.as_sample(graph, f"{graph.name}-{number}", draw.seed)
            for number, draw in enumerate(batch.draws, start=1)
        ]
        impossible = [{"mode": mode, "size": size} for mode, size in sorted(batch.impossible)]
        print_json({"graph": graph.name, "samples": samples, "impossible": impossible})
    else:
        print("\n".join(_lines(batch)))
    return 0


def _modes(args: argparse.Namespace) -> dict[SampleMode, float]:
    from pytest_taubench.taskbench.sampling import MODE_RATIO

    if args.mode is not None:
        return {args.mode: 1}
    if args.size is None:
        return dict(MODE_RATIO)
    return {m: w for m, w in MODE_RATIO.items() if (m == "node") == (args.size == 1)}


def _sizes(args: argparse.Namespace) -> dict[str, Any]:
    return {} if args.size is None else {"sizes": {args.size: 1}}


def _lines(batch: Batch) -> list[str]:
    lines = [_shown(draw.subgraph) for draw in batch.draws]
    modes = Counter(draw.subgraph.mode for draw in batch.draws)
    lines.append(", ".join(f"{mode} {times}" for mode, times in modes.most_common()))
    for mode, size in sorted(batch.impossible):
        lines.append(f"the graph has no {mode} of size {size}; others were drawn instead")
    return lines


def _shown(subgraph: Subgraph) -> str:
    label = f"{subgraph.mode} {len(subgraph.tools)}: "
    if subgraph.mode != "dag":
        return label + " → ".join(subgraph.tools)
    return label + "; ".join(f"{edge.source} → {edge.target}" for edge in subgraph.edges)
