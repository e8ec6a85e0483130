"""Whatever arguments an agent gives, a bundled tool answers or refuses; none of them breaks."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pytest_taubench import Domain, load_domain

SEED = 20240612
CALLS_A_TOOL = 60

ODD: tuple[Any, ...] = (
    *(
        "",
        " ",
        "\0",
        "\x1b[2J",
        "\u202e",
        "a" * 10_000,
        "9" * 400,
        "-",
        "#",
        "{}",
        "null",
        "é\ud800",
    ),
    *("1/0", "(" * 400, "-" * 499 + "1", "1 - " * 120 + "1", "9" * 200 + "*" + "9" * 200, "1e309"),
    *(0, -1, 1, 2**63, -(2**63), 10**400, 0.0, -0.0, 1e308, -1e308, 1e-320, 0.1 + 0.2, True, False),
    *(None, [], [[]], {}, [None], [""], ["", ""], [0], [{}], {"": {}}, {"a": [1]}, [1e308] * 3),
    *(
        "2024-02-30",
        "2024-05-20",
        "0000-00-00",
        "9999-12-31",
        "24:00:00",
        "credit_card",
        "gift_card_0",
    ),
)


@pytest.fixture(scope="module", params=["retail", "airline"])
def domain(request: pytest.FixtureRequest) -> Domain:
    return load_domain(request.param)


def values_of(domain: Domain, chance: random.Random) -> dict[Any, list[Any]]:
    """Return values of the database by their JSON type, so that calls get past the first look-up."""
    found: list[Any] = []
    for table in map(domain.database.table, domain.database.tables):
        for key in chance.sample(sorted(table), min(40, len(table))):
            found.append(key)
            leaves(table[key], found)
    fitting = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    return {
        name: [value for value in (*ODD, *found) if isinstance(value, types)]
        for name, types in fitting.items()
    }


def leaves(value: Any, found: list[Any]) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            found.append(key)
            leaves(inner, found)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            leaves(inner, found)
    else:
        found.append(value)


def made(schema: dict[str, Any], known: dict[Any, list[Any]], chance: random.Random) -> Any:
    """Return a value that mostly fits the schema, so that the tool itself gets to see it."""
    if chance.random() < 0.25:
        return chance.choice(ODD)
    if "anyOf" in schema:
        return made(chance.choice(schema["anyOf"]), known, chance)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        size = chance.choice((0, 1, 1, 2, 3, 50))
        return [made(schema.get("items", {}), known, chance) for _ in range(size)]
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: made(each, known, chance) for name, each in properties.items()}
    return chance.choice(known.get(kind, ODD))


def broken_calls(domain: Domain, calls: int, chance: random.Random) -> list[str]:
    """Call each tool that often, and return what broke."""
    known = values_of(domain, chance)
    broken = []
    for name, tool in domain.tools.items():
        environment = domain.environment()
        for _ in range(calls):
            properties = tool.parameters["properties"]
            arguments = {each: made(schema, known, chance) for each, schema in properties.items()}
            try:
                environment.call(name, arguments)
            except Exception as error:
                broken.append(f"{name}({arguments!r:.300}): {error!r:.200}")
    return broken


def test_no_bundled_tool_breaks_whatever_its_arguments(domain):
    assert broken_calls(domain, CALLS_A_TOOL, random.Random(SEED)) == []


@pytest.mark.parametrize(
    "expression",
    ["9" * 400, "9" * 400 + " - " + "1" * 90, "-" + "9" * 310, "9" * 200 + "*" + "9" * 200],
)
def test_a_sum_too_large_for_the_calculator_is_refused_not_a_fault(domain, expression):
    result = domain.environment().call("calculate", {"expression": expression})
    assert not result.ok
    assert "too large" in result.content


@pytest.mark.parametrize("amount", [10**400, -(10**400), 10**309, float("inf"), "9" * 400, "1e999"])
def test_an_amount_beyond_all_numbers_is_refused_and_breaks_no_tool(amount):
    environment = load_domain("airline").environment()
    user = min(environment.overlay.table("users"))
    result = environment.call("send_certificate", {"user_id": user, "amount": amount})
    assert not result.ok
    assert result.content.startswith("Error: ")
