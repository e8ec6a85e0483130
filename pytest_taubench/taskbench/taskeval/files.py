"""Read gold and predictions from files, and check that they fit the tool graph."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_taubench.errors import TaskFileError
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_file import load_tool_graph, tool_graph_names
from pytest_taubench.taskbench.taskeval.faults import PlanFault, PlanFaultKind, shown
from pytest_taubench.text.json_values import integer


@dataclass
class Rows:
    """The rows of a file by id, and what was wrong with others.

    Attributes:
        by_id: The rows; of several with one id, the last.
        read: How many rows the file has.
        faults: What was wrong, with the line.
    """

    by_id: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    read: int = 0
    faults: list[PlanFault] = field(default_factory=list)

    def add(self, row: Any, where: str) -> None:
        """Add a row, or note why it cannot be."""
        self.read += 1
        if not isinstance(row, Mapping):
            self.faults.append(PlanFault(PlanFaultKind.LINE_NOT_OBJECT, f"{where} is {shown(row)}"))
        elif not isinstance(row.get("id"), str | int):
            self.faults.append(PlanFault(PlanFaultKind.NO_ID, f"{where} has no id"))
        else:
            id_ = str(row["id"])
            if id_ in self.by_id:
                self.faults.append(
                    PlanFault(PlanFaultKind.DUPLICATE_ID, f"{where} repeats {shown(id_)}")
                )
            self.by_id[id_] = row


def rows_of(items: Iterable[Any], where: str = "row") -> Rows:
    """Collect rows that are in memory already."""
    rows = Rows()
    for number, item in enumerate(items, start=1):
        rows.add(item, f"{where} {number}")
    return rows


def gold_rows(items: Iterable[Any], where: str = "row") -> Rows:
    """Collect annotations of any of the shapes in use, brought to TaskBench's fields."""
    return rows_of((published_fields(i) if isinstance(i, Mapping) else i for i in items), where)


def read_gold(path: Path) -> Rows:
    """Read an annotation file."""
    rows, faults = _read(path)
    gold = gold_rows(rows, f"{path.name}: sample")
    if not gold.by_id:
        raise TaskFileError(f"{path}: holds no sample with an id")
    gold.faults += faults
    return gold


def read_predictions(path: Path) -> Rows:
    """Read a predictions file: ``{"id": …, "result": {…}}`` a line."""
    rows, faults = _read(path)
    predictions = rows_of(rows, f"{path.name}: prediction")
    predictions.read += len(faults)
    predictions.faults += faults
    return predictions


def _read(path: Path) -> tuple[list[Any], list[PlanFault]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise TaskFileError(f"{path}: cannot be read: {error.strerror}") from error
    if text.lstrip().startswith("["):
        # One list; but a file of lines may well begin with a wrong line that is a list.
        with suppress(ValueError, RecursionError):
            whole = json.loads(text, parse_int=integer)
            if isinstance(whole, list):
                return whole, []
    faults: list[PlanFault] = []
    return list(_lines(text, path.name, faults)), faults


def _lines(text: str, name: str, faults: list[PlanFault]) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line, parse_int=integer)
        except (ValueError, RecursionError) as error:
            faults.append(PlanFault(PlanFaultKind.LINE_NOT_JSON, f"{name}:{number}: {error}"))


def check_graph_fits(gold: Iterable[Mapping[str, Any]], graph: ToolGraph, where: str) -> None:
    """Refuse annotations most of whose tools the graph does not have.

    Raises:
        TaskFileError: It names the bundled graph that does have them, where one does.
    """
    # By use: an annotation made by a model invents many names, each of them seldom.
    tools = Counter(tool for row in gold for tool in _tools(row))
    total = tools.total()
    missing = total - _known(tools, graph)
    if missing * 2 <= total:
        return
    better = _best_bundled(tools)
    hint = f"; the graph {better!r} has most of them" if better else ""
    raise TaskFileError(
        f"{where}: {missing} of its {total} nodes name no tool of the graph {graph.name!r}{hint}"
    )


def _tools(row: Mapping[str, Any]) -> Iterable[str]:
    nodes = row.get("task_nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, Mapping) and isinstance(node.get("task"), str):
            yield node["task"]


def _known(tools: Counter[str], graph: ToolGraph) -> int:
    return sum(times for tool, times in tools.items() if graph.tool_id(tool) in graph.tools)


def _best_bundled(tools: Counter[str]) -> str | None:
    known = {name: _known(tools, load_tool_graph(name)) for name in tool_graph_names()}
    best = max(known, key=lambda name: known[name], default=None)
    return best if best is not None and known[best] * 2 > tools.total() else None


_RENAMED = {
    "instruction": "user_request",
    "tool_steps": "task_steps",
    "tool_nodes": "task_nodes",
    "tool_links": "task_links",
}
_JSON_IN_TEXT = ("sampled_nodes", "sampled_links", "task_steps", "task_nodes", "task_links")


def published_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample with the paper's field names.

    Read are the two published shapes (``user_request, task_steps, task_nodes, task_links``, and
    ``instruction, tool_steps, tool_nodes, tool_links`` with JSON inside texts), and a task file's
    line, which keeps the fields under ``graph``. What does not decode stays as it is.
    """
    if isinstance(row.get("graph"), Mapping):
        row = {**{key: row[key] for key in ("domain",) if key in row}, **row["graph"]}
    fields = {_RENAMED.get(key, key): value for key, value in row.items()}
    for key in _JSON_IN_TEXT:
        if isinstance(fields.get(key), str):
            fields[key] = _decoded(fields[key])
    return fields


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
