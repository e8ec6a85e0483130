"""Finds upstream data in a folder, of whichever benchmark, and reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from pytest_taubench.environment.domain import DomainLibrary
from pytest_taubench.task_files.upstream.files import DataError, DataSuite, GetDomain
from pytest_taubench.task_files.upstream.taskbench import read_samples, samples_file
from pytest_taubench.task_files.upstream.tau2 import is_tau2_folder, read_tau2_folder
from pytest_taubench.task_files.upstream.tau_bench import (
    is_reference_folder,
    is_table_folder,
    read_reference_folder,
    read_table_folder,
)

_DEPTH = 6
_SKIPPED = ("node_modules", "__pycache__", "site-packages")

Reader = Callable[[Path, GetDomain], list[DataSuite]]

_EXPECTED = (
    "expected a folder of tables and tasks_test.json, a checkout of the τ-bench repository, a "
    "τ²-bench data folder (domains/<name>/db.json and tasks.json), or TaskBench samples"
)


def read_data(
    folder: Path,
    get_domain: GetDomain | None = None,
    suites: Collection[str] = (),
) -> list[DataSuite]:
    """Read the upstream data found in a folder, at any depth up to six.

    Args:
        folder: A data folder, a folder that holds some, or a file of TaskBench samples.
        get_domain: Gives bundled domains, so that each is loaded once; a library of its own
            by default.
        suites: The suites wanted; where none of these names is found, the default ones, which
            leave out the splits for development and training.

    Returns:
        The suites, each with a name of its own.

    Raises:
        DataError: The folder is missing or holds nothing that is known.
    """
    if not folder.exists():
        raise DataError(f"{folder}: no such folder")
    get_domain = get_domain or DomainLibrary().get
    found = [suite for place, read in _places(folder) for suite in read(place, get_domain)]
    if not found:
        raise DataError(f"{folder}: no benchmark data found; {_EXPECTED}")
    _name_apart(found)
    wanted = [suite for suite in found if suite.name in suites]
    return wanted or [suite for suite in found if suite.default]


def _places(folder: Path, depth: int = _DEPTH) -> Iterator[tuple[Path, Reader]]:
    """Yield each place that holds data, with what reads it; nothing inside it is looked at."""
    reader = _reader(folder)
    if reader is not None:
        yield folder, reader
    elif folder.is_dir() and depth > 0:
        for child in sorted(folder.iterdir()):
            if child.is_dir() and not child.name.startswith(".") and child.name not in _SKIPPED:
                yield from _places(child, depth - 1)


def _reader(path: Path) -> Reader | None:
    if is_tau2_folder(path):
        return read_tau2_folder
    if is_reference_folder(path):
        return read_reference_folder
    if is_table_folder(path):
        return read_table_folder
    if samples_file(path) is not None:
        return lambda place, _: read_samples(place)
    return None


def _name_apart(suites: list[DataSuite]) -> None:
    """Give suites of one name the name of the folder above as well, then a number."""
    for above in (True, False):
        counts = Counter(suite.name for suite in suites)
        seen: Counter[str] = Counter()
        for suite in suites:
            name = suite.name
            seen[name] += 1
            if counts[name] > 1 and (above or seen[name] > 1):
                mark = suite.folder.resolve().parent.name if above else seen[name]
                suite.name = f"{mark}-{name}" if above else f"{name}-{mark}"
