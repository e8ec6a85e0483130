"""Runs the checks on a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_taubench.environment.domain import Domain
from pytest_taubench.errors import InfrastructureError
from pytest_taubench.lint.additional import check_additional
from pytest_taubench.lint.case import Case
from pytest_taubench.lint.check import Check
from pytest_taubench.lint.facts import check_facts
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.floor import check_floor
from pytest_taubench.lint.gold_actions import check_gold_actions
from pytest_taubench.lint.identifiers import check_ids
from pytest_taubench.lint.knowledge import Lookups
from pytest_taubench.lint.notes import answer
from pytest_taubench.lint.other_tools import check_other_tools
from pytest_taubench.lint.outputs import check_outputs
from pytest_taubench.lint.scripts import check_script
from pytest_taubench.lint.uniqueness import check_uniqueness
from pytest_taubench.schema import Task

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "gold-actions": check_gold_actions,
        "ids": check_ids,
        "outputs": check_outputs,
        "facts": check_facts,
        "uniqueness": check_uniqueness,
        "other-tool": check_other_tools,
        "additional": check_additional,
        "script": check_script,
        "floor": check_floor,
    }
)
"""The checks by name, in the order of the report."""


@dataclass(frozen=True)
class TaskLint:
    """What lint says of one task.

    Attributes:
        findings: What was found, noted or not.
        rewards: The reward of ``silent``, ``transfer`` and ``oracle``; None where not scored.
    """

    findings: list[Finding]
    rewards: Mapping[str, float | None] = field(default_factory=dict)

    def open(self, *levels: str) -> list[Finding]:
        """Return what no note answers; of the levels given, or of all."""
        return [
            each for each in self.findings if each.open and (not levels or each.level in levels)
        ]

    @property
    def failed(self) -> bool:
        """True when the task is proved wrong."""
        return bool(self.open("error"))


@dataclass
class Linter:
    """Lints tasks; what is looked up in a domain is kept from task to task.

    Attributes:
        checks: The checks to run.
    """

    checks: Mapping[str, Check] = field(default_factory=lambda: CHECKS)
    _lookups: dict[int, Lookups] = field(default_factory=dict)

    def lint(self, task: Task, domain: Domain) -> TaskLint:
        """Run the checks on a task.

        Args:
            task: The task.
            domain: Its domain.
        """
        lookups = self._lookups.setdefault(id(domain), Lookups(domain))
        case = Case(task, domain, lookups)
        found: list[Finding] = []
        for name, check in self.checks.items():
            found += _run(name, check, case)
        rewards = case.floor.rewards if "floor" in self.checks else {}
        return TaskLint(answer(task, found), rewards)


def _run(name: str, check: Check, case: Case) -> list[Finding]:
    try:
        return list(check(case))
    except InfrastructureError as error:  # a tool is broken: nothing of the task can be proved
        return [Finding(name, "error", str(error), notable=False)]
