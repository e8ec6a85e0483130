"""Values compare by meaning, and their difference reads well."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_taubench.environment import difference, differences, same

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (25, 25.0),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}),
        ([1, [2]], [1.0, [2.0]]),
        (10.1 + 0.2, 10.3),
        (0.1 + 0.2 - 0.3, 0),
        (math.nan, math.nan),
        (math.inf, math.inf),
        ((1, 2), [1, 2]),
        (None, None),
        (10**30, 10**30),
        (1e30, 10**30),
    ],
)
def test_the_same_by_meaning(a, b):
    assert same(a, b)
    assert same(b, a)
    assert difference(a, b) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        (1.0, "1.0"),
        (None, 0),
        (None, False),
        ("", None),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, [["a", 1]]),  # these two hashed alike in earlier harnesses
        ({}, []),
        ({"a": None}, {}),
        ({"a": 1}, {"b": 1}),
        (54.04, 54.05),
        (10**30, 10**30 + 1),
        (10**400, 1.5),
        (math.nan, 0),
        (math.inf, -math.inf),
        ("a", ["a"]),
    ],
)
def test_not_the_same(a, b):
    assert not same(a, b)
    assert not same(b, a)
    assert difference(a, b) != []


@given(JSON, JSON)
def test_same_is_reflexive_and_symmetric_and_agrees_with_difference(a, b):
    assert same(a, a)
    assert same(a, b) == same(b, a)
    assert same(a, b) == (difference(a, b) == [])


@given(JSON.filter(lambda value: "NaN" not in json.dumps(value)))
def test_a_round_trip_through_json_changes_no_meaning(value):
    assert same(value, json.loads(json.dumps(value)))


class TestDifference:
    def test_a_field_is_one_line(self):
        before = {"status": "pending", "items": []}
        after = {"status": "cancelled", "items": []}
        assert difference(before, after) == ['status: "pending" -> "cancelled"']

    def test_nested_places_are_named(self):
        before = {"items": [{"price": 1, "options": {"color": "red"}}]}
        after = {"items": [{"price": 2, "options": {"color": "blue"}}]}
        assert difference(before, after) == [
            "items[0].price: 1 -> 2",
            'items[0].options.color: "red" -> "blue"',
        ]

    def test_a_key_on_one_side_is_absent_on_the_other(self):
        assert difference({"a": 1}, {"b": None}) == ["a: 1 -> absent", "b: absent -> null"]

    def test_one_insertion_into_a_list_is_one_line(self):
        assert difference({"l": [1, 2, 3, 4]}, {"l": [1, 9, 2, 3, 4]}) == ["l[1]: absent -> 9"]

    def test_one_removal_from_a_list_is_one_line(self):
        assert difference({"l": [1, 2, 3, 4]}, {"l": [1, 3, 4]}) == ["l[1]: 2 -> absent"]

    def test_a_change_of_type_is_shown_whole(self):
        assert difference({"a": {"b": 1}}, {"a": [1]}) == ['a: {"b": 1} -> [1]']

    def test_a_long_value_is_cut(self):
        (line,) = difference({"a": "x" * 500}, {"a": "y"})
        assert len(line) < 130
        assert line.endswith('-> "y"')

    def test_a_form_of_words_can_be_given(self):
        (found,) = differences({"a": 1}, {"a": 2})
        assert found.line("expected {before}, got {after}") == "a: expected 1, got 2"
        assert not found.added
        assert not found.removed
