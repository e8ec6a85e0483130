"""What agents, users and servers write, made safe: for files, a terminal and a CI job's log."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any


def whole_text(text: str) -> str:
    """Return the text with each half pair as U+FFFD, and pairs as the character they stand for."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def whole_texts(data: Any) -> Any:
    """Return JSON-able data with every text in it whole."""
    if isinstance(data, str):
        return whole_text(data)
    if isinstance(data, dict):
        return {whole_texts(key): whole_texts(value) for key, value in data.items()}
    if isinstance(data, list):
        return [whole_texts(value) for value in data]
    return data


def visible(text: str) -> str:
    """Return the text with control characters spelled out, but for line breaks and tabs.

    An agent's reply may hold escape codes, which would act on the terminal that shows it.
    """
    if text.isprintable():
        return text
    return "".join(
        mark if mark.isprintable() or mark in "\n\t" else mark.encode("unicode_escape").decode()
        for mark in text
    )


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


_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def uncoloured(text: str) -> str:
    """Return what a program printed as it may be printed again, and without its colours."""
    return printable(_STYLE.sub("", text))
