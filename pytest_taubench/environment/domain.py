"""Domains: a folder of tools, database and policy, bundled or anyone's own.

<name>/
  policy.md     what the agent is told
  db/*.json     one table a file, {key: record}
  tools.py      functions made tools by @tool (or a package tools/)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pytest_taubench.environment.database import Database, table_files
from pytest_taubench.environment.domain_folder import (
    expected_files,
    find_domain,
    load_tools,
    read_policy,
)
from pytest_taubench.environment.environment import Environment
from pytest_taubench.environment.fingerprint import database_digest, text_digest, tools_digest
from pytest_taubench.environment.tool import Tool
from pytest_taubench.errors import DomainError
from pytest_taubench.schema import DomainFingerprint


@dataclass(frozen=True)
class Domain:
    """Tools, database and policy.

    Attributes:
        name: The folder's name.
        folder: Where it was loaded from.
        policy: What the agent is told.
        tools: The tools by name, in the order their module defines them.
        database: The frozen records every trial starts from.
        files: The files the database was read from; none where it was made in memory.
    """

    name: str
    folder: Path
    policy: str
    tools: Mapping[str, Tool]
    database: Database
    files: tuple[Path, ...] = ()

    def environment(self) -> Environment:
        """Return a fresh environment, as one trial gets it."""
        return Environment(self.tools, self.database)

    @cached_property
    def fingerprint(self) -> DomainFingerprint:
        """What it is made of, in hashes; read from its files when it is first asked for."""
        return DomainFingerprint(
            name=self.name,
            policy=text_digest(self.policy),
            tools=tools_digest(self.folder, self.tools),
            database=database_digest(self.database, self.files),
        )

    def user_keys(self) -> frozenset[str] | None:
        """Return the keys that a task's user may have, or None where the domain keeps no users.

        It keeps users when it has a table ``users``; a task may be of anyone else it has a record
        of, whatever the table.
        """
        if "users" not in self.database.tables:
            return None
        tables = map(self.database.table, self.database.tables)
        return frozenset(key for table in tables for key in table)

    def with_data(
        self,
        *,
        database: Database | None = None,
        policy: str | None = None,
        name: str | None = None,
        files: Sequence[Path] = (),
    ) -> Domain:
        """Return the same tools on another database or policy.

        Args:
            database: The other database.
            policy: The other policy.
            name: The new domain's name.
            files: The files that the other database was read from.
        """
        return dataclasses.replace(
            self,
            database=self.database if database is None else database,
            policy=self.policy if policy is None else policy,
            name=self.name if name is None else name,
            files=self.files if database is None else tuple(files),
        )


@dataclass
class DomainLibrary:
    """Loads each domain once; whoever holds the library decides how long it is kept."""

    _loaded: dict[Path, Domain] = field(default_factory=dict)

    def get(self, name_or_path: str, base: Path | None = None) -> Domain:
        """Return a domain, loaded at first use.

        Raises:
            DomainError: As ``load_domain``.
        """
        folder = find_domain(name_or_path, base)
        if folder not in self._loaded:
            self._loaded[folder] = load_folder(folder)
        return self._loaded[folder]


def load_domain(name_or_path: str, base: Path | None = None) -> Domain:
    """Load a domain by the name of a bundled one or by a path to its folder.

    Args:
        name_or_path: E.g. ``retail``, or ``../domains/telecom``.
        base: The folder a path is relative to; the current one by default.

    Raises:
        DomainError: There is no such domain, or it is incomplete or wrong; the message says
            where, and what was expected.
    """
    return load_folder(find_domain(name_or_path, base))


def load_folder(folder: Path) -> Domain:
    """Load the domain of a folder.

    Raises:
        DomainError: It is incomplete or wrong.
    """
    policy = folder / "policy.md"
    if not policy.is_file():
        raise DomainError(f"{policy}: missing; {expected_files(folder)}")
    return Domain(
        name=folder.name,
        folder=folder,
        policy=read_policy(policy),
        tools=load_tools(folder),
        database=Database.load(folder / "db"),
        files=tuple(table_files(folder / "db").values()),
    )
