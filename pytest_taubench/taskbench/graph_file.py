"""Read tool graphs from files: our ``tools.json``, and the published two."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pytest_taubench.bundled import domains_root, refuse_no_path
from pytest_taubench.errors import DomainError
from pytest_taubench.taskbench.graph import (
    Dependency,
    Edge,
    GraphTool,
    Parameter,
    ToolGraph,
    build_graph,
    spoken_name,
)
from pytest_taubench.text.names import did_you_mean

TOOLS_FILE = "tools.json"
_FILES = (TOOLS_FILE, "graph_desc.json", "tool_desc.json")

_GRAPH_FIELDS = ("name", "dependency", "notes", "tools", "nodes", "edges", "links")

# Our field names first, then the published ones.
_TOOL_FIELDS = {
    "id": "id",
    "description": "description",
    "desc": "description",
    "inputs": "inputs",
    "input-type": "inputs",
    "outputs": "outputs",
    "output-type": "outputs",
    "parameters": "parameters",
}


def load_tool_graph(name_or_path: str | Path, base: Path | None = None) -> ToolGraph:
    """Load a tool graph by bundled name, or by the path of its folder or file.

    Args:
        name_or_path: A bundled domain's name, or a path relative to ``base``.
        base: Where a relative path starts; the current directory by default.

    Raises:
        DomainError: There is no such graph, or its file is wrong; all problems are named.
    """
    file = _find(str(name_or_path), base or Path())
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end]
        raise DomainError(
            f"{file}: {wrong!r} is half a character, which no file can hold"
        ) from error
    except RecursionError as error:
        raise DomainError(f"{file}: nested too deep to be read") from error
    except ValueError as error:
        raise DomainError(f"{file}: not JSON: {error}") from error
    return graph_from_data(data, name=file.parent.name, where=str(file))


def tool_graph_names() -> list[str]:
    """Return the names of the bundled tool graphs."""
    return sorted(file.parent.name for file in domains_root().glob(f"*/{TOOLS_FILE}"))


def graph_from_data(data: Any, *, name: str, where: str) -> ToolGraph:
    """Validate a file's content and build its graph.

    Args:
        data: The decoded JSON.
        name: The graph's name, where the file gives none.
        where: The file, for messages.
    """
    problems: list[str] = []
    if not isinstance(data, dict):
        raise DomainError(f"{where}: expected an object, found {type(data).__name__}")
    problems += _unknown_fields(data, _GRAPH_FIELDS, "the graph")
    tools = _read_tools(data.get("tools", data.get("nodes")), problems)
    dependency = _dependency(data, tools, problems)
    if dependency == "resource":
        problems += _alike(tools)
    links = data.get("edges", data.get("links"))
    edges = None if links is None else _read_edges(links, tools, dependency, problems)
    stated = data.get("name", name)
    if not isinstance(stated, str) or not stated:
        problems.append(f"name: expected a text, found {stated!r}")
    if problems:
        raise DomainError("\n".join(f"{where}: {problem}" for problem in problems))
    return build_graph(stated, dependency, tools.values(), edges)


def _find(name_or_path: str, base: Path) -> Path:
    refuse_no_path(name_or_path)
    bundled = domains_root() / name_or_path / TOOLS_FILE
    if Path(name_or_path).name == name_or_path and bundled.is_file():
        return bundled
    path = base / name_or_path
    if path.is_file():
        return path
    found = next((path / file for file in _FILES if (path / file).is_file()), None)
    if found is None:
        raise DomainError(_unknown(name_or_path, path))
    return found


def _unknown(name: str, path: Path) -> str:
    if path.is_dir():
        return f"tool graph {name!r}: the folder holds none of {', '.join(_FILES)}"
    names = tool_graph_names()
    hint = did_you_mean(name, names, f"bundled are {', '.join(names)}")
    return f"there is no tool graph {name!r}, by name or as a path; {hint}"


def _read_tools(raw: Any, problems: list[str]) -> dict[str, GraphTool]:
    if not isinstance(raw, list) or not raw:
        problems.append("expected a list of tools under 'tools'")
        return {}
    tools: dict[str, GraphTool] = {}
    for index, item in enumerate(raw):
        tool = _read_tool(item, f"tools[{index}]", problems)
        if tool is None:
            continue
        if tool.id in tools:
            problems.append(f"tools[{index}]: the id {tool.id!r} is there twice")
        tools[tool.id] = tool
    return tools


def _alike(tools: Mapping[str, GraphTool]) -> list[str]:
    """Say which ids a plan cannot tell apart."""
    first: dict[str, str] = {}
    problems = []
    for id_ in tools:
        other = first.setdefault(spoken_name(id_), id_)
        if other != id_:
            problems.append(
                f"the ids {other!r} and {id_!r} are one name, since '_' stands for a space in "
                "a resource graph"
            )
    return problems


def _read_tool(raw: Any, where: str, problems: list[str]) -> GraphTool | None:
    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str) or not raw["id"]:
        problems.append(f"{where}: expected an object with an 'id'")
        return None
    where = f"{where} ({raw['id']})"
    problems += _unknown_fields(raw, _TOOL_FIELDS, where)
    fields = {_TOOL_FIELDS[key]: value for key, value in raw.items() if key in _TOOL_FIELDS}
    return GraphTool(
        id=raw["id"],
        description=str(fields.get("description", "")),
        inputs=_types(fields.get("inputs", []), f"{where}.inputs", problems),
        outputs=_types(fields.get("outputs", []), f"{where}.outputs", problems),
        parameters=_parameters(fields.get("parameters", []), f"{where}.parameters", problems),
    )


def _unknown_fields(raw: Mapping[str, Any], known: Collection[str], where: str) -> list[str]:
    problems = []
    for key in raw:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            problems.append(f"{where}: unknown field {key!r}" + (f", {near[0]!r}?" if near else ""))
    return problems


def _types(raw: Any, where: str, problems: list[str]) -> tuple[str, ...]:
    if isinstance(raw, list) and all(isinstance(item, str) and item for item in raw):
        return tuple(raw)
    problems.append(f"{where}: expected a list of type names, found {raw!r}")
    return ()


def _parameters(raw: Any, where: str, problems: list[str]) -> tuple[Parameter, ...]:
    if not isinstance(raw, list):
        problems.append(f"{where}: expected a list, found {raw!r}")
        return ()
    parameters: list[Parameter] = []
    for item in raw:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            problems.append(f"{where}: expected objects with a 'name', found {item!r}")
            continue
        if item["name"] in {known.name for known in parameters}:
            problems.append(f"{where}: the parameter {item['name']!r} is there twice")
        text = item.get("description", item.get("desc", ""))
        parameters.append(Parameter(item["name"], str(item.get("type", "string")), str(text)))
    return tuple(parameters)


def _dependency(
    data: Mapping[str, Any], tools: Mapping[str, GraphTool], problems: list[str]
) -> Dependency:
    """Return the stated dependency, else the one that the tools' fields show."""
    typed = [tool for tool in tools.values() if tool.inputs or tool.outputs]
    named = [tool for tool in tools.values() if tool.parameters]
    stated = data.get("dependency", "resource" if typed else "temporal")
    if stated not in ("resource", "temporal"):
        problems.append(f"dependency: expected 'resource' or 'temporal', found {stated!r}")
        return "resource"
    wrong = named if stated == "resource" else typed
    for tool in wrong:
        fields = "parameters" if stated == "resource" else "inputs and outputs"
        problems.append(f"{tool.id}: a {stated} graph's tools have no {fields}")
    return "resource" if stated == "resource" else "temporal"


