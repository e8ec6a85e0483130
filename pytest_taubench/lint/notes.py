r"""The convention by which a task's ``notes`` answer what lint lists for a person.

A note names what it is about in parentheses and gives the reason after a colon::

    notes: >
      lint(payment_method_id): the other card does not hold enough.
      lint(W1234567, cancel_order): the reason given is none that the policy takes.

It may name the check (``uniqueness``), an argument, a tool, ``tool.argument``, an id or an output;
the finding then counts as noted. A note that answers nothing is reported itself, so that notes
do not outlive what they explain.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_taubench.lint.finding import Finding
from pytest_taubench.schema import Task

CHECK = "notes"
_NOTE = re.compile(r"\blint\(([^)]*)\):\s*(.*?)\s*(?=\blint\(|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Note:
    """One answer.

    Attributes:
        subjects: What it is about.
        reason: Why the annotation is right nevertheless.
    """

    subjects: frozenset[str]
    reason: str


def read_notes(task: Task) -> list[Note]:
    """Return the answers in a task's notes."""
    return [
        Note(
            frozenset(each.strip().lstrip("#@") for each in match[1].split(",")),
            " ".join(match[2].split()),
        )
        for match in _NOTE.finditer(task.notes or "")
    ]


def answer(task: Task, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings, each with the reason that the task's notes give for it, if any."""
    notes = read_notes(task)
    found = [_answered(finding, notes) for finding in findings]
    used = {finding.note for finding in found}
    for note in notes:
        about = ", ".join(sorted(note.subjects))
        if not note.reason:
            found.append(Finding(CHECK, "error", f"lint({about}) gives no reason", notable=False))
        elif note.reason not in used:
            message = f"lint({about}) answers nothing that was found"
            found.append(Finding(CHECK, "warning", message, notable=False))
    return found


def _answered(finding: Finding, notes: Iterable[Note]) -> Finding:
    if not finding.notable:
        return finding
    names = {finding.check, *(subject.lstrip("#@") for subject in finding.subjects)}
    reason = next((n.reason for n in notes if n.reason and n.subjects & names), None)
    return dataclasses.replace(finding, note=reason)
