"""Gold actions succeed, and each that writes changes something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_taubench.environment.compare import same
from pytest_taubench.lint.case import Case
from pytest_taubench.lint.finding import Finding
from pytest_taubench.schema import Changes

CHECK = "gold-actions"


def check_gold_actions(case: Case) -> Iterable[Finding]:
    """Find gold actions that fail, and writes without effect."""
    for failure in case.gold.failures:
        yield Finding(CHECK, "error", f"gold action {failure}", notable=False)
    yield from _without_effect(case)


def _without_effect(case: Case) -> Iterator[Finding]:
    environment = case.domain.environment()
    writes = {write.index: write for write in case.writes}
    before: Changes = {}
    for index, action in enumerate(case.task.actions):
        result = environment.call(action.name, action.arguments)
        if index not in writes or not result.ok:
            continue
        after = environment.changes()
        if same(_plain(before), _plain(after)):
            message = f"{writes[index].label} changes nothing"
            yield Finding(CHECK, "error", message, frozenset({action.name}), notable=False)
        before = after


def _plain(changes: Changes) -> dict[str, dict[str, object]]:
    return {table: {k: r.after for k, r in records.items()} for table, records in changes.items()}
