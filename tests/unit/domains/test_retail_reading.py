"""The retail tools that find and reckon, on a shop small enough to do it by hand."""

from __future__ import annotations

import pytest
from retail_world import refusal, succeed

from pytest_taubench import Domain, Environment


class TestFinding:
    def test_an_email_address_is_found_in_any_case(self, shop: Environment) -> None:
        found = succeed(shop, "find_user_id_by_email", email="Ada.Kern@Example.com")
        assert found.content == "ada_kern_1"

    def test_an_unknown_email_address_is_refused(self, shop: Environment) -> None:
        said = refusal(shop, "find_user_id_by_email", email="ada@example.com")
        assert "ada@example.com" in said

    def test_a_name_is_found_in_any_case_with_its_zip(self, shop: Environment) -> None:
        who = {"first_name": "ada", "last_name": "KERN", "zip": "83701"}
        assert succeed(shop, "find_user_id_by_name_zip", **who).content == "ada_kern_1"

    @pytest.mark.parametrize("wrong", [{"zip": "83702"}, {"first_name": "Eda"}])
    def test_a_name_with_a_wrong_part_is_refused(
        self, shop: Environment, wrong: dict[str, str]
    ) -> None:
        who = {"first_name": "Ada", "last_name": "Kern", "zip": "83701", **wrong}
        assert "no user" in refusal(shop, "find_user_id_by_name_zip", **who)

    def test_product_types_are_listed_by_name(self, shop: Environment) -> None:
        listed = succeed(shop, "list_all_product_types").value
        assert listed == {"Lamp": "p-lamp", "Mug": "p-mug"}
        assert list(listed) == ["Lamp", "Mug"]

    def test_one_variant_is_found_by_its_item_id(self, shop: Environment) -> None:
        item = succeed(shop, "get_item_details", item_id="l-large").value
        assert (item["name"], item["price"], item["options"]) == ("Lamp", 55.25, {"size": "large"})

    @pytest.mark.parametrize(
        ("name", "argument", "unknown"),
        [
            ("get_user_details", "user_id", "ada"),
            ("get_order_details", "order_id", "W1"),
            ("get_product_details", "product_id", "m-red"),
            ("get_item_details", "item_id", "p-mug"),
        ],
    )
    def test_an_unknown_id_is_named_in_the_refusal(
        self, shop: Environment, name: str, argument: str, unknown: str
    ) -> None:
        assert unknown in refusal(shop, name, **{argument: unknown})

    def test_reading_changes_nothing(self, shop: Environment) -> None:
        succeed(shop, "get_user_details", user_id="ada_kern_1")
        succeed(shop, "get_order_details", order_id="#W1")
        succeed(shop, "get_product_details", product_id="p-mug")
        assert shop.changes() == {}


class TestCalculate:
    @pytest.mark.parametrize(
        ("expression", "result"),
        [("54.04 + 41.64", "95.68"), ("10 / 4", "2.5"), ("2 * (3 - 8)", "-10.0"), ("1/3", "0.33")],
    )
    def test_the_result_is_text_rounded_to_cents(
        self, shop: Environment, expression: str, result: str
    ) -> None:
        assert succeed(shop, "calculate", expression=expression).content == result

    @pytest.mark.parametrize(
        ("expression", "reason"),
        [
            ("9**9**9", "only numbers"),
            ("1/0", "division by zero"),
            ("__import__('os')", "invalid character '_'"),
            ("2 +", "invalid expression"),
            ("", "empty"),
        ],
    )
    def test_what_is_no_plain_arithmetic_is_refused(
        self, shop: Environment, expression: str, reason: str
    ) -> None:
        assert reason in refusal(shop, "calculate", expression=expression)


def test_only_a_transfer_ends_the_episode(retail: Domain) -> None:
    ending = {name for name, tool in retail.tools.items() if tool.ends_episode}
    assert ending == {"transfer_to_human_agents"}


def test_a_thought_is_answered_with_nothing(shop: Environment) -> None:
    assert succeed(shop, "think", thought="hm").content == ""
