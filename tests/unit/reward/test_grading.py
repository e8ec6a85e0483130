"""The reward: the product of components that never touch the trial and are all recorded."""

from __future__ import annotations

import pytest

from pytest_taubench.environment import Database, Environment, Overlay, tool
from pytest_taubench.errors import ToolError
from pytest_taubench.reward import (
    Gold,
    counted,
    describe_changes,
    gold_state,
    grade,
    grade_actions,
    grade_database,
    proves_nothing,
)
from pytest_taubench.schema import Action, ActionRecord, Component, RecordChange


@tool(kind="read")
def get_order(db: Overlay, order_id: str) -> dict:
    """Get."""
    order = db.get("orders", order_id)
    if order is None:
        raise ToolError("order not found")
    return order


@tool(kind="write")
def set_status(db: Overlay, order_id: str, status: str, price: float = 25) -> str:
    """Set."""
    order = db.edit("orders", order_id)
    order["price"] = price
    order["status"] = status
    if status == "impossible":
        raise ToolError("no such status")
    return "done"


@tool(kind="write")
def remove(db: Overlay, order_id: str) -> str:
    """Remove."""
    db.delete("orders", order_id)
    return "done"


@tool(kind="write")
def add(db: Overlay, order_id: str) -> str:
    """Add."""
    db.create("orders", order_id, {"status": "new", "price": 1})
    return "done"


TOOLS = {each.name: each for each in (get_order, set_status, remove, add)}


@pytest.fixture
def environment():
    orders = {key: {"status": "pending", "price": 25} for key in ("#W1", "#W2")}
    return Environment(TOOLS, Database({"orders": orders}))


def act(name, **arguments):
    return Action(name=name, arguments=arguments)


def set_to(status, order_id="#W1", **more):
    return act("set_status", order_id=order_id, status=status, **more)


def run(environment, *actions):
    for action in actions:
        assert environment.call(action.name, action.arguments).ok
    return environment.changes()


class TestGoldState:
    def test_it_is_what_the_actions_change(self, environment):
        gold = gold_state(environment, [act("get_order", order_id="#W1"), set_to("cancelled")])
        assert gold.failures == []
        assert gold.changes["orders"]["#W1"].after == {"status": "cancelled", "price": 25}
        assert [result.ok for result in gold.results] == [True, True]

    def test_it_never_touches_the_trials_environment(self, environment):
        run(environment, set_to("returned", "#W2"))
        gold = gold_state(environment, [set_to("cancelled")])
        assert list(environment.changes()["orders"]) == ["#W2"]
        assert list(gold.changes["orders"]) == ["#W1"]

    def test_an_action_that_fails_is_named_and_changes_nothing(self, environment):
        actions = [
            set_to("cancelled"),
            set_to("impossible", "#W2"),
            act("no_such_tool"),
            act("get_order", order_id="#W9"),
        ]
        gold = gold_state(environment, actions)
        assert gold.failures[0] == "2. set_status: Error: no such status"
        assert gold.failures[1].startswith("3. no_such_tool: Error: unknown tool")
        assert gold.failures[2] == "4. get_order: Error: order not found"
        assert list(gold.changes["orders"]) == ["#W1"]


class TestDatabaseComponent:
    def test_the_same_end_by_another_way_passes(self, environment):
        gold = gold_state(environment, [set_to("cancelled")])
        actual = run(environment, set_to("returned"), set_to("cancelled", price=25.0))
        component = grade_database(gold, actual)
        assert component.name == "database"
        assert component.value == 1
        assert not component.vacuous

    def test_a_change_not_made_is_missing(self, environment):
        gold = gold_state(environment, [set_to("cancelled")])
        component = grade_database(gold, {})
        assert component.value == 0
        assert component.detail["missing"] == ['orders/#W1 status: "pending" -> "cancelled"']
        assert component.detail["wrong"] == component.detail["unexpected"] == []

    def test_a_change_nobody_asked_for_is_unexpected(self, environment):
        gold = gold_state(environment, [])
        component = grade_database(gold, run(environment, set_to("cancelled", "#W2")))
        assert component.value == 0
        assert component.detail["unexpected"] == ['orders/#W2 status: "pending" -> "cancelled"']
        assert not component.vacuous

    def test_a_record_that_ends_otherwise_is_wrong_field_by_field(self, environment):
        gold = gold_state(environment, [set_to("cancelled", price=30)])
        component = grade_database(gold, run(environment, set_to("returned", price=30)))
        assert component.value == 0
        assert component.detail["wrong"] == [
            'orders/#W1 status: expected "cancelled", got "returned"'
        ]

    def test_created_and_deleted_records_count(self, environment):
        gold = gold_state(environment, [act("add", order_id="#W3"), act("remove", order_id="#W1")])
        assert grade_database(gold, gold.changes).value == 1
        component = grade_database(gold, run(environment, set_to("cancelled")))
        assert component.value == 0
        assert component.detail["missing"] == ['orders/#W3 created: {"status": "new", "price": 1}']
        assert component.detail["wrong"] == ["orders/#W1: expected it deleted, it is not"]

    def test_a_record_deleted_by_mistake_is_wrong(self, environment):
        gold = gold_state(environment, [set_to("cancelled")])
        component = grade_database(gold, run(environment, act("remove", order_id="#W1")))
        assert component.detail["wrong"] == ["orders/#W1: it is deleted"]

    def test_a_change_made_and_undone_is_no_change(self, environment):
        gold = gold_state(environment, [])
        actual = run(environment, set_to("cancelled"), set_to("pending"))
        component = grade_database(gold, actual)
        assert component.value == 1
        assert component.vacuous

    def test_a_dict_is_not_a_list_of_pairs(self):
        gold = Gold({"t": {"k": RecordChange(before={"v": 0}, after={"v": {"a": 1}})}})
        actual = {"t": {"k": RecordChange(before={"v": 0}, after={"v": [["a", 1]]})}}
        assert grade_database(gold, actual).value == 0


