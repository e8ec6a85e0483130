"""The database of a domain: one frozen base, and a copy-on-write overlay for each trial."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_taubench.environment.compare import same
from pytest_taubench.environment.frozen import FrozenDict, freeze, thaw
from pytest_taubench.errors import DomainError
from pytest_taubench.schema import Changes, RecordChange
from pytest_taubench.text.foreign import whole_text, whole_texts
from pytest_taubench.text.names import meant


def table_files(folder: Path) -> dict[str, Path]:
    """Return the table files of a ``db`` folder by table name, in name order.

    Raises:
        DomainError: The folder is missing, or two files hold one table.
    """
    if not folder.is_dir():
        raise DomainError(f"{folder}: no such folder; a domain keeps its tables in db/*.json")
    files: dict[str, Path] = {}
    for path in sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")]):
        name = path.name.removesuffix(".gz").removesuffix(".json")
        if name in files:
            raise DomainError(f"{path}: the table {name!r} is also in {files[name].name}")
        files[name] = path
    return files


def read_table(path: Path) -> dict[str, Any]:
    """Read one table file.

    Raises:
        DomainError: It is no JSON object; the message gives file and line.
    """
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        content = json.loads(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise DomainError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DomainError(f"{path}: cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise DomainError(
            f"{path}: expected an object {{key: record}}, got a {type(content).__name__}"
        )
    return content


Record = dict[str, Any]


class _Deleted:
    """Stands in an overlay where the base has a record that is gone."""


_DELETED = _Deleted()
_Entry = Record | _Deleted


class Database:
    """The records every trial starts from, by table and key; frozen, so it is loaded once.

    Args:
        tables: ``{table: {key: record}}``, each record a JSON object.

    Raises:
        DomainError: A table is no ``{key: record}`` object, or a record is not JSON.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, Any]]) -> None:
        self._tables: dict[str, dict[str, FrozenDict]] = {
            name: _frozen_table(name, records) for name, records in tables.items()
        }

    @classmethod
    def load(cls, folder: Path) -> Database:
        """Load each ``*.json`` and ``*.json.gz`` of a folder as the table of that name.

        Raises:
            DomainError: The folder is missing or holds no table, or a file is wrong.
        """
        files = table_files(folder)
        if not files:
            raise DomainError(f"{folder}: no table found; expected files such as orders.json")
        return cls({name: read_table(path) for name, path in files.items()})

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables' names."""
        return tuple(self._tables)

    def table(self, name: str) -> Mapping[str, Record]:
        """Return a table's frozen records by key.

        Raises:
            KeyError: There is no such table; the message names the nearest.
        """
        return MappingProxyType(self._records(name))

    def overlay(self) -> Overlay:
        """Return a fresh overlay: the database of one trial. Costs nothing."""
        return Overlay(self)

    def _records(self, name: str) -> dict[str, FrozenDict]:
        try:
            return self._tables[name]
        except KeyError:
            raise KeyError(_no_table(name, self._tables)) from None


