"""Words, times and numbers of an instruction."""

from __future__ import annotations

import pytest

from pytest_taubench.lint.derivation import derivable
from pytest_taubench.lint.ranking import out_ranked
from pytest_taubench.lint.times import Window, outside, windows
from pytest_taubench.lint.words import Words, date_phrases


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Two black Shoes", "2 black shoe"),
        ("a 27-inch screen", "27 inch"),
        ("the Gift Cards", "gift_card"),
        ("on May 22nd", "may 22"),
        ("the batteries", "battery"),
        ("Ada's colored glass", "ada color glass"),
    ],
)
def test_words_are_compared_in_one_form(text: str, value: str) -> None:
    assert Words(text).has(Words.of(value))


def test_other_words_are_not_the_same() -> None:
    assert not Words("the bus stops").has(Words.of("bu stop"))
    assert not Words("a black shoe").has(Words.of("shoe black"))


@pytest.mark.parametrize("text", ["May 22", "22 May", "the 22nd of May"])
def test_a_date_may_be_written_in_words(text: str) -> None:
    assert Words(text).has(*date_phrases("2024-05-22"))
    assert not Words(text).has(*date_phrases("2024-05-23"))


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("before noon", 0, 720),
        ("after 2 pm", 840, 1440),
        ("you must not leave before 2 pm", 840, 1440),
        ("before 11 in the morning", 0, 660),
        ("by 17:30", 0, 1050),
        ("not later than 5 pm", 0, 1020),
        ("in the afternoon", 720, 1080),
    ],
)
def test_a_part_of_the_day_is_understood(text: str, begin: int, end: int) -> None:
    assert Window(begin, end) in windows(text)


def test_a_part_of_the_day_holds_both_its_ends() -> None:
    (by_five,) = windows("by 5 pm")
    assert [by_five.holds(minutes) for minutes in (0, 1020, 1021)] == [True, True, False]


def test_a_number_of_days_is_no_time() -> None:
    assert windows("after 2 days, before 3 people") == []


def test_a_time_outside_the_wanted_part_of_the_day_is_excluded() -> None:
    early, late = {"leaves": "09:15:00"}, {"leaves": "15:40:00"}
    assert outside("you leave in the morning", early, late)
    assert not outside("you leave in the morning", late, early)


def test_the_cheapest_is_by_the_price_of_the_cabin_that_the_call_names() -> None:
    one = {"prices": {"economy": 100, "business": 900}}
    two = {"prices": {"economy": 120, "business": 300}}
    text = Words("the cheapest flight")
    assert out_ranked(text, one, two, frozenset({"economy"}))
    assert not out_ranked(text, one, two, frozenset({"business"}))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(54.04, True), (41.64, True), (95.68, True), (12.4, True), (108.08, True), (77.77, False)],
)
def test_a_number_is_derivable_as_itself_a_sum_a_difference_or_a_product(
    wanted: float, found: bool
) -> None:
    answers = [{"items": [{"price": 54.04}, {"price": 41.64}]}]
    assert (derivable(wanted, answers, [2.0]) is not None) is found


def test_a_sum_of_more_than_two_is_found_under_one_name() -> None:
    answers = [{"items": [{"price": p} for p in (1.01, 2.02, 4.04, 8.08, 16.16)]}]
    assert derivable(1.01 + 4.04 + 16.16, answers, ()) == "is a sum of numbers under one name"
