"""What the domains of a run are made of: noted where trials run, kept in ``run.json``.

A process notes each domain before its first trial of it, and the report that carries a record
carries the fingerprint to the process that keeps the run.
"""

from __future__ import annotations

import json
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.bundled import domains_root
from pytest_taubench.environment.fingerprint import text_digest
from pytest_taubench.plugin.collect.samples import CollectedSample
from pytest_taubench.plugin.collect.tasks import Collected
from pytest_taubench.schema import DomainFingerprint

if TYPE_CHECKING:
    from pytest_taubench.environment.domain import Domain
    from pytest_taubench.taskbench.graph import ToolGraph


def fingerprint_of(collected: Collected, file: str, root: Path) -> DomainFingerprint:
    """Return the fingerprint of a task's domain or a sample's tool graph.

    Args:
        collected: The task or sample.
        file: The first part of its node id.
        root: The root directory.

    Raises:
        DomainError: The domain cannot be loaded.
    """
    if isinstance(collected, CollectedSample):
        graph = collected.load_graph()
        place = _place_of_graph(collected.domain, file)
        return DomainFingerprint(name=graph.name, place=place, tool_graph=_graph_digest(graph))
    domain = collected.load_domain()
    place = _place(domain, root) if domain.files else f"{file}: {collected.domain}"
    return domain.fingerprint.model_copy(update={"place": place})


def _place(domain: Domain, root: Path) -> str:
    """Return where a domain's data lie; outside the root directory, as far as all machines agree."""
    folder = domain.files[0].resolve().parent
    if domains_root() in folder.parents:
        return ""
    if folder.is_relative_to(root):
        return folder.relative_to(root).as_posix()
    return "/".join(folder.parts[-2:])


def _place_of_graph(name: str, file: str) -> str:
    if Path(name).name == name:
        return ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), Path(name).as_posix()))


def _graph_digest(graph: ToolGraph) -> str:
    tools = [
        (tool.id, tool.description, tool.inputs, tool.outputs, list(map(vars, tool.parameters)))
        for tool in graph.tools.values()
    ]
    return text_digest(json.dumps([graph.dependency, tools, list(map(vars, graph.edges))]))


class NotedDomains:
    """The domains that a process has run trials of."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: set[tuple[str, str, str]] = set()
        self._waiting: list[str] = []

    def note(self, collected: Collected, nodeid: str) -> None:
        """Take the fingerprint of a domain where it is new; its next report carries it."""
        file = nodeid.partition("::")[0]
        key = (file, collected.suite, collected.domain)
        if key not in self._known:
            self._known.add(key)
            found = fingerprint_of(collected, file, self._root)
            self._waiting.append(json.dumps(found.model_dump()))

    def take(self) -> list[str]:
        """Return the fingerprints that no report has carried yet, as ASCII JSON texts."""
        waiting, self._waiting = self._waiting, []
        return waiting
