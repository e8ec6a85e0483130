"""Finds the stored runs that options name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_taubench.plugin.options.values import OPTIONS, run_dir
from pytest_taubench.text.names import meant

if TYPE_CHECKING:
    from pytest_taubench.runs.stored_run import StoredRun
    from pytest_taubench.schema import TrialRecord

_FOLDERS: pytest.StashKey[dict[str, str]] = pytest.StashKey()
_WORKERINPUT = "tau_folders"
_OF_GRAPH = ("type", "counts", "faults")
_HEAVY: dict[str, Any] = {"trajectory": [], "expected_changes": {}, "actual_changes": {}}


def without_conversation(record: TrialRecord) -> TrialRecord:
    """Return a record without what only a report of its trial needs, to save memory.

    Of a plan, what TaskEval counted stays, which is all that its tables need.
    """
    graph = record.graph and {name: record.graph.get(name) for name in _OF_GRAPH}
    return record.model_copy(update={**_HEAVY, "graph": graph})


def share_folder(config: pytest.Config, purpose: str, folder: Path) -> None:
    """Keep a folder for every process of the run; xdist workers read their options anew."""
    config.stash.setdefault(_FOLDERS, {})[purpose] = str(folder)


def shared_folder(config: pytest.Config, purpose: str) -> Path | None:
    """Return the folder that the process that keeps the run has shared, if any."""
    sent: dict[str, Any] = getattr(config, "workerinput", {})
    folders: dict[str, str] = sent.get(_WORKERINPUT, {}) or config.stash.get(_FOLDERS, {})
    return Path(folders[purpose]) if purpose in folders else None


class SharedFolders:
    """Sends the shared folders to each worker."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Put them into the worker's input."""
        node.workerinput[_WORKERINPUT] = node.config.stash.get(_FOLDERS, {})


def named_run(config: pytest.Config, option: str, name: str) -> StoredRun:
    """Read the run that an option names: a path, or a name in the folder of runs.

    Args:
        config: The pytest config.
        option: The option, for the error.
        name: Its value. A path is taken from the current directory or the root directory.

    Raises:
        pytest.UsageError: There is no such run, or it cannot be read.
    """
    from pytest_taubench.runs.store import StoreError
    from pytest_taubench.runs.stored_run import load_run, run_folders

    parents = (
        config.invocation_params.dir,
        config.rootpath,
        run_dir(config, config.stash[OPTIONS]),
    )
    paths = [parent / name for parent in parents]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        looked = ", ".join(dict.fromkeys(map(_parent_text, paths)))
        hint = meant(name, [each.name for each in run_folders(parents[-1])])
        raise pytest.UsageError(f"{option}: there is no run {name!r} in {looked}{hint}")
    try:
        return load_run(path)
    except StoreError as error:
        raise pytest.UsageError(f"{option}: {error}") from error


def _parent_text(path: Path) -> str:
    return str(path.parent)
