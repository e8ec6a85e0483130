"""The conformance check for anyone's domain: what is wrong with a folder, in plain words."""

from __future__ import annotations

import ast
import inspect
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pytest_taubench.environment.database import Database, read_table, table_files
from pytest_taubench.environment.domain_folder import (
    expected_files,
    find_domain,
    import_tools,
    read_policy,
    tools_file,
)
from pytest_taubench.environment.environment import Environment
from pytest_taubench.environment.tool import Tool
from pytest_taubench.errors import DomainError, InfrastructureError


@dataclass(frozen=True)
class DomainProblem:
    """One thing wrong with a domain.

    Attributes:
        where: The file, with line or name where there is one.
        message: What is wrong and what was expected.
        severity: ``error`` where the domain cannot be used as it is, else ``warning``.
    """

    where: str
    message: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.message}"


def check_domain(folder: str | Path) -> list[DomainProblem]:
    """Return all that is wrong with a domain, not only what comes first.

    Args:
        folder: The domain's folder, or the name of a bundled one.
    """
    try:
        path = find_domain(str(folder))
    except DomainError as error:
        return [DomainProblem(str(folder), str(error))]
    problems = [*_check_policy(path), *_check_tables(path)]
    tools_path = tools_file(path)
    if tools_path is None:
        return [
            *problems,
            DomainProblem(str(path / "tools.py"), f"missing; {expected_files(path)}"),
        ]
    problems += _check_source(tools_path)
    try:
        module = import_tools(path, tools_path)
    except DomainError as error:
        return [*problems, _split(error, tools_path)]
    tools = [each for each in vars(module).values() if isinstance(each, Tool)]
    problems += _check_tools(tools_path, tools)
    if not any(problem.severity == "error" for problem in problems):
        problems += _check_reads(path, tools_path, tools)
    return problems


def _check_policy(folder: Path) -> Iterator[DomainProblem]:
    path = folder / "policy.md"
    if not path.is_file():
        yield DomainProblem(str(path), f"missing; {expected_files(folder)}")
        return
    try:
        text = read_policy(path)
    except DomainError as error:
        yield _split(error, path)
        return
    if not text.strip():
        yield DomainProblem(str(path), "empty; the agent would have no policy")


def _check_tables(folder: Path) -> Iterator[DomainProblem]:
    try:
        files = table_files(folder / "db")
    except DomainError as error:
        yield _split(error, folder / "db")
        return
    if not files:
        yield DomainProblem(str(folder / "db"), "no table; expected files such as orders.json")
    for name, path in files.items():
        try:
            content = read_table(path)
            Database({name: content})
        except DomainError as error:
            yield _split(error, path)
            continue
        if not content:
            yield DomainProblem(str(path), "the table is empty", "warning")


def _check_source(path: Path) -> Iterator[DomainProblem]:
    """Find tools defined twice: the module itself keeps only the last of a name."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return  # the import says so, with the line
    names = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(map(_is_tool_mark, node.decorator_list))
    ]
    counted = Counter(node.name for node in names)
    for name, count in counted.items():
        if count > 1:
            last = max(node.decorator_list[0].lineno for node in names if node.name == name)
            yield DomainProblem(f"{path}:{last}", f"the tool {name!r} is defined {count} times")


def _is_tool_mark(node: ast.expr) -> bool:
    target = node.func if isinstance(node, ast.Call) else node
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return bool(name == "tool")


def _check_tools(path: Path, tools: list[Tool]) -> Iterator[DomainProblem]:
    if not tools:
        yield DomainProblem(str(path), "defines no tool; mark its functions with @tool(kind=...)")
        return
    first: dict[str, Tool] = {}
    for tool in tools:
        if first.setdefault(tool.name, tool) is not tool:
            yield DomainProblem(str(path), f"two tools have the name {tool.name!r}")
        yield from _check_tool(path, tool)
    if not any(tool.ends_episode for tool in tools):
        message = "no tool ends the episode, e.g. a transfer to a human (ends_episode=True)"
        yield DomainProblem(str(path), message, "warning")


def _check_tool(path: Path, tool: Tool) -> Iterator[DomainProblem]:
    where = f"{path}:{_line(tool)}"
    try:
        accepted = tool.accepted
        json.dumps(tool.schema())
    except TypeError as error:
        yield DomainProblem(where, str(error))
        return
    if not tool.description:
        yield DomainProblem(where, f"tool {tool.name}: no docstring, so a model is told nothing")
    for name in accepted:
        if name not in tool.described:
            message = f"tool {tool.name}: the docstring's Args do not describe {name!r}"
            yield DomainProblem(where, message, "warning")
    for name in sorted(tool.described - set(accepted) - {"db"}):
        message = f"tool {tool.name}: the docstring describes {name!r}, which is no parameter"
        yield DomainProblem(where, message, "warning")


def _check_reads(folder: Path, path: Path, tools: list[Tool]) -> Iterator[DomainProblem]:
    """Call each read tool that needs no argument: it must answer, and change nothing."""
    environment = Environment({tool.name: tool for tool in tools}, Database.load(folder / "db"))
    for tool in tools:
        if tool.kind != "read" or any(each.required for each in tool.accepted.values()):
            continue
        try:
            environment.call(tool.name, {})
        except InfrastructureError as error:
            yield DomainProblem(f"{path}:{_line(tool)}", str(error))


def _line(tool: Tool) -> int:
    code: Any = inspect.unwrap(tool.function).__code__
    return int(code.co_firstlineno)


def _split(error: DomainError, path: Path) -> DomainProblem:
    """Take the place off the message where the message begins with it."""
    message = str(error)
    where, found, rest = message.partition(": ")
    if found and where.startswith(str(path.parent)):
        return DomainProblem(where, rest)
    return DomainProblem(str(path), message)
