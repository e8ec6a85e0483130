"""What a run's models cost, split by role and by direction."""

from __future__ import annotations

from typing import Any

from record_factory import record

from pytest_taubench.metrics.cost import RoleCost, cost_by_role, trial_cost
from pytest_taubench.runs.store import decode_record, encode_record
from pytest_taubench.schema import TrialRecord, Usage


def trials(*uses: Usage, role: str = "agent") -> list[TrialRecord]:
    return [record("a", number, 1.0, usage={role: use}) for number, use in enumerate(uses, 1)]


def only(records: list[TrialRecord]) -> RoleCost:
    [found] = cost_by_role(records)
    return found


def use(**fields: Any) -> Usage:
    return Usage(calls=1, input_tokens=100, output_tokens=10, **fields)


def test_agent_and_user_are_each_split_into_input_and_output() -> None:
    agent = use(cost=0.75, input_cost=0.5, output_cost=0.25)
    user = use(cost=0.375, input_cost=0.125, output_cost=0.25)
    records = [record("a", n, 1.0, usage={"agent": agent, "user": user}) for n in (1, 2)]
    found = {each.role: (each.input_cost, each.output_cost) for each in cost_by_role(records)}
    assert found == {"agent": (1.0, 0.5), "user": (0.25, 0.5)}
    assert not any(each.partial or each.split_partial for each in cost_by_role(records))


def test_a_trial_without_a_known_price_is_left_out_and_said() -> None:
    cost = only(trials(use(cost=0.75, input_cost=0.5, output_cost=0.25), use()))
    assert (cost.cost, cost.input_cost, cost.output_cost) == (0.75, 0.5, 0.25)
    assert (cost.partial, cost.split_partial, cost.incomplete) == (True, True, False)


def test_a_response_without_usage_makes_both_partial() -> None:
    cost = only(trials(use(cost=0.75, input_cost=0.5, output_cost=0.25), use(complete=False)))
    assert (cost.partial, cost.split_partial, cost.incomplete) == (True, True, True)


def test_a_record_from_before_the_split_keeps_its_cost() -> None:
    line = encode_record(trials(use(cost=0.75))[0])
    old = line.replace(',"input_cost":null,"output_cost":null', "")
    assert "input_cost" not in old
    cost = only([decode_record(old)])
    assert (cost.cost, cost.partial) == (0.75, False)
    assert (cost.input_cost, cost.output_cost, cost.split_partial) == (None, None, True)


def test_a_trial_that_ended_before_its_first_call_makes_nothing_partial() -> None:
    cost = only(trials(use(cost=0.75, input_cost=0.5, output_cost=0.25), Usage()))
    assert (cost.cost, cost.input_cost, cost.output_cost) == (0.75, 0.5, 0.25)
    assert (cost.partial, cost.split_partial, cost.incomplete) == (False, False, False)


def test_the_cost_of_a_trial_whose_user_was_never_asked_is_that_of_its_agent() -> None:
    assert trial_cost(record("a", 1, 1.0, usage={"agent": use(cost=0.75), "user": Usage()})) == 0.75
