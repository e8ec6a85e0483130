"""Arithmetic for a ``calculate`` tool: parsed and walked, never evaluated as code."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

from pytest_taubench.errors import ToolError

MAX_LENGTH = 500
MAX_DEPTH = 50

_ALLOWED = re.compile(r"[0-9.+\-*/() ]*")
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def evaluate(expression: str) -> float | int:
    """Return the value of an expression of numbers, ``+ - * /`` and parentheses.

    Args:
        expression: E.g. ``"(128.99 - 74.95) * 2"``.

    Raises:
        ToolError: Anything else, an expression too long or too deep, a division by zero, or a
            result too large; the message says which.
    """
    text = " ".join(expression.split())
    _check_text(text)
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ToolError(f"invalid expression {text!r}") from None
    try:
        result = _value(tree.body, text)
        finite = math.isfinite(result)  # a whole number may be too long to be a float
    except ZeroDivisionError:
        raise ToolError(f"division by zero in {text!r}") from None
    except RecursionError:
        raise ToolError(f"invalid expression {text!r}: too deep") from None
    except OverflowError:
        raise ToolError(f"the result of {text!r} is too large") from None
    if not finite:
        raise ToolError(f"the result of {text!r} is too large")
    return result


def _check_text(text: str) -> None:
    if not text:
        raise ToolError("the expression is empty")
    if len(text) > MAX_LENGTH:
        raise ToolError(f"the expression is longer than {MAX_LENGTH} characters")
    if not _ALLOWED.fullmatch(text):
        junk = _ALLOWED.sub("", text)[0]
        raise ToolError(f"invalid character {junk!r}; only numbers, + - * / and ( ) are allowed")
    if _depth(text) > MAX_DEPTH:
        raise ToolError(f"the expression nests deeper than {MAX_DEPTH} parentheses")


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    return deepest


def _value(node: ast.expr, text: str) -> float | int:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand, text)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, text), _value(node.right, text))
    raise ToolError(f"invalid expression {text!r}; only numbers, + - * / and ( ) are allowed")
