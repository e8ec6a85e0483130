"""TaskEval's tables as plain text: for the command line and pytest's summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pytest_taubench.taskbench.records import DISTANCES, Distance

_ROWS = {"single": "node", "chain": "chain", "dag": "DAG", "overall": "overall"}
_COLUMNS = {
    "rouge1": "R1",
    "rouge2": "R2",
    "rougeL": "RL",
    "node_f1": "n-F1",
    "edge_f1": "e-F1",
    "ned": "NED",
    "t_f1": "t-F1",
    "v_f1": "v-F1",
}
_ACCURACIES = {
    "node_set_accuracy": "node set",
    "edge_set_accuracy": "edge set",
    "graph_accuracy": "graph",
}
_MODES = {
    "reference": "reference mode: comparable with published numbers",
    "strict": "strict mode: what is missing or invented counts",
}


def render_taskeval(result: Mapping[str, Any], width: int | None = None) -> str:
    """Return the tables of a TaskEval outcome, in percent.

    Args:
        result: The outcome as data: ``mode``, ``graph``, ``groups``, ``counts`` and ``faults``.
        width: Columns there are; the table by number of tools has only its accuracies, as in the
            paper, where it would not fit with all metrics.
    """
    lines = [title_of(result), count_line(result["counts"], result["mode"])]
    lines += ["", *_aligned(type_rows(result["groups"]))]
    by_tools = _aligned(tools_rows(result["groups"]))
    if width is not None and any(len(line) > width for line in by_tools):
        by_tools = _aligned(tools_rows(result["groups"], _ACCURACIES))
    if by_tools:
        lines += ["", "by number of tools (accuracy: exactly gold's)", *by_tools]
    lines += _fault_lines("predictions", result.get("faults", {}))
    lines += _fault_lines("gold", result.get("gold_faults", {}))
    return "\n".join(lines)


def type_rows(groups: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """Return the table by type of graph as cells: the head, then node, chain, DAG, overall."""
    rows = [(label, groups[name]) for name, label in _ROWS.items() if name in groups]
    return _cells(rows, _COLUMNS)


def tools_rows(
    groups: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, str] = MappingProxyType({**_COLUMNS, **_ACCURACIES}),
) -> list[list[str]]:
    """Return the table by number of tools as cells, of those numbers that have samples."""
    sizes = sorted(int(name) for name in groups if name.isdigit() and groups[name]["samples"])
    rows = [(str(size), groups[str(size)]) for size in sizes]
    return _cells(rows, columns) if rows else []


def count_line(counts: Mapping[str, int], mode: str) -> str:
    """Return how many samples there are, and what of them could not be scored."""
    # What is missing is left out of the reference figures, and a zero in the strict ones.
    effect = "each scored 0" if mode == "strict" else "left out"
    samples = "1 sample" if counts["gold"] == 1 else f"{counts['gold']} samples"
    line = f"{samples}, {counts['scored']} with a graph scored"
    if counts["missing"]:
        line += f", {counts['missing']} without a prediction ({effect})"
    if counts["unreadable"]:
        line += f", {counts['unreadable']} with an unreadable one ({effect})"
    return line


def title_of(result: Mapping[str, Any]) -> str:
    """Return which graph and which mode the figures are of."""
    mode = result["mode"]
    return f"TaskEval of {result['graph']}, {_MODES.get(mode, mode)}"


def _cells(
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    columns: Mapping[str, str],
    count: str = "samples",
) -> list[list[str]]:
    return [
        ["", count, *columns.values()],
        *(
            [label, str(group["samples"]), *(_percent(group.get(key)) for key in columns)]
            for label, group in rows
        ),
    ]


def _aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    if not cells:
        return []
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return [_line(row, widths) for row in cells]


def _line(row: Iterable[str], widths: Sequence[int]) -> str:
    cells = [
        cell.rjust(width) if index else cell.ljust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"


def _fault_lines(where: str, faults: Mapping[str, int]) -> list[str]:
    if not faults:
        return []
    return ["", f"faults in {where}: " + ", ".join(f"{k} {n}" for k, n in faults.items())]


def render_distances(distances: Sequence[Distance]) -> str:
    """Return how far failed τ trials were, in percent; empty where none failed.

    Args:
        distances: The means by suite.
    """
    if not distances:
        return ""
    columns = {name: _COLUMNS[name] for name in DISTANCES}
    rows = [(each.suite, {"samples": each.failed, **each.means}) for each in distances]
    title = "how far the failed trials were: write actions against gold's, TaskEval in strict mode"
    return "\n".join([title, *_aligned(_cells(rows, columns, count="failed"))])
