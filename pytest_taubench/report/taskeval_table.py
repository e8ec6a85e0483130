"""TaskEval's tables as plain text: for the command line and pytest's summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pytest_taubench.metrics.distance import DISTANCES, Distance

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
    mode = result["mode"]
    lines = [f"TaskEval of {result['graph']}, {_MODES.get(mode, mode)}"]
    lines += _count_lines(result["counts"], mode)
    lines += ["", *type_table(result["groups"])]
    by_tools = tools_table(result["groups"])
    if width is not None and any(len(line) > width for line in by_tools):
        by_tools = tools_table(result["groups"], _ACCURACIES)
    if by_tools:
        lines += ["", "by number of tools (accuracy: exactly gold's)", *by_tools]
    lines += _fault_lines("predictions", result.get("faults", {}))
    lines += _fault_lines("gold", result.get("gold_faults", {}))
    return "\n".join(lines)


def type_table(groups: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the table by type of graph: rows node, chain, DAG, overall."""
    rows = [(label, groups[name]) for name, label in _ROWS.items() if name in groups]
    return _table(rows, _COLUMNS)


def tools_table(
    groups: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, str] = MappingProxyType({**_COLUMNS, **_ACCURACIES}),
) -> list[str]:
    """Return the table by number of tools, of those that have samples."""
    sizes = sorted(int(name) for name in groups if name.isdigit() and groups[name]["samples"])
    rows = [(str(size), groups[str(size)]) for size in sizes]
    return _table(rows, columns) if rows else []


def _table(
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    columns: Mapping[str, str],
    count: str = "samples",
) -> list[str]:
    head = ["", count, *columns.values()]
    cells = [
        [label, str(group["samples"]), *(_percent(group.get(key)) for key in columns)]
        for label, group in rows
    ]
    widths = [max(len(row[i]) for row in [head, *cells]) for i in range(len(head))]
    return [_line(row, widths) for row in [head, *cells]]


def _line(row: Iterable[str], widths: Sequence[int]) -> str:
    cells = [
        cell.rjust(width) if index else cell.ljust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"


def _count_lines(counts: Mapping[str, int], mode: str) -> list[str]:
    # What is missing is left out of the reference figures, and a zero in the strict ones.
    effect = "each scored 0" if mode == "strict" else "left out"
    samples = "1 sample" if counts["gold"] == 1 else f"{counts['gold']} samples"
    line = f"{samples}, {counts['scored']} with a graph scored"
    if counts["missing"]:
        line += f", {counts['missing']} without a prediction ({effect})"
    if counts["unreadable"]:
        line += f", {counts['unreadable']} with an unreadable one ({effect})"
    return [line]


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
    return "\n".join([title, *_table(rows, columns, count="failed")])
