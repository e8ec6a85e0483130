"""A trial's tools as plain Python callables, so that agent frameworks take them as they are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pydantic_core import to_jsonable_python

from pytest_taubench.environment.tool import Tool

CallTool = Callable[[str, dict[str, Any]], str]


def bind_tool(tool: Tool, call: CallTool) -> Callable[..., str]:
    """Return a function that calls the tool on this trial's database.

    It has the tool's name, docstring and signature without the database parameter, and
    returns what the agent would read, errors included, so that a framework's tool loop goes
    on as it would with an endpoint's tool calls.

    Args:
        tool: The domain's tool.
        call: Executes a call by name and arguments and records it.
    """
    signature = tool.signature().replace(return_annotation=str)

    def bound(*args: Any, **kwargs: Any) -> str:
        named = dict(zip(signature.parameters, args, strict=False))
        if len(args) > len(signature.parameters):
            # One the tool has not: the environment names it in its answer.
            named["*args"] = list(args[len(signature.parameters) :])
        return call(tool.name, to_jsonable_python({**named, **kwargs}))

    bound.__name__ = bound.__qualname__ = tool.name
    bound.__doc__ = inspect.getdoc(tool.function)
    # Resolved types, not strings: frameworks look names up in this module otherwise.
    bound.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    } | {"return": str}
    bound.__signature__ = signature  # type: ignore[attr-defined]
    return bound
