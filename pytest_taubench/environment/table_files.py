"""The files a database is read from: one table a file, ``{key: record}``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from pytest_taubench.errors import DomainError


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
