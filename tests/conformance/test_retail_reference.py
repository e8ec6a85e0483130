"""The retail tools against what the reference tools did for all 115 reference tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from exact import Place, departures

from pytest_taubench import Database, Domain, load_domain

TASKS = 115

# The reference keeps the noise of subtracting floats, 53.48 - 53.43 = 0.04999999999999716, and ours
# rounds to cents. By task: the orders whose second payment, the difference of prices, differs so.
# Known fault 29 would be another departure, but no reference task runs into it: the expected records
# already give each of several modified items its own price and options.
FLOAT_NOISE: Mapping[int, tuple[str, ...]] = {
    3: ("#W4776164",),
    4: ("#W6247578", "#W4776164"),
    15: ("#W5199551",),
    20: ("#W9911714",),
    21: ("#W9911714",),
    23: ("#W3561391",),
    35: ("#W9672333",),
    36: ("#W9348897",),
    37: ("#W9348897",),
    41: ("#W4082615",),
    42: ("#W4082615",),
    44: ("#W9300146",),
    56: ("#W4284542",),
    60: ("#W5061109",),
    61: ("#W5061109",),
    63: ("#W5061109",),
    64: ("#W7464385",),
    71: ("#W5270061",),
    72: ("#W5270061",),
    74: ("#W5166363",),
    78: ("#W5056519",),
    79: ("#W8661412",),
    85: ("#W2466703",),
    86: ("#W2466703",),
    97: ("#W6750959",),
    98: ("#W6750959",),
    101: ("#W3295833",),
    102: ("#W4219264", "#W6729841"),
    103: ("#W4219264",),
    104: ("#W4860251",),
    105: ("#W4860251",),
    110: ("#W1603792",),
    111: ("#W1603792",),
    112: ("#W9810810", "#W3730488"),
    113: ("#W9810810", "#W3730488"),
}
NOISE = 1e-9


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
    assert set(departures(expected[index]["changed_records"], after)) == noisy(index)


def noisy(index: int) -> set[Place]:
    return {("orders", key, "payment_history", 1, "amount") for key in FLOAT_NOISE.get(index, ())}


def test_39_amounts_depart_by_float_noise_which_is_the_references(
    retail: Domain, tasks: Any, expected: Any
) -> None:
    count = 0
    for index, task in enumerate(tasks):
        _, after = play(retail, task)
        found = departures(expected[index]["changed_records"], after)
        for wanted, ours in (found[place] for place in noisy(index)):
            count += 1
            assert abs(wanted - ours) < NOISE
            assert ours == round(ours, 2)
            assert wanted != round(wanted, 2)
    assert count == 39


def test_19_reference_tasks_have_a_failing_gold_action_and_11_change_nothing(
    retail: Domain, tasks: Any
) -> None:
    played = [play(retail, task) for task in tasks]
    assert sum("error" in answers for answers, _ in played) == 19
    assert sum(not after for _, after in played) == 11
