"""The retail tools against what the reference tools did for all 115 reference tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench import Database, Domain, load_domain

TASKS = 115

# Fields where ours departs from the reference, as (task, table, key, field). KNOWN_FAULTS 29 is the
# only departure allowed, and no reference task runs into it: the expected records already give each
# of several modified items its own price and options.
DEPARTURES: frozenset[tuple[int, str, str, str]] = frozenset()


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def retail(upstream: Path) -> Domain:
    folder = upstream / "tau-bench" / "retail"
    tables = {name: load(folder / f"{name}.json") for name in ("products", "users", "orders")}
    return load_domain("retail").with_data(database=Database(tables))


@pytest.fixture(scope="module")
def tasks(upstream: Path) -> Any:
    return load(upstream / "tau-bench" / "retail" / "tasks_test.json")


@pytest.fixture(scope="module")
def expected(upstream: Path) -> Any:
    return load(upstream / "tau-bench" / "retail" / "expected_test.json")


def to_cents(value: Any) -> Any:
    """Round each amount: the reference keeps the noise of 53.48 - 53.43, ours does not."""
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, dict):
        return {key: to_cents(item) for key, item in value.items()}
    return [to_cents(item) for item in value] if isinstance(value, list) else value


def play(retail: Domain, task: Any) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Run the gold actions; one that fails is passed over, as the reference does."""
    environment = retail.environment()
    answers = []
    for action in task["actions"]:
        result = environment.call(action["name"], action["kwargs"])
        answers.append("error" if not result.ok else "transfer" if result.ends_episode else "ok")
    changes = environment.changes()
    after = {
        table: {key: change.after for key, change in records.items()}
        for table, records in changes.items()
    }
    return answers, after


def test_all_reference_tasks_are_there(tasks: Any, expected: Any) -> None:
    assert len(tasks) == len(expected) == TASKS


@pytest.mark.parametrize("index", range(TASKS))
def test_gold_actions_answer_as_in_the_reference(
    index: int, retail: Domain, tasks: Any, expected: Any
) -> None:
    answers, _ = play(retail, tasks[index])
    assert answers == expected[index]["actions"]


@pytest.mark.parametrize("index", range(TASKS))
def test_changed_records_equal_the_reference(
    index: int, retail: Domain, tasks: Any, expected: Any
) -> None:
    _, after = play(retail, tasks[index])
    wanted = to_cents(expected[index]["changed_records"])
    found = {
        (index, table, key, field)
        for table in {*after, *wanted}
        for key in {*after.get(table, {}), *wanted.get(table, {})}
        for field in differing(after.get(table, {}).get(key), wanted.get(table, {}).get(key))
    }
    assert found == {entry for entry in DEPARTURES if entry[0] == index}


def test_19_reference_tasks_have_a_failing_gold_action_and_11_change_nothing(
    retail: Domain, tasks: Any
) -> None:
    played = [play(retail, task) for task in tasks]
    assert sum("error" in answers for answers, _ in played) == 19
    assert sum(not after for _, after in played) == 11


def differing(ours: Any, wanted: Any) -> set[str]:
    """The fields in which two records differ; ``*`` where one of them is missing."""
    if ours is None or wanted is None:
        return {"*"}
    return {field for field in {*ours, *wanted} if ours.get(field) != wanted.get(field)}
