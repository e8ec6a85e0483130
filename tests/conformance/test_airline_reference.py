"""The reference benchmark's 50 airline tasks under the bundled tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from exact import ABSENT, departures

from pytest_taubench import Database, Domain, load_domain

TASKS = range(50)

# Known fault 30: the reference left the cabin as it was when the flights changed to another.
# By task: the reservation's cabin there, and the one its gold action asks for.
NEW_CABINS: Mapping[int, Mapping[str, tuple[str, str]]] = {
    2: {
        "JG7FMM": ("business", "economy"),
        "2FBBAH": ("business", "economy"),
        "X7BYG1": ("business", "economy"),
        "EQ1G6C": ("business", "economy"),
        "BOH180": ("business", "economy"),
    },
    4: {"FQ8APE": ("basic_economy", "economy")},
    5: {"FQ8APE": ("basic_economy", "economy")},
    6: {"M05KNL": ("business", "economy")},
    7: {"M05KNL": ("business", "economy")},
    22: {"OWZ4XL": ("basic_economy", "economy")},
    26: {"M20IZO": ("economy", "business")},
    33: {
        "NM1VX1": ("basic_economy", "business"),
        "KC18K6": ("basic_economy", "business"),
        "H8Q05L": ("basic_economy", "business"),
    },
    34: {"XEHM4B": ("basic_economy", "economy")},
}


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(upstream: Path) -> Path:
    return upstream / "tau-bench" / "airline"


@pytest.fixture(scope="module")
def domain(folder: Path) -> Domain:
    tables = {name: _read(folder / f"{name}.json") for name in ("flights", "users", "reservations")}
    return load_domain("airline").with_data(database=Database(tables))


@pytest.fixture(scope="module")
def tasks(folder: Path) -> Any:
    return _read(folder / "tasks_test.json")


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    return _read(folder / "expected_test.json")


def test_there_is_an_expectation_for_each_of_the_fifty_tasks(tasks: Any, expected: Any) -> None:
    assert len(tasks) == len(TASKS)
    assert [entry["task"] for entry in expected] == list(TASKS)


@pytest.mark.parametrize("number", TASKS)
def test_gold_actions_answer_as_in_the_reference(
    domain: Domain, tasks: Any, expected: Any, number: int
) -> None:
    environment = domain.environment()
    answers = []
    for action in tasks[number]["actions"]:
        result = environment.call(action["name"], action["kwargs"])
        answers.append("transfer" if result.ends_episode else "ok" if result.ok else "error")
    assert answers == expected[number]["actions"]


@pytest.mark.parametrize("number", TASKS)
def test_gold_actions_change_the_same_records_but_for_the_named_departures(
    domain: Domain, tasks: Any, expected: Any, number: int
) -> None:
    environment = domain.environment()
    for action in tasks[number]["actions"]:
        environment.call(action["name"], action["kwargs"])
    ours = {
        table: {key: change.after for key, change in records.items()}
        for table, records in environment.changes().items()
    }
    assert departures(expected[number]["changed_records"], ours) == {
        ("reservations", key, "cabin"): cabins for key, cabins in NEW_CABINS.get(number, {}).items()
    }


def test_an_absent_field_departs_from_null_and_a_whole_number_from_a_float() -> None:
    assert departures({"a": None, "b": 5, "c": [1, []]}, {"b": 5.0, "c": [1]}) == {
        ("a",): (None, ABSENT),
        ("b",): (5, 5.0),
        ("c", 1): ([], ABSENT),
    }
