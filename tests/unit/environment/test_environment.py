"""What an agent's tool call does, and what it cannot do."""

from __future__ import annotations

import json

import pytest

from pytest_taubench.environment import Database, Environment, Overlay, tool
from pytest_taubench.errors import InfrastructureError, ToolError


@tool(kind="read")
def get_order(db: Overlay, order_id: str) -> dict:
    """Get an order."""
    order = db.get("orders", order_id)
    if order is None:
        raise ToolError(f"order {order_id} not found")
    return order


@tool(kind="write")
def cancel_order(db: Overlay, order_id: str, reason: str = "none") -> dict:
    """Cancel an order."""
    order = db.edit("orders", order_id)
    order["status"] = "cancelled"
    order["items"].clear()
    if reason == "bad":
        raise ToolError("bad reason")
    if reason == "broken":
        raise ZeroDivisionError("oops")
    if reason == "interrupted":
        raise KeyboardInterrupt
    order["reason"] = reason
    return order


@tool(kind="generic", ends_episode=True)
def transfer(db: Overlay, summary: str) -> str:
    """Transfer."""
    if summary == "refused":
        raise ToolError("no human is free")
    return "Transfer successful"


@tool(kind="read")
def say(db: Overlay, what: str) -> object:
    """Say."""
    return {
        "text": "Grüße",
        "dict": {"name": "Grüße"},
        "list": [1, 2.5],
        "int": 7,
        "none": None,
        "true": True,
        "set": {1},
        "nan": float("nan"),
    }[what]


@tool(kind="read")
def sly(db: Overlay, order_id: str) -> str:
    """Say read, but write."""
    db.edit("orders", order_id)["status"] = "hacked"
    return "done"


@tool(kind="write")
def careless(db: Overlay, order_id: str) -> str:
    """Change a record that was not asked for."""
    db.get("orders", order_id)["status"] = "hacked"
    return "done"


TOOLS = {each.name: each for each in (get_order, cancel_order, transfer, say, sly, careless)}
START = {"status": "pending", "items": ["a"]}


@pytest.fixture
def environment():
    return Environment(TOOLS, Database({"orders": {"#W1": START}}))


class TestResults:
    def test_data_is_json_and_text_is_as_it_is(self, environment):
        assert environment.call("say", {"what": "text"}).content == "Grüße"
        assert environment.call("say", {"what": "dict"}).content == '{"name": "Grüße"}'
        assert environment.call("say", {"what": "list"}).content == "[1, 2.5]"
        assert environment.call("say", {"what": "int"}).content == "7"
        assert environment.call("say", {"what": "none"}).content == "null"
        assert environment.call("say", {"what": "true"}).content == "true"

    def test_arguments_come_as_text_or_parsed(self, environment):
        as_text = environment.call("get_order", '{"order_id": "#W1"}')
        parsed = environment.call("get_order", {"order_id": "#W1"})
        assert as_text == parsed
        assert as_text.ok
        assert as_text.kind == "read"
        assert as_text.arguments == {"order_id": "#W1"}
        assert json.loads(as_text.content) == START

    def test_the_value_is_the_callers_own(self, environment):
        environment.call("get_order", {"order_id": "#W1"}).value["status"] = "hacked"
        environment.call("cancel_order", {"order_id": "#W1"}).value["status"] = "hacked"
        result = environment.call("get_order", {"order_id": "#W1"})
        assert result.value == {"status": "cancelled", "items": [], "reason": "none"}

    def test_a_write_is_in_the_changes(self, environment):
        assert environment.changes() == {}
        environment.call("cancel_order", {"order_id": "#W1"})
        change = environment.changes()["orders"]["#W1"]
        assert change.before == START
        assert change.after["status"] == "cancelled"

    def test_a_fresh_environment_starts_from_the_base(self, environment):
        environment.call("cancel_order", {"order_id": "#W1"})
        fresh = environment.fresh()
        assert fresh.changes() == {}
        assert fresh.call("get_order", {"order_id": "#W1"}).value == START


