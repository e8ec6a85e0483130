"""Reads the reference's Python task modules as data: parsed, never imported or run."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from pytest_taubench.interop.files import read_text
from pytest_taubench.interop.suite import DataError

_CALLS = ("Task", "Action")


def read_python_tasks(path: Path) -> list[Any]:
    """Return the list of tasks that a module assigns, as plain data.

    The modules assign one list of ``Task(...)`` calls or of dicts. The longest list of the
    module's top level is taken.

    Raises:
        DataError: The module does not parse, assigns no list, or needs to be run to be known.
    """
    try:
        module = ast.parse(read_text(path))
    except (SyntaxError, RecursionError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise DataError(f"{path}{f':{line}' if line else ''}: no valid Python: {error}") from None
    lists = [list_ for node in module.body if (list_ := _assigned_list(node)) is not None]
    if not lists:
        raise DataError(f"{path}: expected the module to assign a list of tasks")
    longest = max(lists, key=lambda node: len(node.elts))
    return [_value(element, path) for element in longest.elts]


def _assigned_list(node: ast.stmt) -> ast.List | None:
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    return value if isinstance(value, ast.List) else None


def _value(node: ast.expr, path: Path) -> Any:
    """Return the data an expression stands for, or refuse it."""
    match node:
        case ast.Constant():
            return node.value
        case ast.List() | ast.Tuple():
            return [_value(element, path) for element in node.elts]
        case ast.Dict():
            return {
                _value(key, path): _value(value, path)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.BinOp(op=ast.Add()):
            left, right = _value(node.left, path), _value(node.right, path)
            if isinstance(left, str) and isinstance(right, str):
                return left + right
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _CALLS:
            return _fields(node, path)
    raise DataError(
        f"{path}:{node.lineno}: cannot be known without running it; expected literal values"
    )


def _fields(call: ast.Call, path: Path) -> dict[str, Any]:
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise DataError(f"{path}:{call.lineno}: expected keyword arguments only")
    return {str(keyword.arg): _value(keyword.value, path) for keyword in call.keywords}
