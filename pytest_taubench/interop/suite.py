"""What a folder of upstream data comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pytest_taubench.domain import Domain
from pytest_taubench.errors import TauBenchError
from pytest_taubench.schema import Sample, Task

GetDomain = Callable[[str], Domain]
"""Gives a bundled domain by its name; raises DomainError."""


class DataError(TauBenchError):
    """Upstream data are missing or wrong; the message names the file and what was expected."""


@dataclass
class DataSuite:
    """One suite of upstream data.

    Attributes:
        name: The suite's name: the domain's, with the split where it is not the test split.
        folder: Where it was found.
        domain: The tools on the upstream database; None for TaskBench samples, and where the
            domain could not be loaded.
        tasks: The τ tasks.
        samples: The TaskBench samples.
        notes: What a reader must know of how these data are read and graded.
        problems: What could not be read; each is an error, and the rest of the suite stands.
        default: True when the suite is run unless others are asked for by name.
    """

    name: str
    folder: Path
    domain: Domain | None = None
    tasks: list[Task] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    default: bool = True
