"""Where a domain's tools depart from the reference's, so published numbers can be understood.

A domain states its departures in ``departures.yaml``: a list of ``{fault, tools, reference,
ours}``. They are facts of the domain, so they lie in its folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pytest_taubench.errors import DomainError
from pytest_taubench.task_file.yaml_text import load

FILE = "departures.yaml"


@dataclass(frozen=True)
class Departure:
    """One thing our tools do otherwise.

    Attributes:
        fault: The number of the fault in the list of known faults that asks for it.
        tools: The tools it is seen in.
        reference: What the reference's tools do.
        ours: What ours do.
    """

    fault: int
    tools: tuple[str, ...]
    reference: str
    ours: str

    def __str__(self) -> str:
        return f"{', '.join(self.tools)}: the reference {self.reference}; here {self.ours}."


def read_departures(folder: Path) -> list[Departure]:
    """Return the departures a domain folder states; none where it has no such file.

    Raises:
        DomainError: The file is wrong.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        content: Any = load(path.read_text(encoding="utf-8"))
        return [
            Departure(int(d["fault"]), tuple(d["tools"]), str(d["reference"]), str(d["ours"]))
            for d in content
        ]
    except (OSError, yaml.YAMLError, TypeError, KeyError, ValueError) as error:
        raise DomainError(f"{path}: expected a list of departures: {error}") from None


def departure_notes(folder: Path) -> list[str]:
    """Return a domain's departures as lines to read."""
    return [f"Departs from the reference: {departure}" for departure in read_departures(folder)]
