"""Where the bundled domains and suites lie, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path

from pytest_taubench.errors import DomainError

_PACKAGE = Path(__file__).resolve().parent


def bundled_root() -> Path:
    """Return the folder that holds ``domains/`` and ``tasks/``."""
    installed = _PACKAGE / "bundled"
    return installed if installed.is_dir() else _PACKAGE.parent


def domains_root() -> Path:
    """Return the folder of the bundled domains."""
    return bundled_root() / "domains"


def suites_root() -> Path:
    """Return the folder of the bundled suites."""
    return bundled_root() / "tasks"


_LONGEST_PATH, _LONGEST_PART = 1000, 200
"""Well below what systems allow, so that the folder it lies in still fits before it."""


def refuse_no_path(name_or_path: str) -> None:
    """Raise DomainError where no file of any system can be called so."""
    if "\0" in name_or_path:
        raise DomainError(f"no domain {name_or_path[:60]!r}: a name or path cannot hold NUL")
    longest = max(map(len, name_or_path.split("/")))
    if len(name_or_path) > _LONGEST_PATH or longest > _LONGEST_PART:
        raise DomainError(
            f"no domain {name_or_path[:60]!r}...: {len(name_or_path)} characters are no name or "
            f"path; a path has {_LONGEST_PATH} at most, each part of it {_LONGEST_PART}"
        )


def is_installed(folder: Path) -> bool:
    """Return whether a bundled folder is that of an installed wheel, and not of a checkout."""
    return folder.parent.name == "bundled"
