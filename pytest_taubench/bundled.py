"""Where the bundled domains and suites lie, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path

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
