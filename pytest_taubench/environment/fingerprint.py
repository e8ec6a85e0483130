"""Short hashes of what a domain is made of, the same on every machine and in every process.

Files count by their content, whatever their place, time, line ends or compression.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import inspect
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_taubench.environment.database import Database
from pytest_taubench.environment.domain_folder import tools_file
from pytest_taubench.environment.tool import Tool

_LENGTH = 16


def digest(parts: Iterable[bytes]) -> str:
    """Return a short hash of some parts in their order; where one ends counts."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(b"%d\n" % len(part))
        whole.update(part)
    return whole.hexdigest()[:_LENGTH]


def text_digest(text: str) -> str:
    """Return a short hash of a text."""
    return digest([text.encode(errors="surrogatepass")])


def tools_digest(folder: Path, tools: Mapping[str, Tool]) -> str:
    """Return a short hash of the source that a domain's tools come from.

    That is ``tools.py``, the modules of its folder that it imports, at whatever depth, and the
    files of tools defined elsewhere. A module beside it that no tool needs does not count.
    """
    begin = tools_file(folder)
    files = set(_reached(folder, begin)) if begin is not None else set()
    files |= {file for tool in tools.values() if (file := _file_of(tool)) is not None}
    try:
        sources = sorted(map(_content, files))
    except OSError:
        return ""
    return digest([*sources, *(name.encode() for name in sorted(tools))])


def database_digest(database: Database, files: Sequence[Path]) -> str:
    """Return a short hash of a database.

    Args:
        database: The database.
        files: The files it was read from: hashing these takes a tenth of the time of hashing
            the records, which is done where there are none.
    """
    if not files:
        tables = {name: dict(database.table(name)) for name in database.tables}
        return text_digest(json.dumps(tables))
    try:
        return digest(
            part for file in sorted(files, key=_stem) for part in (_stem(file), _content(file))
        )
    except (OSError, EOFError):
        return ""


def _stem(file: Path) -> bytes:
    return file.name.removesuffix(".gz").encode(errors="surrogateescape")


def _content(file: Path) -> bytes:
    raw = file.read_bytes()
    content = gzip.decompress(raw) if file.suffix == ".gz" else raw
    return content.replace(b"\r\n", b"\n")


def _file_of(tool: Tool) -> Path | None:
    code = getattr(inspect.unwrap(tool.function), "__code__", None)
    file = Path(code.co_filename) if code is not None else None
    return file.resolve() if file is not None and file.is_file() else None


def _reached(folder: Path, begin: Path) -> Iterator[Path]:
    """Yield a module of a folder and those that it imports from there."""
    folder = folder.resolve()
    waiting, known = [begin.resolve()], set[Path]()
    while waiting:
        file = waiting.pop()
        if file in known or not file.is_file() or folder not in file.parents:
            continue
        known.add(file)
        yield file
        waiting += _imported(file)


def _imported(file: Path) -> Iterator[Path]:
    """Yield where the modules may lie that a module imports from its own package."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            above = file.parents[min(node.level, len(file.parents)) - 1]
            yield from _modules(above, node.module, [alias.name for alias in node.names])


def _modules(package: Path, module: str | None, names: Sequence[str]) -> Iterator[Path]:
    for part in (module or "").split(".") if module else ():
        package = package / part
        yield package.with_name(f"{part}.py")
        yield package / "__init__.py"
    for name in names:
        if name != "*":
            yield package / f"{name}.py"
            yield package / name / "__init__.py"
