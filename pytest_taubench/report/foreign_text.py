"""What agents, users and servers write, made safe for a terminal and for a CI job's log."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from pytest_taubench.report.control_characters import visible

ACTIONS = "GITHUB_ACTIONS"
"""Set to ``true`` by the runner of GitHub Actions."""

# The runner takes a line for a command where it begins, behind any blanks, with two colons, and
# in the older form wherever the line has the mark.
_COMMAND = re.compile(r"^([^\S\n]*:)(?=:)|(##)(?=\[)", re.MULTILINE)


def under_actions(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether what is printed is read by the runner of GitHub Actions."""
    return environ.get(ACTIONS) == "true"


def without_commands(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the text with a blank in what the runner would take for a workflow command.

    Elsewhere than under GitHub Actions it is returned as it is.
    """
    if not under_actions(environ):
        return text
    return _COMMAND.sub(lambda mark: f"{mark[0]} ", text)


def printable(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the text as it may be printed: neither terminal nor runner acts on any part of it."""
    return without_commands(visible(text), environ)
