"""The tool graphs a process has loaded."""

from __future__ import annotations

from pathlib import Path

from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_file import load_tool_graph, tool_graph_names


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
