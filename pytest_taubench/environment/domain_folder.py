"""The files of a domain folder: finding it, its policy, importing its tools."""

from __future__ import annotations

import hashlib
import importlib
import sys
import types
from collections.abc import Iterable
from pathlib import Path

from pytest_taubench.bundled import domains_root, refuse_no_path
from pytest_taubench.environment.tool import Tool
from pytest_taubench.errors import DomainError
from pytest_taubench.text.names import meant


def find_domain(name_or_path: str, base: Path | None = None) -> Path:
    """Return the resolved folder of a domain, without loading it.

    Raises:
        DomainError: There is no such folder; the message gives the nearest name.
    """
    refuse_no_path(name_or_path)
    bundled = domains_root() / name_or_path
    if _is_name(name_or_path) and bundled.is_dir():
        return bundled.resolve()
    folder = ((base or Path.cwd()) / name_or_path).resolve()
    if folder.is_dir():
        return folder
    if not _is_name(name_or_path):
        raise DomainError(f"no domain folder at {folder}")
    known = bundled_domains()
    hint = meant(name_or_path, known, f"the bundled ones are {', '.join(known)}")
    raise DomainError(f"no domain {name_or_path!r}, neither bundled nor a folder {folder}{hint}")


def bundled_domains() -> list[str]:
    """Return the names of the bundled domains that have tools to call."""
    root = domains_root()
    return sorted(path.name for path in root.glob("*") if tools_file(path) is not None)


def read_policy(path: Path) -> str:
    """Read a policy.

    Raises:
        DomainError: It cannot be read as UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError(f"{path}: cannot be read: {error}") from None


def load_tools(folder: Path) -> dict[str, Tool]:
    """Import a domain's ``tools.py`` and return its tools by name.

    Raises:
        DomainError: It is missing, fails to import, or a tool of it is wrong.
    """
    path = tools_file(folder)
    if path is None:
        raise DomainError(f"{folder / 'tools.py'}: missing; {expected_files(folder)}")
    module = import_tools(folder, path)
    tools = _named(path, (each for each in vars(module).values() if isinstance(each, Tool)))
    for tool in tools.values():
        try:
            tool.schema()
        except TypeError as error:
            raise DomainError(f"{path}: {error}") from None
    return tools


def import_tools(folder: Path, path: Path) -> types.ModuleType:
    """Import ``tools`` of a domain folder under a name of its own, afresh each time.

    The folder becomes a package, so that two domains' ``tools.py`` do not clash and a tool
    module may ``from . import`` its neighbours.

    Raises:
        DomainError: The module raises or exits; the message gives the line.
    """
    digest = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
    package = f"_taubench_domain_{digest}"
    _forget(package)
    parent = types.ModuleType(package)
    parent.__path__ = [str(folder)]
    sys.modules[package] = parent
    importlib.invalidate_caches()
    try:
        return importlib.import_module(f"{package}.tools")
    except (Exception, SystemExit) as error:  # a module that exits must not end the test run
        _forget(package)
        where = _line_in(error, folder)
        raise DomainError(
            f"{where or path}: cannot be imported: {type(error).__name__}: {error}"
        ) from error


def _named(path: Path, tools: Iterable[Tool]) -> dict[str, Tool]:
    named: dict[str, Tool] = {}
    for tool in tools:
        if named.get(tool.name, tool) is not tool:
            raise DomainError(f"{path}: two tools have the name {tool.name!r}")
        named[tool.name] = tool
    if not named:
        raise DomainError(f"{path}: defines no tool; mark its functions with @tool(kind=...)")
    return named


def _is_name(text: str) -> bool:
    return "/" not in text and "\\" not in text and not text.startswith(".")


def tools_file(folder: Path) -> Path | None:
    """Return a domain's ``tools.py``, or the ``__init__.py`` of its ``tools`` package."""
    options = (folder / "tools.py", folder / "tools" / "__init__.py")
    return next((path for path in options if path.is_file()), None)


def expected_files(folder: Path) -> str:
    """Say what a domain folder should hold, for an error message."""
    if (folder / "tools.json").is_file() or (folder / "tool_desc.json").is_file():
        return "the folder is a tool graph, which has samples and no tasks"
    return "a domain folder holds policy.md, tools.py and db/*.json"


def _forget(package: str) -> None:
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]


def _line_in(error: BaseException, folder: Path) -> str | None:
    """Return file and line of the deepest frame inside the folder."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    found: str | None = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(str(folder)):
            found = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
