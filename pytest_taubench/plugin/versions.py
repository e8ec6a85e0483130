"""What a run was made with: versions and the project's commit."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

_SECONDS_FOR_GIT = 5


def versions() -> dict[str, str]:
    """Return the versions of Python, pytest and this package."""
    try:
        own = version("pytest-taubench")
    except PackageNotFoundError:  # run from a source tree that was never installed
        own = "unknown"
    return {
        "python": platform.python_version(),
        "pytest": pytest.__version__,
        "pytest-taubench": own,
    }


def git_commit(folder: Path) -> str | None:
    """Return the commit of the repository the folder is in, or None where there is none."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS_FOR_GIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
