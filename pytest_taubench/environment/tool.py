"""Tools: typed Python functions on a database, with the schema a model reads."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cached_property
from typing import Any, Literal, get_args

from pytest_taubench.environment.database import Overlay
from pytest_taubench.environment.parameters import ToolParameter, check_arguments, read_parameters

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


ToolKind = Literal["read", "write", "generic"]


class Tool:
    """One tool of a domain. Made by the ``tool`` decorator; still callable as the function.

    Attributes:
        function: The function, ``(db, ...) -> JSON-able``.
        name: The function's name.
        kind: ``read`` leaves the database as it is, ``write`` may change it, ``generic`` has
            nothing to do with it.
        ends_episode: True when a successful call is the last of the episode.
    """

    def __init__(
        self, function: Callable[..., Any], kind: ToolKind, *, ends_episode: bool = False
    ) -> None:
        if kind not in get_args(ToolKind):
            expected = ", ".join(get_args(ToolKind))
            raise TypeError(
                f"tool {function.__name__}: kind must be one of {expected}, got {kind!r}"
            )
        if not inspect.isfunction(inspect.unwrap(function)):
            raise TypeError(f"@tool is put on a function, not on {function!r:.80}")
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"tool {function.__name__}: a tool is a plain function, not async")
        self.function = function
        self.name: str = function.__name__
        self.kind: ToolKind = kind
        self.ends_episode = ends_episode
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, as one tool does when it builds on another."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<{self.kind} tool {self.name}>"

    @cached_property
    def description(self) -> str:
        """The docstring up to its first section."""
        return self._docstring[0]

    @cached_property
    def accepted(self) -> dict[str, ToolParameter]:
        """The parameters after ``db``, by name, in order.

        Read at first use, so that a tool may use types its module defines further down.

        Raises:
            TypeError: The signature cannot be a tool's; the message names tool and parameter.
        """
        try:
            return read_parameters(self.function, self._docstring[1])
        except TypeError as error:
            raise TypeError(f"tool {self.name}: {error}") from None

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters as one JSON Schema object."""
        return {
            "type": "object",
            "properties": {name: each.schema for name, each in self.accepted.items()},
            "required": [name for name, each in self.accepted.items() if each.required],
            "additionalProperties": False,
        }

    def schema(self) -> dict[str, Any]:
        """Return the tool as an OpenAI function description, the same bytes each time.

        It is the caller's own: what an agent does to it reaches no other trial.
        """
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": deepcopy(self.parameters),
        }
        return {"type": "function", "function": function}

    def signature(self) -> inspect.Signature:
        """Return the function's signature without ``db``, its types resolved."""
        whole = inspect.signature(self.function)
        kept = [
            whole.parameters[name].replace(annotation=each.annotation)
            for name, each in self.accepted.items()
        ]
        return inspect.Signature(kept)

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the validated arguments; those not given keep the function's default.

        Raises:
            ToolError: An argument is unknown, missing or of the wrong type.
        """
        return check_arguments(self.name, self.accepted, arguments)

    def call(self, db: Overlay, arguments: Mapping[str, Any]) -> Any:
        """Check the arguments and call the function.

        Raises:
            ToolError: The arguments are wrong, or the tool refused.
        """
        return self.function(db, **self.check(arguments))

    @cached_property
    def _docstring(self) -> tuple[str, dict[str, str]]:
        return parse_docstring(self.function.__doc__)

    @property
    def described(self) -> frozenset[str]:
        """The parameters the docstring describes."""
        return frozenset(self._docstring[1])


def tool(kind: ToolKind, *, ends_episode: bool = False) -> Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool of its domain.

    The function takes ``db`` first, then typed parameters, and returns a text or JSON-able
    data. Its docstring, with Google-style ``Args:``, is what the model reads. It refuses a call
    with ``raise ToolError("...")``; whatever it had edited is then undone.

    Args:
        kind: ``read``, ``write`` or ``generic``.
        ends_episode: A successful call ends the episode, as a transfer to a human does.
    """
    if callable(kind):
        raise TypeError('write @tool(kind="read"), with the kind in parentheses')

    def decorate(function: Callable[..., Any]) -> Tool:
        return Tool(function, kind, ends_episode=ends_episode)

    return decorate
