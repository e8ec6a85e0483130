"""Make the airline database: flights, users and reservations, the same bytes for the same seed.

Run as ``python domains/airline/generate.py [--seed N] [--out DIR]``. Only the standard library
is used, and every random choice comes from one ``random.Random``. Which airports there are and how
people are called is in ``airports.toml`` and ``people.toml``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generator.flights import make_legs
from generator.ids import Ids
from generator.reservations import make_reservations
from generator.users import make_users

Table = Mapping[str, dict[str, Any]]

SEED = 2024
FOLDER = Path(__file__).resolve().parent


def make_tables(seed: int) -> dict[str, Table]:
    """Return the three tables of one seed."""
    rng = random.Random(seed)
    ids = Ids(rng)
    legs = make_legs(rng)
    users = make_users(rng, ids)
    reservations = make_reservations(legs, users, rng, ids)
    return {
        "flights": {leg.number: leg.record() for leg in legs},
        "users": users,
        "reservations": reservations,
    }


def write_table(path: Path, table: Table) -> None:
    """Write one record a line, so that a change of one record is a change of one line."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in table.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> None:
    """Write the tables to the domain's ``db`` folder, or to another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=FOLDER / "db")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, table in make_tables(options.seed).items():
        write_table(options.out / f"{name}.json", table)


if __name__ == "__main__":
    main()