class Overlay:
    """The ``db`` a tool gets: reads share the frozen base, edits go to private copies.

    The unit of change is one tool call. Until ``commit``, the records it edited are live and
    every ``get`` sees them as they are; ``rollback`` forgets them. A committed record is frozen
    again, so a tool can change nothing it has not asked to edit in the same call.
    """

    def __init__(self, base: Database) -> None:
        self._base = base
        self._committed: dict[str, dict[str, _Entry]] = {}
        self._working: dict[str, dict[str, _Entry]] = {}

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables' names."""
        return self._base.tables

    def get(self, table: str, key: str) -> Record | None:
        """Return a record to read, or None where there is none.

        It is shared and frozen, unless this call edited it: then it is the private copy, so
        that a tool reads what it wrote.
        """
        entry = self._entry(table, key)
        return None if isinstance(entry, _Deleted) else entry

    def edit(self, table: str, key: str) -> Record:
        """Return a private copy of a record to change, the same one throughout a tool call.

        Raises:
            KeyError: There is no such record.
        """
        working = self._working.get(table, {}).get(key)
        if working is not None and not isinstance(working, _Deleted):
            return working
        record = self.get(table, key)
        if record is None:
            raise KeyError(f"no record {key!r} in table {table!r} to edit")
        return self._put(table, key, thaw(record))

    def create(self, table: str, key: str, record: Mapping[str, Any]) -> Record:
        """Add a record and return the private copy that was stored.

        Raises:
            KeyError: A record of that key exists.
        """
        if self.get(table, key) is not None:
            raise KeyError(f"a record {key!r} exists in table {table!r} already")
        return self._put(table, key, thaw(record))

    def delete(self, table: str, key: str) -> None:
        """Remove a record.

        Raises:
            KeyError: There is no such record.
        """
        if self.get(table, key) is None:
            raise KeyError(f"no record {key!r} in table {table!r} to delete")
        self._working.setdefault(table, {})[key] = _DELETED

    def table(self, name: str) -> Mapping[str, Record]:
        """Return a view of a table as this trial sees it: base records, then created ones."""
        return _TableView(self, name, self._base._records(name))

    def changes(self) -> Changes:
        """Return the records that differ by meaning from the base, as plain JSON-able data.

        Whatever texts a tool wrote, what is returned can be written to a file. The cost is that of the records touched, whatever the size of the database.
        """
        found: Changes = {}
        for table, key in self._touched():
            base = self._base._records(table).get(key)
            now = self.get(table, key)
            if not same(base, now):
                before, after = whole_texts(thaw(base)), whole_texts(thaw(now))
                change = RecordChange(before=before, after=after)
                found.setdefault(table, {})[whole_text(key)] = change
        return found

    def commit(self) -> None:
        """Keep the edits of a tool call that succeeded.

        Raises:
            TypeError: An edited record holds something JSON cannot hold.
        """
        frozen = {
            table: {key: _frozen_entry(table, key, entry) for key, entry in entries.items()}
            for table, entries in self._working.items()
        }
        for table, entries in frozen.items():
            self._committed.setdefault(table, {}).update(entries)
        self._working = {}

    def rollback(self) -> None:
        """Forget the edits of a tool call that failed."""
        self._working = {}

    def pending(self) -> list[tuple[str, str]]:
        """Return table and key of each record edited since the last commit or rollback."""
        return [(table, key) for table, entries in self._working.items() for key in entries]

    def _entry(self, table: str, key: str) -> _Entry:
        for layer in (self._working, self._committed):
            entry = layer.get(table, {}).get(key)
            if entry is not None:
                return entry
        return self._base._records(table).get(key, _DELETED)

    def _put(self, table: str, key: str, record: Record) -> Record:
        self._working.setdefault(table, {})[key] = record
        return record

    def _touched(self) -> list[tuple[str, str]]:
        keys = {
            (table, key): None
            for layer in (self._committed, self._working)
            for table, entries in layer.items()
            for key in entries
        }
        return sorted(keys)

    def _created(self, table: str) -> list[str]:
        base = self._base._records(table)
        return [
            key
            for key in {**self._committed.get(table, {}), **self._working.get(table, {})}
            if key not in base and not isinstance(self._entry(table, key), _Deleted)
        ]

    def _deleted_from_base(self, table: str) -> set[str]:
        base = self._base._records(table)
        return {
            key
            for key in {**self._committed.get(table, {}), **self._working.get(table, {})}
            if key in base and isinstance(self._entry(table, key), _Deleted)
        }


class _TableView(Mapping[str, Record]):
    """A table through an overlay; safe to iterate while the tool edits."""

    def __init__(self, overlay: Overlay, name: str, base: Mapping[str, Record]) -> None:
        self._overlay = overlay
        self._name = name
        self._base = base

    def __getitem__(self, key: str) -> Record:
        record = self._overlay.get(self._name, key)
        if record is None:
            raise KeyError(key)
        return record

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._overlay.get(self._name, key) is not None

    def __iter__(self) -> Iterator[str]:
        created = self._overlay._created(self._name)
        deleted = self._overlay._deleted_from_base(self._name)
        return iter([key for key in self._base if key not in deleted] + created)

    def __len__(self) -> int:
        created = self._overlay._created(self._name)
        return len(self._base) + len(created) - len(self._overlay._deleted_from_base(self._name))

    def __repr__(self) -> str:
        return f"<table {self._name!r}: {len(self)} records>"


def _frozen_table(name: str, records: Any) -> dict[str, FrozenDict]:
    if not isinstance(records, Mapping):
        raise DomainError(
            f"table {name!r}: expected an object {{key: record}}, got a {type(records).__name__}"
        )
    return {key: _frozen_record(name, key, record) for key, record in records.items()}


def _frozen_record(table: str, key: str, record: Any) -> FrozenDict:
    if not isinstance(record, Mapping):
        raise DomainError(
            f"table {table!r}, record {key!r}: expected an object, got a {type(record).__name__}"
        )
    try:
        frozen: FrozenDict = freeze(record)
    except TypeError as error:
        raise DomainError(f"table {table!r}, record {key!r}: {error}") from None
    return frozen


def _frozen_entry(table: str, key: str, entry: _Entry) -> _Entry:
    if isinstance(entry, _Deleted):
        return entry
    try:
        frozen: Record = freeze(entry)
    except TypeError as error:
        raise TypeError(f"table {table!r}, record {key!r}: {error}") from None
    return frozen


def _no_table(name: str, tables: Iterable[str]) -> str:
    known = list(tables)
    hint = meant(name, known, f"there are {', '.join(known) or 'none'}")
    return f"no table {name!r}{hint}"
