"""The environment of one trial: tools bound to the trial's own view of the database."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from pytest_taubench.environment.database import Database, Overlay
from pytest_taubench.environment.frozen import thaw
from pytest_taubench.environment.tool import Tool, ToolKind
from pytest_taubench.errors import InfrastructureError, ToolError
from pytest_taubench.schema import Changes
from pytest_taubench.text.names import meant


@dataclass(frozen=True)
class ToolResult:
    """What one tool call gave.

    Attributes:
        content: What the agent reads: a text as it is, anything else as JSON.
        ok: False when the agent is answered with an error.
        value: The result as plain data of the caller's own; None for an error.
        kind: The tool's kind; None for an unknown tool.
        ends_episode: True when this call ended the episode; never for a failed one.
        arguments: The parsed arguments; None where they did not parse.
    """

    content: str
    ok: bool
    value: Any = None
    kind: ToolKind | None = None
    ends_episode: bool = False
    arguments: dict[str, Any] | None = None


class Environment:
    """The tools of a domain on one trial's database.

    Args:
        tools: The tools by name.
        database: The frozen base.
    """

    def __init__(self, tools: Mapping[str, Tool], database: Database) -> None:
        self.tools = dict(tools)
        self.database = database
        self.overlay: Overlay = database.overlay()

    def fresh(self) -> Environment:
        """Return another environment of the same domain, at the start."""
        return Environment(self.tools, self.database)

    def tool_schemas(self) -> list[dict[str, Any]]:
        """Return the tools as OpenAI function descriptions."""
        return [tool.schema() for tool in self.tools.values()]

    def changes(self) -> Changes:
        """Return the records that differ from the start."""
        return self.overlay.changes()

    def call(self, name: str, arguments: str | Mapping[str, Any]) -> ToolResult:
        """Call a tool as an agent asks for it.

        Whatever the agent did wrong is answered with ``Error: ...``, never raised. A call that
        fails leaves the database as it was.

        Args:
            name: The tool's name, known or not.
            arguments: The arguments, parsed or as JSON text.

        Raises:
            InfrastructureError: The tool itself is broken.
        """
        tool = self.tools.get(name)
        if tool is None:
            known = ", ".join(self.tools)
            hint = meant(name, self.tools, f"the tools are {known}")
            return _failed(f"unknown tool {name!r}{hint}")
        try:
            parsed = _parse(arguments)
        except ToolError as error:
            return _failed(f"{error}", tool)
        try:
            checked = tool.check(parsed)
        except ToolError as error:
            return _failed(f"{error}", tool, parsed)
        return self._run(tool, parsed, checked)

    def _run(self, tool: Tool, parsed: dict[str, Any], checked: dict[str, Any]) -> ToolResult:
        try:
            value = thaw(tool.function(self.overlay, **checked))
            content = _content(value)
            self._check_kind(tool)
            self.overlay.commit()
        except ToolError as error:
            return _failed(f"{error}", tool, parsed)
        except (Exception, SystemExit) as error:  # a tool that exits must not end the run
            raise InfrastructureError(
                f"tool {tool.name} is broken: {type(error).__name__}: {error}",
                source="environment",
            ) from error
        finally:
            self.overlay.rollback()  # forgets nothing once committed
        return ToolResult(content, True, value, tool.kind, tool.ends_episode, parsed)

    def _check_kind(self, tool: Tool) -> None:
        pending = self.overlay.pending()
        if tool.kind == "read" and pending:
            table, key = pending[0]
            raise RuntimeError(f"it is marked read, but edits {table}/{key}")


def _parse(arguments: str | Mapping[str, Any]) -> dict[str, Any]:
    try:
        if isinstance(arguments, Mapping):  # from Python: a private copy, models as objects
            arguments = json.dumps(dict(arguments), default=_as_object)
        parsed = json.loads(
            arguments or "{}",
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_countable,
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise ToolError(f"the arguments are not valid JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise ToolError("the arguments must be a JSON object, e.g. {}")
    return parsed


def _as_object(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is no number that can be kept")
    return number


def _countable(digits: str) -> int:
    """Return an integer; one beyond all floats would be infinite where a tool takes a float."""
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is none that can be kept")
    return int(digits)


_MOST_DIGITS = sys.float_info.max_10_exp


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _failed(
    message: str, tool: Tool | None = None, arguments: dict[str, Any] | None = None
) -> ToolResult:
    kind = tool.kind if tool else None
    return ToolResult(f"Error: {message}", False, kind=kind, arguments=arguments)


def _content(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
