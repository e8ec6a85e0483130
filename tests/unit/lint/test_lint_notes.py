"""The notes by which a task answers what lint lists."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_taubench.environment.domain import Domain
from pytest_taubench.lint import Linter, TaskLint
from pytest_taubench.lint.notes import read_notes
from pytest_taubench.schema import Task

CANCEL = {"name": "cancel_order", "arguments": {"order_id": "#S100001", "reason": "mistake"}}


def lint(shop: Domain, notes: str | None, **fields: Any) -> TaskLint:
    data = {
        "id": "t",
        "domain": "shop",
        "user_id": "ada_1234",
        "instruction": "You are ada_1234. Cancel #S100001, a mistake, and perhaps #S100002.",
        "actions": [CANCEL],
        "notes": notes,
    }
    return Linter().lint(Task.model_validate({**data, **fields}), shop)


BOTH = {("uniqueness", "for a person"), ("additional", "for a person")}


def open_ones(lint: TaskLint) -> set[tuple[str, str]]:
    return {(each.check, each.level) for each in lint.open()}


def test_without_a_note_the_other_order_is_open_in_its_place_and_beside_it(shop: Domain) -> None:
    assert open_ones(lint(shop, None)) == BOTH


@pytest.mark.parametrize(
    "subject",
    ["#S100002", "S100002", "cancel_order", "additional, order_id", "additional,uniqueness"],
)
def test_a_note_answers_by_id_tool_argument_or_check(shop: Domain, subject: str) -> None:
    found = lint(shop, f"Anything else. lint({subject}): it is only a perhaps.")
    assert {each.note for each in found.findings} == {"it is only a perhaps."}
    assert found.open() == []


def test_a_note_answers_nothing_but_its_subject(shop: Domain) -> None:
    found = lint(shop, "lint(additional): it is only a perhaps.")
    assert open_ones(found) == {("uniqueness", "for a person")}


def test_a_note_that_answers_nothing_is_a_warning(shop: Domain) -> None:
    found = lint(shop, "lint(S100002): a perhaps. lint(street): not needed any more.")
    assert open_ones(found) == {("notes", "warning")}


def test_a_note_without_a_reason_answers_nothing(shop: Domain) -> None:
    assert open_ones(lint(shop, "lint(S100002):")) == BOTH | {("notes", "error")}


def test_no_note_excuses_a_gold_action_that_fails(shop: Domain) -> None:
    action = {"name": "cancel_order", "arguments": {"order_id": "#S100003", "reason": "mistake"}}
    found = lint(shop, "lint(gold-actions, cancel_order): we like it.", actions=[action])
    assert found.failed


def test_several_notes_each_have_their_own_subjects_and_reason() -> None:
    task = Task(id="t", domain="d", instruction="i", notes="lint(a, #b): one\n two. lint(c): three")
    notes = read_notes(task)
    assert [(set(note.subjects), note.reason) for note in notes] == [
        ({"a", "b"}, "one two."),
        ({"c"}, "three"),
    ]
