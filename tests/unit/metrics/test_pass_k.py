"""pass^k and pass@k against hand arithmetic and against brute force over all subsets."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_taubench.metrics import Estimate, mean_estimate, pass_at_k, pass_hat_k


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (4, 4, 4, 1.0),
        (4, 3, 1, 0.75),
        (4, 3, 2, 0.5),  # 3 of the 6 pairs
        (4, 3, 4, 0.0),
        (4, 2, 2, 1 / 6),
        (8, 6, 3, 20 / 56),
        (2, 0, 1, 0.0),
    ],
)
def test_pass_hat_k_is_the_share_of_k_subsets_that_all_pass(n, c, k, expected):
    assert pass_hat_k(n, c, k) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"), [(4, 1, 1, 0.25), (4, 1, 2, 0.5), (4, 1, 4, 1.0), (5, 0, 3, 0.0)]
)
def test_pass_at_k_is_the_share_of_k_subsets_with_a_pass(n, c, k, expected):
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=1e-12)


def test_fewer_trials_than_k_estimate_nothing():
    assert pass_hat_k(3, 3, 4) is None
    assert pass_at_k(3, 3, 4) is None
    assert pass_hat_k(0, 0, 1) is None


@pytest.mark.parametrize(("n", "c", "k"), [(2, 3, 1), (2, -1, 1), (2, 1, 0)])
def test_counts_that_contradict_each_other_are_refused(n, c, k):
    with pytest.raises(ValueError, match="0 <= c <= n"):
        pass_hat_k(n, c, k)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_both_agree_with_counting_all_subsets(outcomes, k):
    n, c = len(outcomes), sum(outcomes)
    subsets = list(combinations(outcomes, k))
    if not subsets:
        assert pass_hat_k(n, c, k) is None
        return
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, subsets)) / len(subsets))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_a_mean_says_over_how_many_tasks_it_is():
    assert mean_estimate([1.0, None, 0.5]) == Estimate(0.75, 2)
    assert mean_estimate([None, None]) == Estimate(None, 0)
    assert mean_estimate([]) == Estimate(None, 0)