def test_changes_read_as_lines(environment):
    run(environment, set_to("cancelled"), act("remove", order_id="#W2"))
    assert describe_changes(environment.changes()) == [
        'orders/#W1 status: "pending" -> "cancelled"',
        "orders/#W2 deleted",
    ]


class TestActionsComponent:
    def test_each_annotated_call_was_made_in_any_order(self):
        executed = [
            ActionRecord(name="b", arguments={"y": [1, 2], "x": 25.0}),
            ActionRecord(name="extra", arguments={}),
            ActionRecord(name="a", arguments={}),
        ]
        component = grade_actions([act("a"), act("b", x=25, y=[1, 2])], executed)
        assert component.value == 1
        assert component.detail["missing"] == []

    @pytest.mark.parametrize(
        "executed",
        [
            ActionRecord(name="b", arguments={"x": 1}),
            ActionRecord(name="a", arguments={"x": 2}),
            ActionRecord(name="a", arguments={"x": 1, "y": 2}),
            ActionRecord(name="a", arguments={"x": "1"}),
            ActionRecord(name="a", arguments=None),
            ActionRecord(name="a", arguments={"x": 1}, ok=False),
        ],
        ids=["other tool", "other value", "more", "other type", "no arguments", "refused"],
    )
    def test_a_call_that_differs_or_was_refused_does_not_count(self, executed):
        component = grade_actions([act("a", x=1)], [executed])
        assert component.value == 0
        assert component.detail["missing"] == ['a({"x": 1})']

    def test_no_annotated_call_proves_nothing(self):
        assert grade_actions([], []).vacuous


class TestReward:
    def graded(self, environment, basis=("database", "outputs"), did=(), said=(), **more):
        actions = [set_to("cancelled")]
        gold = gold_state(environment, actions)
        actual = run(environment, *did)
        return grade(
            basis,
            gold=gold,
            actual=actual,
            outputs=["54.04"],
            texts=said,
            gold_actions=actions,
            executed=[ActionRecord(name=a.name, arguments=a.arguments) for a in did],
            **more,
        )

    @pytest.mark.parametrize(
        ("did", "said", "reward"),
        [
            ([set_to("cancelled")], ["$54.04"], 1),
            ([set_to("cancelled")], ["nothing"], 0),
            ([], ["$54.04"], 0),
            ([], [], 0),
        ],
    )
    def test_both_must_hold_and_both_are_recorded(self, environment, did, said, reward):
        got, components = self.graded(environment, did=did, said=said)
        assert got == reward
        values = {each.name: each.value for each in components}
        assert values["database"] == bool(did)
        assert values["outputs"] == (said == ["$54.04"])

    def test_a_component_outside_the_basis_is_recorded_and_not_counted(self, environment):
        reward, components = self.graded(environment, basis=["outputs"], said=["54.04"])
        assert reward == 1
        assert [each.name for each in components] == ["database", "outputs", "actions"]
        assert [each.name for each in counted(components)] == ["outputs"]
        database = components[0]
        assert database.value == 0
        assert database.detail["counted"] is False

    def test_actions_may_be_in_the_basis(self, environment):
        assert self.graded(environment, basis=["actions"], did=[set_to("cancelled")])[0] == 1

    def test_another_component_may_come_graded(self, environment):
        judged = Component(name="nl_assertions", value=0)
        reward, components = self.graded(
            environment,
            basis=["database", "nl_assertions"],
            did=[set_to("cancelled")],
            nl_assertions=judged,
        )
        assert reward == 0
        assert components[-1].name == "nl_assertions"

    def test_a_basis_that_was_not_graded_is_an_error_and_no_silent_pass(self, environment):
        with pytest.raises(ValueError, match="nl_assertions"):
            self.graded(environment, basis=["database", "nl_assertions"])

    def test_the_papers_substring_rule_can_be_asked_for(self, environment):
        assert self.graded(environment, basis=["outputs"], said=["154.049"])[0] == 0
        again = environment.fresh()
        got, _ = self.graded(again, basis=["outputs"], said=["154.049"], match="substring")
        assert got == 1

    def test_a_pass_that_rests_on_nothing_is_visible(self, environment):
        def idle(outputs, said, actual=None):
            return grade(
                ["database", "outputs"],
                gold=Gold({}),
                actual=actual or {},
                outputs=outputs,
                texts=said,
                gold_actions=[act("get_order", order_id="#W1")],
            )

        reward, components = idle([], [])
        assert reward == 1
        assert proves_nothing(components)
        assert not proves_nothing(idle(["10"], ["10"])[1])
        changed = {"orders": {"#W1": RecordChange(before={"a": 1}, after={"a": 2})}}
        reward, components = idle([], [], changed)
        assert reward == 0
        assert not proves_nothing(components)
