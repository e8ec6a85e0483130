"""A tool's schema comes from its signature and docstring; its arguments are checked before the call."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import jsonschema
import pytest
from pydantic import BaseModel, Field

from pytest_taubench.environment import Database, Overlay, Tool, tool
from pytest_taubench.errors import ToolError


class Flight(TypedDict):
    flight_number: str
    date: str
    seat: NotRequired[str]


class Payment(BaseModel):
    payment_id: str
    amount: int | float


class Seat(BaseModel):
    row: dict[str, str] = {"title": "first"}


class Bag(TypedDict, total=False):
    title: str
    weight: float


@tool(kind="write")
def book(
    db: Overlay,
    user_id: str,
    cabin: Literal["economy", "business"],
    flights: list[Flight],
    payments: list[Payment],
    bags: int,
    price: float,
    insured: bool = False,
    note: str | None = None,
    details: Optional[Bag] = None,  # noqa: UP045 - authors write it this way
    age: Annotated[int, Field(ge=0)] = 30,
) -> dict[str, Any]:
    """Book a trip.

    The price must be
    paid in full.

    Args:
        user_id: The user, e.g.
            mei_davis: with a colon.
        cabin (str): The cabin.
        bags: How many bags.

    Returns:
        The booking.
    """
    return {"bags": bags, "price": price, "flights": flights, "payments": payments, "age": age}


GOOD: dict[str, Any] = {
    "user_id": "mei",
    "cabin": "economy",
    "flights": [{"flight_number": "HAT1", "date": "2024-05-20"}],
    "payments": [{"payment_id": "p1", "amount": 250}],
    "bags": 2,
    "price": 250.5,
}


class TestSchema:
    def test_it_is_an_openai_function(self):
        schema = book.schema()
        assert schema["type"] == "function"
        assert set(schema["function"]) == {"name", "description", "parameters"}
        assert schema["function"]["name"] == "book"

    def test_the_description_is_the_docstring_up_to_its_sections(self):
        assert book.description == "Book a trip.\n\nThe price must be paid in full."

    def test_parameters_are_described_from_the_docstring(self):
        described = {
            name: each["description"]
            for name, each in book.parameters["properties"].items()
            if "description" in each
        }
        assert described == {
            "user_id": "The user, e.g. mei_davis: with a colon.",
            "cabin": "The cabin.",
            "bags": "How many bags.",
        }

    def test_types_are_json_schema(self):
        properties = book.parameters["properties"]
        assert properties["bags"]["type"] == "integer"
        assert properties["price"]["type"] == "number"
        assert properties["cabin"]["enum"] == ["economy", "business"]
        flight = properties["flights"]["items"]
        assert flight["properties"] == {
            "flight_number": {"type": "string"},
            "date": {"type": "string"},
            "seat": {"type": "string"},
        }
        assert flight["required"] == ["flight_number", "date"]
        assert properties["insured"] == {"type": "boolean", "default": False}

    def test_a_property_called_title_is_kept(self):
        text = json.dumps(book.parameters["properties"]["details"])
        assert '"title": {"type": "string"}' in text

    def test_a_default_that_holds_a_title_is_kept(self):
        @tool(kind="read")
        def sit(db: Overlay, seat: Seat) -> str:
            """Sit."""
            return ""

        row = sit.parameters["properties"]["seat"]["properties"]["row"]
        assert row["default"] == {"title": "first"}

    def test_parameters_without_a_default_are_required_and_no_other_is_allowed(self):
        assert book.parameters["required"] == list(GOOD.keys())
        assert book.parameters["additionalProperties"] is False

    def test_it_stands_alone_and_is_a_valid_schema(self):
        text = json.dumps(book.schema())
        assert "$ref" not in text
        assert "$defs" not in text
        jsonschema.Draft202012Validator.check_schema(book.parameters)
        jsonschema.validate(GOOD, book.parameters)

    def test_it_is_the_same_bytes_each_time(self):
        again = Tool(book.function, book.kind)
        assert json.dumps(again.schema()) == json.dumps(book.schema())

    def test_the_signature_has_no_db(self):
        signature = book.signature()
        assert list(signature.parameters)[:2] == ["user_id", "cabin"]
        assert signature.parameters["age"].default == 30
        assert signature.parameters["user_id"].annotation is str


class TestArguments:
    def test_good_ones_pass_and_defaults_are_left_to_the_function(self):
        checked = book.check(GOOD)
        assert set(checked) == set(GOOD)
        assert checked["flights"] == GOOD["flights"]
        assert checked["payments"] == [Payment(payment_id="p1", amount=250)]

    def test_whole_numbers_are_ints_and_floats_alike(self):
        checked = book.check({**GOOD, "bags": 3.0, "price": 3, "age": 4.0})
        assert checked["bags"] == 3
        assert type(checked["bags"]) is int
        assert checked["price"] == 3.0
        assert checked["age"] == 4

    def test_an_int_that_may_be_either_stays_an_int(self):
        assert json.dumps(book.check(GOOD)["payments"][0].amount) == "250"

    def test_undeclared_keys_of_a_nested_object_are_passed_over(self):
        flights = [{"flight_number": "HAT1", "date": "2024-05-20", "origin": "JFK"}]
        assert book.check({**GOOD, "flights": flights})["flights"] == GOOD["flights"]

    def test_none_is_taken_where_the_type_allows_it(self):
        assert book.check({**GOOD, "note": None})["note"] is None

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"bags": "2"}, "'bags' must be a valid integer, got \"2\" (text)"),
            ({"bags": 2.5}, "'bags' must be a valid integer, got 2.5 (number)"),
            ({"bags": True}, "'bags' must be a valid integer, got true (bool)"),
            ({"price": "2.5"}, "'price' must be a valid number, got \"2.5\" (text)"),
            ({"price": False}, "'price' must be a valid number, got false (bool)"),
            ({"user_id": 5}, "'user_id' must be a valid string, got 5 (number)"),
            ({"user_id": None}, "'user_id' must be a valid string, got null"),
            ({"insured": "yes"}, "'insured' must be a valid boolean, got \"yes\" (text)"),
            ({"cabin": "first"}, "'cabin' must be 'economy' or 'business', got \"first\" (text)"),
            ({"flights": "HAT1"}, "'flights' must be a valid array, got \"HAT1\" (text)"),
            ({"flights": [{"date": "x"}]}, "missing 'flights[0].flight_number'"),
            ({"payments": [{"payment_id": 1, "amount": 1}]}, "'payments[0].payment_id' must be"),
            ({"age": -1}, "'age' must be greater than or equal to 0, got -1 (number)"),
            ({"note": 7}, "'note' must be a valid string, got 7 (number)"),
            ({"details": {"weight": "x"}}, "'details.weight' must be a valid number"),
            ({"user_idd": "x"}, "unknown argument 'user_idd'"),
            ({"user_id": "\ud800"}, "'user_id' is not valid JSON"),
        ],
    )
    def test_a_wrong_one_is_named_with_what_was_expected_and_got(self, change, message):
        with pytest.raises(ToolError) as error:
            book.check({**GOOD, **change})
        assert message in str(error.value)
        assert str(error.value).startswith("invalid arguments for book: ")

    def test_a_missing_and_an_extra_one_are_named_together_with_the_nearest(self):
        arguments = {key: value for key, value in GOOD.items() if key != "user_id"}
        with pytest.raises(ToolError) as error:
            book.check({**arguments, "userid": "mei"})
        assert str(error.value) == (
            "invalid arguments for book: unknown argument 'userid' (did you mean 'user_id'?); "
            "missing argument 'user_id'"
        )

    def test_an_extra_one_that_is_near_nothing_lists_the_parameters(self):
        @tool(kind="read")
        def look(db: Overlay, order_id: str) -> str:
            """Look."""
            return order_id

        with pytest.raises(ToolError, match=r"\(the parameters are order_id\)"):
            look.check({"order_id": "x", "zzz": 1})

    def test_many_faults_of_one_argument_stay_short(self):
        with pytest.raises(ToolError, match="and 7 more"):
            book.check({**GOOD, "flights": [{}] * 5})

    def test_call_checks_and_runs(self):
        result = book.call(Database({}).overlay(), GOOD)
        assert result["bags"] == 2
        assert result["age"] == 30


class TestDefinition:
    def test_the_function_can_still_be_called(self):
        assert book.function is not book
        assert book(None, "mei", "economy", [], [], 1, 2.0)["bags"] == 1

    def test_a_kind_is_needed_and_checked(self):
        with pytest.raises(TypeError, match="read, write, generic"):
            tool(kind="reads")(lambda db: None)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"@tool\(kind="):
            tool(lambda db: None)  # type: ignore[arg-type]

    @pytest.mark.parametrize("made", [book, dict, int, str.upper])
    def test_what_is_no_function_is_refused(self, made):
        with pytest.raises(TypeError, match="@tool is put on a function, not on "):
            tool(kind="read")(made)

    def test_an_async_tool_is_refused(self):
        async def wait(db: Overlay) -> str:
            return ""

        with pytest.raises(TypeError, match="not async"):
            tool(kind="read")(wait)

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("def f(order_id: str): pass", "first parameter must be db"),
            ("def f(): pass", "first parameter must be db"),
            ("def f(db, order_id): pass", "parameter 'order_id' has no type"),
            ("def f(db, *ids: str): pass", "named parameters only"),
            ("def f(db, **ids: str): pass", "named parameters only"),
            ("def f(db, x: 'Missing'): pass", "cannot be resolved: name 'Missing'"),
            ("def f(db, x: object()): pass", "no JSON Schema"),
            ("import threading\ndef f(db, x: threading.Lock): pass", "no JSON Schema"),
        ],
    )
    def test_a_signature_that_cannot_be_a_tools_says_why(self, source, message):
        namespace: dict[str, Any] = {}
        exec(source, namespace)
        with pytest.raises(TypeError, match=message) as error:
            tool(kind="read")(namespace["f"]).schema()
        assert "tool f" in str(error.value)

    def test_types_defined_below_the_tool_resolve(self):
        @tool(kind="read")
        def late(db: Overlay, seat: Later) -> str:
            """Late."""
            return seat["row"]

        assert late.check({"seat": {"row": "1A"}}) == {"seat": {"row": "1A"}}

    def test_a_type_that_contains_itself_is_refused(self):
        @tool(kind="read")
        def deep(db: Overlay, node: Node) -> str:
            """Deep."""
            return ""

        with pytest.raises(TypeError, match="contains itself"):
            deep.schema()


class Later(TypedDict):
    row: str


class Node(BaseModel):
    children: list[Node] = []
