"""The agent told the user each output: numbers by value, words whole."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_taubench.reward.outputs import grade_outputs
from pytest_taubench.text.tokens import Number, tokenize


def told(label, text, match="value"):
    return grade_outputs([label], [text], match).value == 1


class TestNumbers:
    @pytest.mark.parametrize(
        ("label", "text"),
        [
            ("54.04", "You get $54.040 back."),
            ("1628", "That is 1,628.00 USD in total"),
            ("1,000", "There are 1000 of them"),
            ("1,000", "There are 1,000 of them"),
            ("1000", "There are 1,000.00."),
            ("$54.04", "54.04"),
            ("10", "There are 10."),
            ("10", "There are **10** of them"),
            ("10", "(10)"),
            ("10", "count: 10, price: 3"),
            ("10", "10-item order"),
            ("0.5", "a rate of .5"),
            ("-5", "a balance of -5"),
            ("-5", "a balance of -$5.00"),
            ("-5", "a balance of $-5"),
            ("-5", "a balance of \u22125"),
            ("10%", "a 10 % fee"),
            ("10%", "a fee of 10 percent"),
            ("54.04", "refund=$54.04"),
            ("54.04", "54.04USD"),
            ("54.04", "USD 54.04"),
            ("54.04", "USD54.04"),
            ("54.04", "EUR 54.04"),
            ("54.04", "54.04 €"),
            ("54.04", "£54.04/month"),
            ("54.04", r"\$54.04"),
            ("54.04", "_54.04_"),
            ("54.04 dollars", "$54.04"),
            ("10", "between $10-$15"),
            ("15", "between $10-$15"),
            ("1700", "between 1,628-1,700"),
            ("0", "0 items left"),
            ("4602305039", "the item is 4602305039."),
            ("11", "sizes 10,11,12"),
        ],
    )
    def test_are_matched_by_value(self, label, text):
        assert told(label, text)

    @pytest.mark.parametrize(
        ("label", "text"),
        [
            ("10", "There are 100 items"),
            ("10", "It costs 10.5"),
            ("10", "It costs 1,010"),
            ("10", "It costs 10,000"),
            ("100", "It costs 100,000.00"),
            ("54.04", "It costs 54.0"),
            ("54.04", "It costs 154.04"),
            ("54.04", "It costs 54.041"),
            ("5", "a balance of -5"),
            ("-5", "a balance of 5"),
            ("10", "a fee of 10%"),
            ("10%", "a fee of 10"),
            ("10", "order #10"),
            ("10", "order #W10"),
            ("136", "flight HAT136"),
            ("136", "flight HAT-136"),
            ("1061405", "paid by credit_card_1061405"),
            ("20", "on 2024-05-20"),
            ("5", "on 05/20/2024"),
            ("30", "at 12:30"),
            ("10", "the 10th"),
            ("3", "version 1.2.3"),
            ("1.2", "$1.2.3"),
            ("54", "54_large"),
            ("1", "1,628x"),
            ("64", "a 64GB disk"),
            ("000", "1,000"),
            ("10", ""),
        ],
    )
    def test_are_not_found_in_other_numbers_or_in_ids(self, label, text):
        assert not told(label, text)

    @given(
        st.decimals(-(10**9), 10**9, places=2).filter(lambda value: value != 0),
        st.sampled_from(["{}", "${}", "{} USD", "It is {}.", "**{}**", "({})", "total: {}!"]),
    )
    def test_any_amount_is_found_however_it_is_written(self, value, form):
        for written in (f"{value:.2f}", f"{value:,.2f}", f"{value:,.4f}"):
            assert told(f"{value}", form.format(written))
            assert told(f"{value:,.3f}", form.format(written))
        assert not told(f"{value + 1}", form.format(f"{value:,.2f}"))

    @given(st.integers(1, 10**6), st.integers(0, 10**6))
    def test_a_whole_number_is_found_in_a_sentence_only_where_it_stands(self, label, other):
        text = f"There are {other:,} items in order #W{label}."
        assert told(str(label), text) == (label == other)

    @given(st.text())
    def test_any_text_can_be_read(self, text):
        assert all(isinstance(token, (str, Number)) for token in tokenize(text))

    def test_a_code_with_leading_zeros_is_a_word(self):
        assert told("02138", "ZIP 02138")
        assert not told("02138", "ZIP 2138")
        assert not told("2138", "ZIP 02138")


class TestWords:
    @pytest.mark.parametrize(
        ("label", "text"),
        [
            ("Mastercard", "paid by MASTERCARD."),
            ("943 Maple Drive", "to 943  Maple\nDrive, Suite 356"),
            ("20 hours", "it lasts 20.0 hours"),
            ("don't", "Don’t do it"),
            ("T-shirt", "a t-shirt"),
            ("#W2890441", "order #W2890441"),
            ("credit_card_1061405", "by credit_card_1061405."),
            ("2024-05-20", "on 2024-05-20."),
            ("HAT136", "flight hat136"),
            ("Ünï", "the ÜNÏ plan"),
            ("$", "paid in $"),
        ],
    )
    def test_are_matched_whole_in_any_case_and_spacing(self, label, text):
        assert told(label, text)

    @pytest.mark.parametrize(
        ("label", "text"),
        [
            ("shoe", "two shoes"),
            ("IL", "I will"),
            ("cotton polyester", "polyester cotton"),
            ("20 hours", "200 hours"),
            ("20 hours", "20 long hours"),
            ("943 Maple Drive", "943 Maple"),
            ("#W1", "#W10"),
            ("$", "no money"),
        ],
    )
    def test_are_not_found_in_parts_or_out_of_order(self, label, text):
        assert not told(label, text)


class TestSubstringRule:
    """The paper's own rule, for published numbers."""

    def test_a_label_counts_as_part_of_anything(self):
        assert told("10", "There are 100 items", "substring")
        assert told("shoe", "two SHOES", "substring")
        assert not told("54.04", "$54.4", "substring")

    def test_commas_count_on_neither_side(self):
        assert told("1628", "1,628.00", "substring")
        assert told("1,000", "1000", "substring")
        assert told("1,000", "1,000", "substring")