class TestAgentsFaults:
    @pytest.mark.parametrize(
        ("name", "arguments", "content"),
        [
            ("get_oder", "{}", "Error: unknown tool 'get_oder'; did you mean 'get_order'?"),
            ("get_order", "{", "Error: the arguments are not valid JSON"),
            ("get_order", "[1]", "Error: the arguments must be a JSON object"),
            ("get_order", "null", "Error: the arguments must be a JSON object"),
            ("get_order", '"#W1"', "Error: the arguments must be a JSON object"),
            ("get_order", '{"order_id": NaN}', "Error: the arguments are not valid JSON"),
            ("get_order", "[" * 100_000, "Error: the arguments are not valid JSON"),
            ("get_order", '{"order_id": ' + "9" * 9999 + "}", "Error: the arguments are not valid"),
            (
                "get_order",
                "",
                "Error: invalid arguments for get_order: missing argument 'order_id'",
            ),
            ("get_order", {"order_id": object()}, "Error: the arguments are not valid JSON"),
            (
                "get_order",
                {"order_id": "#W1", "x": 1},
                "Error: invalid arguments for get_order: unk",
            ),
            ("get_order", {"order_id": "#W9"}, "Error: order #W9 not found"),
        ],
    )
    def test_each_is_an_error_the_agent_reads(self, environment, name, arguments, content):
        result = environment.call(name, arguments)
        assert result.content.startswith(content)
        assert not result.ok
        assert result.value is None
        assert not result.ends_episode

    def test_an_unknown_tool_has_no_kind_and_a_name_near_nothing_lists_the_tools(self, environment):
        result = environment.call("zzzzzz", "{}")
        assert result.kind is None
        assert "the tools are get_order, cancel_order" in result.content

    def test_an_empty_name_is_an_unknown_tool(self, environment):
        assert not environment.call("", "{}").ok


class TestFailedCalls:
    def test_a_refusal_in_the_middle_leaves_the_database_untouched(self, environment):
        assert not environment.call("cancel_order", {"order_id": "#W1", "reason": "bad"}).ok
        assert environment.changes() == {}
        assert environment.call("get_order", {"order_id": "#W1"}).value == START

    def test_a_refusal_keeps_what_earlier_calls_changed(self, environment):
        environment.call("cancel_order", {"order_id": "#W1", "reason": "first"})
        environment.call("cancel_order", {"order_id": "#W1", "reason": "bad"})
        after = environment.changes()["orders"]["#W1"].after
        assert after == {"status": "cancelled", "items": [], "reason": "first"}

    def test_a_broken_tool_is_the_environments_fault_and_names_tool_and_exception(
        self, environment
    ):
        with pytest.raises(
            InfrastructureError, match=r"cancel_order.*ZeroDivisionError: oops"
        ) as error:
            environment.call("cancel_order", {"order_id": "#W1", "reason": "broken"})
        assert error.value.source == "environment"
        assert isinstance(error.value.__cause__, ZeroDivisionError)
        assert environment.changes() == {}

    def test_an_interrupted_call_leaves_the_database_untouched(self, environment):
        with pytest.raises(KeyboardInterrupt):
            environment.call("cancel_order", {"order_id": "#W1", "reason": "interrupted"})
        assert environment.changes() == {}

    @pytest.mark.parametrize("what", ["set", "nan"])
    def test_a_result_that_is_not_json_is_the_tools_fault(self, environment, what):
        with pytest.raises(InfrastructureError, match="tool say is broken"):
            environment.call("say", {"what": what})

    def test_a_read_tool_that_writes_is_broken(self, environment):
        with pytest.raises(InfrastructureError, match=r"sly.*marked read, but edits orders/#W1"):
            environment.call("sly", {"order_id": "#W1"})
        assert environment.changes() == {}

    def test_a_tool_that_changes_a_shared_record_is_told_to_edit(self, environment):
        with pytest.raises(InfrastructureError, match=r"careless.*db\.edit"):
            environment.call("careless", {"order_id": "#W1"})


class TestEndingTheEpisode:
    def test_a_transfer_that_succeeds_ends_it(self, environment):
        result = environment.call("transfer", {"summary": "x"})
        assert result.ok
        assert result.ends_episode

    @pytest.mark.parametrize("arguments", [{}, {"summary": "refused"}, "{"])
    def test_a_transfer_that_fails_does_not(self, environment, arguments):
        result = environment.call("transfer", arguments)
        assert not result.ok
        assert not result.ends_episode


def test_the_schemas_are_those_of_the_tools_in_order(environment):
    names = [schema["function"]["name"] for schema in environment.tool_schemas()]
    assert names == list(TOOLS)


def test_a_tool_that_exits_is_broken_and_ends_no_more_than_its_call():
    @tool(kind="write")
    def leave(db, order_id: str) -> str:
        """Leave.

        Args:
            order_id: The order.
        """
        raise SystemExit(3)

    broken = Environment({"leave": leave}, Database({"orders": {}}))
    with pytest.raises(InfrastructureError, match="tool leave is broken: SystemExit: 3"):
        broken.call("leave", {"order_id": "#1"})
