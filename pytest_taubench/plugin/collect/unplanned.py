"""What was collected and is no planned trial, which the gates are checked against too.

Under xdist the controller knows the ids of what will run and nothing else, so that each worker
leaves the rest in a file.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_taubench.plugin.collect.tasks import Collected

UNPLANNED_FOLDER = "tau_unplanned_folder"
"""Key of ``workerinput``: the folder that the files of the workers are in."""


@dataclass(frozen=True)
class Unplanned:
    """What was collected beside the planned trials.

    Attributes:
        may_run_tasks: Whether a test is there that may run any task.
        deselected: What a gate may call the tasks that are deselected.
    """

    may_run_tasks: bool
    deselected: Sequence[str] = ()

    @classmethod
    def of(cls, items: Iterable[pytest.Item], deselected: Iterable[pytest.Item]) -> Unplanned:
        """Return what is known of the items that will run, and of those that will not."""
        may_run = any("tau_run" in getattr(item, "fixturenames", ()) for item in items)
        return cls(may_run, sorted(_names(deselected)))


def _names(items: Iterable[pytest.Item]) -> set[str]:
    from pytest_taubench.gates.selection import names_of
    from pytest_taubench.plugin.collect.tasks import domain_of

    found = [each for item in items if (each := getattr(item, "collected", None)) is not None]
    # One of each suite and domain will do.
    kinds: dict[tuple[str, str], Collected] = {(each.suite, each.domain): each for each in found}
    return set[str]().union(*(names_of(each.suite, domain_of(each)) for each in kinds.values()))


class UnplannedReport:
    """Leaves what a worker collected where the controller looks for it."""

    def __init__(self, folder: str, worker: str) -> None:
        self._path = _path(folder, worker)
        self._deselected: list[pytest.Item] = []

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Keep what will not run."""
        self._deselected.extend(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write the file before xdist tells the controller that the worker has collected."""
        unplanned = Unplanned.of(session.items, self._deselected)
        # Of another machine, or of a controller that has ended meanwhile, the folder is not there.
        with suppress(FileNotFoundError):
            self._path.write_text(json.dumps(asdict(unplanned)), encoding="utf-8")


class UnplannedByWorkers:
    """Reads what the workers left."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def tell(self, node: Any) -> None:
        """Tell a worker where to leave it."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="tau-unplanned-")
        node.workerinput[UNPLANNED_FOLDER] = self._folder.name

    def of(self, node: Any) -> Unplanned | None:
        """Return what a worker left, or None where it is on another machine."""
        assert self._folder is not None  # the node was told
        try:
            text = _path(self._folder.name, node.gateway.id).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return Unplanned(**json.loads(text))

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()


def _path(folder: str, worker: str) -> Path:
    return Path(folder) / f"{worker}.json"
