"""Puts upstream data under a domain's tools, and says where these depart from the reference's."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pytest_taubench.environment.database import Database
from pytest_taubench.environment.domain import Domain
from pytest_taubench.environment.domain_folder import bundled_domains, load_tools, tools_file
from pytest_taubench.errors import DomainError, ToolError
from pytest_taubench.schema import Task
from pytest_taubench.task_files.upstream.files import DataError, GetDomain
from pytest_taubench.task_files.yaml_text import load

FILE = "departures.yaml"


@dataclass(frozen=True)
class Departure:
    """One thing our tools do otherwise.

    Attributes:
        fault: The number of the fault in the list of known faults that asks for it.
        tools: The tools it is seen in.
        reference: What the reference's tools do.
        ours: What ours do.
    """

    fault: int
    tools: tuple[str, ...]
    reference: str
    ours: str

    def __str__(self) -> str:
        return f"{', '.join(self.tools)}: the reference {self.reference}; here {self.ours}."


def read_departures(folder: Path) -> list[Departure]:
    """Return the departures a domain folder states; none where it has no such file.

    Raises:
        DomainError: The file is wrong.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        content: Any = load(path.read_text(encoding="utf-8"))
        return [
            Departure(int(d["fault"]), tuple(d["tools"]), str(d["reference"]), str(d["ours"]))
            for d in content
        ]
    except (OSError, yaml.YAMLError, TypeError, KeyError, ValueError) as error:
        raise DomainError(f"{path}: expected a list of departures: {error}") from None


def departure_notes(folder: Path) -> list[str]:
    """Return a domain's departures as lines to read."""
    return [f"Departs from the reference: {departure}" for departure in read_departures(folder)]


_SHOWN = 5


def upstream_domain(
    name: str,
    folder: Path,
    tables: Mapping[str, Mapping[str, Any]],
    policy: str | None,
    get_domain: GetDomain,
    files: Sequence[Path] = (),
) -> Domain:
    """Return the domain of a data folder.

    Args:
        name: Its name, which says whose tools it needs.
        folder: The data folder; tools of its own come before bundled ones.
        tables: The upstream records.
        policy: The upstream policy, or None to keep the bundled domain's.
        get_domain: Gives a bundled domain.
        files: The files that the records were read from.

    Raises:
        DataError: No domain has the name, or its tools need tables that are not there.
    """
    if tools_file(folder) is not None:
        return dataclasses.replace(_own_domain(name, folder, tables, policy), files=tuple(files))
    bundled = _bundled(name, folder, get_domain)
    missing = [table for table in bundled.database.tables if table not in tables]
    if missing:
        raise DataError(f"{folder}: the domain '{name}' needs the tables {', '.join(missing)} too")
    return bundled.with_data(database=_database(folder, tables), policy=policy, files=files)


def _bundled(name: str, folder: Path, get_domain: GetDomain) -> Domain:
    try:
        return get_domain(name)
    except DomainError as error:
        known = bundled_domains()
        why = f" ({error})" if name in known else ""
        raise DataError(
            f"{folder}: no tools for the domain '{name}'{why}; known are {', '.join(known)}, and "
            "a folder with a tools.py of its own is read with that"
        ) from error


def _own_domain(
    name: str, folder: Path, tables: Mapping[str, Mapping[str, Any]], policy: str | None
) -> Domain:
    try:
        tools = load_tools(folder)
    except DomainError as error:
        raise DataError(str(error)) from error
    return Domain(name, folder, policy or "", tools, _database(folder, tables))


def _database(folder: Path, tables: Mapping[str, Mapping[str, Any]]) -> Database:
    try:
        return Database(tables)
    except DomainError as error:
        raise DataError(f"{folder}: {error}") from None


def reading_notes(domain: Domain, tasks: list[Task]) -> list[str]:
    """Return what a reader must know of how upstream tasks are graded under these tools."""
    notes = [
        "A gold action that fails is passed over, as the reference does; the record says so.",
        "An output counts as told where it is a substring of a reply, the paper's rule.",
    ]
    notes += _misfits(domain, tasks)
    return notes + departure_notes(domain.folder)


def _misfits(domain: Domain, tasks: list[Task]) -> list[str]:
    """Return which gold calls cannot even be made; own files are refused for that."""
    found = [
        f"task {task.id}, gold action {number} ({action.name}): {fault}"
        for task in tasks
        for number, action in enumerate(task.actions, start=1)
        if (fault := _misfit(domain, action.name, action.arguments)) is not None
    ]
    if len(found) > _SHOWN:
        return [*found[:_SHOWN], f"... and {len(found) - _SHOWN} more gold actions like these"]
    return found


def _misfit(domain: Domain, name: str, arguments: dict[str, Any]) -> str | None:
    if name not in domain.tools:
        return "no such tool"
    try:
        domain.tools[name].check(arguments)
    except ToolError as error:
        return str(error)
    return None
