from __future__ import annotations

from pytest_taubench.lint.leaves import numbers


def test_a_number_that_no_figure_can_hold_is_left_out() -> None:
    assert list(numbers([{"a": 10**400, "b": "54.04"}, "x", True, [2]])) == [54.04, 2.0]
