"""Names: the nearest to a wrong one, and the order of right ones."""

import random

from hypothesis import given
from hypothesis import strategies as st

from pytest_taubench.text.names import natural_key


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=6, unique=True))
def test_numbers_in_names_are_sorted_by_their_value(numbers):
    names = [f"task-{number}" for number in numbers]
    random.Random(0).shuffle(names)
    assert sorted(names, key=natural_key) == [f"task-{number}" for number in sorted(numbers)]


def test_a_number_of_any_length_has_its_place():
    names = ["a9", "a" + "1" * 5000, "a10", "b1", "a09"]
    assert sorted(names, key=natural_key) == ["a09", "a9", "a10", "a" + "1" * 5000, "b1"]
