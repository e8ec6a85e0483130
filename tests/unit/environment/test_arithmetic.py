"""Arithmetic is parsed, bounded and exact to Python's; nothing else gets through."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_taubench.environment import evaluate
from pytest_taubench.environment.arithmetic import MAX_LENGTH
from pytest_taubench.errors import ToolError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("-5 - -2", -3),
        ("+4", 4),
        ("10 / 4", 2.5),
        ("2.50*4", 10),
        (".5 + 1.", 1.5),
        ("  7\n ", 7),
        ("2 * (3 + (4 - 1)) / 6", 2),
        ("8 / 2 / 2", 2),
        ("10 - 3 - 2", 5),
    ],
)
def test_it_calculates(expression, value):
    assert evaluate(expression) == value


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("9**9**9", "invalid expression"),
        ("7 // 2", "invalid expression"),
        ("1 / 0", "division by zero"),
        ("1 / (2 - 2.0)", "division by zero"),
        ("", "empty"),
        ("   ", "empty"),
        ("1 +", "invalid expression"),
        ("1 1", "invalid expression"),
        ("(1", "invalid expression"),
        ("2(3)", "invalid expression"),
        ("()", "invalid expression"),
        ("...", "invalid expression"),
        ("1.2.3", "invalid expression"),
        ("1,000 + 1", "invalid character ','"),
        ("$5 + 5", r"invalid character '\$'"),
        ("__import__('os')", "invalid character '_'"),
        ("1e9", "invalid character 'e'"),
        ("5 % 2", "invalid character '%'"),
        ("1 if 1 else 2", "invalid character 'i'"),
        ("1" * (MAX_LENGTH + 1), "longer than"),
        ("(" * 60 + "1" + ")" * 60, "deeper than"),
        ("9" * 300 + "*" + "9" * 100 + ".0", "too large"),
        ("9" * 400 + "/1", "too large"),
    ],
)
def test_anything_else_is_refused_at_once_with_the_reason(expression, message):
    started = time.process_time()
    with pytest.raises(ToolError, match=message):
        evaluate(expression)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    "expression", ["9" * 400, "-" + "9" * 400, "9" * 400 + " - 1", "9" * 400 + ".0"]
)
def test_a_number_that_no_float_can_hold_is_refused_and_breaks_no_tool(expression):
    with pytest.raises(ToolError, match="is too large"):
        evaluate(expression)


def test_many_signs_do_not_overflow_the_stack():
    assert evaluate("-" * (MAX_LENGTH - 2) + "5") == 5


WHOLE = st.recursive(
    st.integers(0, 999).map(str),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda text: f"-{text}"),
    ),
    max_leaves=8,
)


def exact(text: str) -> int:
    """Return the value of a fully parenthesised expression, by a parser of the test's own."""
    value, rest = _term(text.replace(" ", ""))
    assert rest == ""
    return value


def _term(text: str) -> tuple[int, str]:
    if text[0] == "-":
        value, rest = _term(text[1:])
        return -value, rest
    if text[0] == "(":
        left, rest = _term(text[1:])
        sign, (right, rest) = rest[0], _term(rest[1:])
        return {"+": left + right, "-": left - right, "*": left * right}[sign], rest[1:]
    digits = len(text) - len(text.lstrip("0123456789"))
    return int(text[:digits]), text[digits:]


@settings(max_examples=150, deadline=None)
@given(WHOLE)
def test_whole_numbers_are_exact(expression):
    assert evaluate(expression) == exact(expression)


@settings(max_examples=100, deadline=None)
@given(WHOLE, WHOLE.filter(lambda text: exact(text) != 0))
def test_a_quotient_is_the_nearest_float(left, right):
    assert evaluate(f"{left} / {right}") == float(Fraction(exact(left), exact(right)))
