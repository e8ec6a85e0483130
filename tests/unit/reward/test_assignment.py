"""The cheapest assignment, against trying every one and against scipy."""

import random
from itertools import permutations

import numpy
import pytest
from scipy.optimize import linear_sum_assignment

from pytest_taubench.reward.evidence import cheapest_assignment


def total(costs, pairs):
    return sum(costs[row][column] for row, column in pairs)


def matrix(rng, rows, columns):
    """Costs with many ties, as those of calls have."""
    return [
        [rng.choice([0, 0.25, 1 / 3, 0.5, 1, 1.5, 2]) for _ in range(columns)] for _ in range(rows)
    ]


def test_the_cheapest_is_found_where_each_rows_own_choice_would_collide():
    # By hand: both rows want column 0; row 1 gains more by it.
    assert cheapest_assignment([[1, 2], [1, 9]]) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("costs", [[], [[]], [[], []]])
def test_without_rows_or_columns_there_is_no_pair(costs):
    assert cheapest_assignment(costs) == []


@pytest.mark.parametrize("seed", range(200))
def test_no_other_assignment_is_cheaper(seed):
    rng = random.Random(seed)
    rows = rng.randint(1, 5)
    columns = rng.randint(rows, 5)
    costs = matrix(rng, rows, columns)
    least = min(
        sum(costs[row][column] for row, column in enumerate(chosen))
        for chosen in permutations(range(columns), rows)
    )
    for oriented in (costs, [list(column) for column in zip(*costs, strict=True)]):
        pairs = cheapest_assignment(oriented)
        assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == rows
        assert total(oriented, pairs) == pytest.approx(least)


def test_thirty_by_thirty_costs_what_scipy_says():
    costs = matrix(random.Random(1), 30, 30)
    rows, columns = linear_sum_assignment(numpy.array(costs))
    expected = total(costs, zip(rows.tolist(), columns.tolist(), strict=True))
    assert total(costs, cheapest_assignment(costs)) == pytest.approx(expected)