class TestComponent:
    def test_it_names_found_and_missing_over_all_texts(self):
        component = grade_outputs(["54.04", "41.64", "7"], ["It is $54.04.", None, "", "Then 7."])
        assert component.name == "outputs"
        assert component.value == 0
        assert component.detail["found"] == ["54.04", "7"]
        assert component.detail["missing"] == ["41.64"]
        assert not component.vacuous

    def test_a_message_without_text_breaks_nothing(self):
        assert grade_outputs(["10"], [None]).value == 0
        assert grade_outputs(["10"], [], "substring").value == 0

    def test_an_output_is_not_put_together_from_two_messages(self):
        assert grade_outputs(["20 hours"], ["20", "hours"]).value == 0

    def test_no_outputs_pass_and_prove_nothing(self):
        component = grade_outputs([], ["anything"])
        assert component.value == 1
        assert component.vacuous


def test_tokens_are_words_and_numbers_in_order():
    assert tokenize("Pay $1,628.00 by Card #W1, OK?") == [
        "pay",
        Number(Decimal("1628")),
        "by",
        "card",
        "w1",
        "ok",
    ]


AMOUNTS = " ".join(f"{cents // 100}.{cents % 100:02}" for cents in range(100_000))


class TestRecital:
    @pytest.mark.parametrize("match", ["value", "substring"])
    @pytest.mark.parametrize("label", ["54.04", "10", "$999.99", "10 lamps"])
    def test_every_amount_there_is_answers_nothing(self, label, match):
        graded = grade_outputs([label], [f"{AMOUNTS} 10 lamps $999.99"], match)
        assert graded.value == 0
        assert graded.detail["missing"] == [label]
        assert graded.detail["guesses"] == 100_000

    def test_a_recital_in_many_messages_is_one(self):
        amounts = AMOUNTS.split()
        texts = [" ".join(amounts[start : start + 90]) for start in range(0, 9_000, 90)]
        assert grade_outputs(["54.04"], texts).value == 0

    def test_a_hundred_numbers_of_ones_own_are_no_recital_and_one_more_is(self):
        numbers = [str(number) for number in range(101)]
        assert grade_outputs(["7"], [" ".join(numbers[:100])]).value == 1
        assert grade_outputs(["7"], [" ".join(numbers)]).value == 0

    def test_what_tools_and_user_said_may_be_told_at_any_length(self):
        assert grade_outputs(["54.04"], [AMOUNTS], heard=[None, AMOUNTS]).value == 1

    def test_words_are_told_beside_any_number(self):
        assert grade_outputs(["blue"], [f"{AMOUNTS} blue"]).value == 1
