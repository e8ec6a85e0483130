"""The tasks and samples of a stored run as their files state them now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from pytest_taubench.bundled import suites_root
from pytest_taubench.domain import Domain, DomainLibrary
from pytest_taubench.environment import Tool
from pytest_taubench.schema import Sample, Task
from pytest_taubench.task_file import is_task_file, read_task_file
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.graph_library import GraphLibrary


class TasksToday:
    """The tasks and samples as their files state them now, with what they run on."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._domains = DomainLibrary()
        self._graphs = GraphLibrary()
        self._files: dict[str, dict[str, tuple[Task | Sample, Path]]] = {}

    def task(self, key: str) -> tuple[Task, Domain] | None:
        """Return a τ task with its domain, or None where no task file has it.

        Args:
            key: The node id of its trials, without the trial.

        Raises:
            TauBenchError: The file or the domain is wrong.
        """
        task, base = self._found(key)
        return (task, self._domains.get(task.domain, base)) if isinstance(task, Task) else None

    def sample(self, key: str) -> tuple[Sample, ToolGraph] | None:
        """Return a sample with its tool graph; see ``task``."""
        sample, base = self._found(key)
        return (
            (sample, self._graphs.get(sample.domain, base)) if isinstance(sample, Sample) else None
        )

    def _found(self, key: str) -> tuple[Task | Sample | None, Path]:
        file, _, label = key.partition("::")
        if file not in self._files:
            self._files[file] = self._read(file)
        return self._files[file].get(label, (None, self._root))

    def _read(self, file: str) -> dict[str, tuple[Task | Sample, Path]]:
        for root in (self._root, suites_root()):
            path = root / file
            if path.is_file() and is_task_file(path):
                found = read_task_file(path, self._tools_of, self._graph_tools_of, root)
                entries: list[Task | Sample] = [*found.tasks, *found.samples]
                return {each.id: (each, path.parent) for each in entries}
        return {}

    def _tools_of(self, name: str, base: Path) -> Mapping[str, Tool]:
        return self._domains.get(name, base).tools

    def _graph_tools_of(self, name: str, base: Path) -> Collection[str]:
        return self._graphs.get(name, base).tools
