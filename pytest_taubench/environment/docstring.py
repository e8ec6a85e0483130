"""Google-style docstrings: the summary and the ``Args:`` of a tool."""

from __future__ import annotations

import inspect
import re

_SECTION = re.compile(r"(Args|Arguments|Parameters|Returns?|Raises|Yields?|Examples?|Notes?):\s*$")
_ARGUMENT = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)$")


def parse_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Return what a docstring says before its sections, and its arguments by name.

    Args:
        text: The docstring, or None.
    """
    if not text:
        return "", {}
    lines = inspect.cleandoc(text).splitlines()
    starts = [index for index, line in enumerate(lines) if _SECTION.match(line)]
    body = lines[: starts[0]] if starts else lines
    arguments: dict[str, str] = {}
    for start in starts:
        if lines[start].startswith(("Args", "Arguments", "Parameters")):
            arguments.update(_arguments(_indented(lines[start + 1 :])))
    return _paragraphs(body), arguments


def _indented(lines: list[str]) -> list[str]:
    section: list[str] = []
    for line in lines:
        if line.strip() and not line[0].isspace():
            break
        section.append(line)
    return section


def _arguments(lines: list[str]) -> dict[str, str]:
    """Read ``name: text`` entries; deeper indented lines continue the entry above."""
    found: dict[str, str] = {}
    indent = min((_indent(line) for line in lines if line.strip()), default=0)
    name = ""
    for line in filter(str.strip, lines):
        match = _ARGUMENT.match(line.strip()) if _indent(line) == indent else None
        if match:
            name = match[1]
            found[name] = match[2].strip()
        elif name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _paragraphs(lines: list[str]) -> str:
    blocks = re.split(r"\n\s*\n", "\n".join(lines).strip())
    return "\n\n".join(" ".join(block.split()) for block in blocks)
