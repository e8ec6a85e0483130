"""What a model planner is shown before the request: samples that this run does not score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.errors import FatalError, TauBenchError
from pytest_taubench.plugin.collect.samples import CollectedSample, graph_library
from pytest_taubench.plugin.options.values import OPTIONS
from pytest_taubench.schema import Sample

if TYPE_CHECKING:
    from pytest_taubench.taskbench.graph import ToolGraph


class Demonstrations:
    """Picks the demonstrations of each sample, none of which any item of the session scores."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._shots: int = config.stash[OPTIONS]["shots"]
        self._picked: dict[str, list[Sample]] = {}

    def of(self, collected: CollectedSample) -> Sequence[Sample]:
        """Return the demonstrations of a sample.

        Raises:
            FatalError: There are too few that no item scores, so that no trial can be run.
        """
        if not self._shots:
            return ()
        graph = collected.load_graph().name
        scored = self._scored.get(graph, {})
        if id(collected.sample) not in scored:  # a fixture runs it
            return self._pick(graph, [*scored.values(), collected.sample])
        if graph not in self._picked:
            self._picked[graph] = self._pick(graph, list(scored.values()))
        return self._picked[graph]

    def _pick(self, graph: str, scored: Sequence[Sample]) -> list[Sample]:
        from pytest_taubench.taskbench.planners import pick_demonstrations

        pool = [sample for sample, found in self._pool if found.name == graph]
        try:
            return pick_demonstrations(pool, scored, self._shots)
        except TauBenchError as error:
            raise FatalError(
                f"--tau-shots={self._shots}: {error}; --tau-demos=FILE names others of {graph}"
            ) from error

    @cached_property
    def _scored(self) -> dict[str, dict[int, Sample]]:
        """The samples of the session's items by tool graph and identity."""
        scored: dict[str, dict[int, Sample]] = {}
        session: Any = self._config.pluginmanager.get_plugin("session")
        for item in session.items:
            collected = getattr(item, "collected", None)
            if isinstance(collected, CollectedSample):
                members = scored.setdefault(collected.load_graph().name, {})
                members[id(collected.sample)] = collected.sample
        return scored

    @cached_property
    def _pool(self) -> list[tuple[Sample, ToolGraph]]:
        library = graph_library(self._config)
        return [
            (sample, library.get(sample.domain, file.parent))
            for file in self._files()
            for sample in read_pool(file)
        ]

    def _files(self) -> list[Path]:
        named = self._config.stash[OPTIONS]["demos"]
        if named:
            return [self._config.invocation_params.dir / name for name in named]
        return sorted(suites_root().glob("*/*.tau.jsonl"))


def read_pool(file: Path) -> list[Sample]:
    """Return the samples of a task file, or of a file as TaskBench publishes them.

    Raises:
        TauBenchError: The file cannot be read.
    """
    from pytest_taubench.task_files import is_task_file, read_task_file
    from pytest_taubench.task_files.upstream import read_data

    if is_task_file(file):
        return read_task_file(file).samples
    return [sample for suite in read_data(file) for sample in suite.samples]


def check_demonstrations(config: pytest.Config) -> None:
    """Refuse files of demonstrations that cannot be read, before anything runs.

    Raises:
        pytest.UsageError: Names the file and what is wrong with it.
    """
    for name in config.stash[OPTIONS]["demos"]:
        try:
            read_pool(config.invocation_params.dir / name)
        except (TauBenchError, OSError) as error:
            raise pytest.UsageError(f"--tau-demos: {error}") from error