def _read_edges(
    raw: Any, tools: Mapping[str, GraphTool], dependency: Dependency, problems: list[str]
) -> list[Edge]:
    if not isinstance(raw, list):
        problems.append("expected a list of edges under 'edges'")
        return []
    edges: dict[tuple[str, str], Edge] = {}
    for index, item in enumerate(raw):
        edge = _read_edge(item, tools, dependency, f"edges[{index}]", problems)
        if edge is None:
            continue
        if (edge.source, edge.target) in edges:
            problems.append(f"edges[{index}]: {edge.source} → {edge.target} is there twice")
        edges[edge.source, edge.target] = edge
    return list(edges.values())


def _read_edge(
    raw: Any,
    tools: Mapping[str, GraphTool],
    dependency: Dependency,
    where: str,
    problems: list[str],
) -> Edge | None:
    if not isinstance(raw, dict):
        problems.append(f"{where}: expected an object, found {raw!r}")
        return None
    source, target = tools.get(str(raw.get("source"))), tools.get(str(raw.get("target")))
    if source is None or target is None:
        end = "target" if source else "source"
        problems.append(f"{where}: no such {end} tool: {raw.get(end)!r}")
        return None
    edge = Edge(source.id, target.id, str(raw.get("type", "")))
    if source.id == target.id:
        problems.append(f"{where}: {source.id} points at itself")
    fits = edge.type in source.outputs and edge.type in target.inputs
    if dependency == "resource" and not fits:
        problems.append(f"{where}: {source.id} gives no {edge.type!r} that {target.id} takes")
    return edge


class GraphLibrary:
    """Loads each tool graph once, however many samples name it."""

    def __init__(self) -> None:
        self._bundled = frozenset(tool_graph_names())
        self._loaded: dict[tuple[str, Path | None], ToolGraph] = {}

    def get(self, name: str, base: Path | None = None) -> ToolGraph:
        """Return a tool graph by its bundled name, or by a path relative to ``base``.

        Raises:
            DomainError: There is none, or it is wrong.
        """
        key = (name, None if name in self._bundled else base)
        if key not in self._loaded:
            self._loaded[key] = load_tool_graph(name, base)
        return self._loaded[key]
