"""τ²-bench data: ``domains/<name>/{db.json, tasks.json, policy.md}``, compressed or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_taubench.errors import DomainError
from pytest_taubench.schema import Action, RewardComponent, Task
from pytest_taubench.task_files.upstream.domains import reading_notes, upstream_domain
from pytest_taubench.task_files.upstream.files import (
    DataError,
    DataSuite,
    GetDomain,
    existing,
    read_json,
    read_text,
)

BASIS: dict[str, RewardComponent] = {
    "DB": "database",
    "COMMUNICATE": "outputs",
    "ACTION": "actions",
    "NL_ASSERTION": "nl_assertions",
}
"""The reward basis of τ²-bench, as far as it can be graded here."""

_DEFAULT_BASIS = ("DB", "COMMUNICATE")
_SCENARIO = ("known_info", "reason_for_call", "unknown_info", "task_instructions")
# pytest gives these a meaning in test ids; the ids of τ²-bench use them for readability.
_ID_SIGNS = str.maketrans({"[": "(", "]": ")"})


def is_tau2_folder(folder: Path) -> bool:
    """True for a domain of τ²-bench: its tasks beside its database."""
    has_database = existing(folder, "db.json", "db.toml") is not None
    return has_database and existing(folder, "tasks.json") is not None


def read_tau2_folder(folder: Path, get_domain: GetDomain) -> list[DataSuite]:
    """Return the suite of a domain of τ²-bench.

    A task that cannot be graded as annotated is a problem of the suite, never a silent pass.
    """
    suite = DataSuite(folder.resolve().name, folder)
    try:
        suite.domain = upstream_domain(
            suite.name, folder, _tables(folder), _policy(folder), get_domain, _files(folder)
        )
        path = existing(folder, "tasks.json")
        content = read_json(path) if path else None
        if not isinstance(content, list):
            raise DataError(f"{path}: expected a list of tasks")
    except (DataError, DomainError) as error:
        suite.problems.append(str(error))
        return [suite]
    for index, data in enumerate(content):
        try:
            suite.tasks.append(tau2_task(data, index, suite.name))
        except DataError as error:
            suite.problems.append(f"{path}: {error}")
    suite.notes = reading_notes(suite.domain, suite.tasks)
    return [suite]


def _tables(folder: Path) -> Mapping[str, Any]:
    path = existing(folder, "db.json")
    content = read_json(path) if path else {}
    if not isinstance(content, dict):
        raise DataError(f"{path}: expected an object of tables")
    return content


def _files(folder: Path) -> list[Path]:
    path = existing(folder, "db.json")
    return [path] if path else []


def _policy(folder: Path) -> str | None:
    path = existing(folder, "policy.md", "policy.txt")
    return read_text(path) if path else None


def tau2_task(data: Any, index: int, domain: str) -> Task:
    """Return a task of τ²-bench in our form.

    Args:
        data: The task as published.
        index: Its place in the file, which is its id where it has none.
        domain: The domain's name.

    Raises:
        DataError: The task is malformed, or cannot be graded as annotated; names the task and
            what of it.
    """
    if not isinstance(data, Mapping):
        raise DataError(f"task {index}: expected an object, found {type(data).__name__}")
    published_id = str(data.get("id", index))
    try:
        return _task(data, published_id, index, domain)
    except DataError as error:
        raise DataError(f"task '{published_id}': {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise DataError(f"task '{published_id}', {field}: {first['msg']}") from None
    except (TypeError, AttributeError, KeyError) as error:
        raise DataError(f"task '{published_id}': not the form of τ²-bench: {error!r}") from None


def _task(data: Mapping[str, Any], published_id: str, index: int, domain: str) -> Task:
    criteria = data.get("evaluation_criteria")
    if not criteria:
        raise DataError("no evaluation_criteria, so there is nothing to grade")
    if data.get("initial_state"):
        raise DataError("a task with an initial_state cannot be run here yet")
    basis = _basis(criteria)
    return Task(
        id=published_id.translate(_ID_SIGNS).replace("::", ":"),
        domain=domain,
        instruction=instruction(data["user_scenario"]),
        actions=[_action(action, basis) for action in criteria.get("actions") or ()],
        outputs=[str(info) for info in criteria.get("communicate_info") or ()],
        nl_assertions=[str(text) for text in criteria.get("nl_assertions") or ()],
        reward_basis=basis,
        output_match="substring",
        ignore_failing_gold=True,
        source=f"tasks.json[{index}]",
    )


def _basis(criteria: Mapping[str, Any]) -> list[RewardComponent]:
    given = criteria.get("reward_basis")
    named = [str(name) for name in (_DEFAULT_BASIS if given is None else given)]
    if not named:
        raise DataError("its reward_basis is empty, so any trial would pass")
    unknown = [name for name in named if name not in BASIS]
    if unknown:
        raise DataError(
            f"its reward_basis names {', '.join(unknown)}, which cannot be graded here; "
            f"known are {', '.join(BASIS)}"
        )
    if "NL_ASSERTION" in named and not criteria.get("nl_assertions"):
        raise DataError("its reward_basis names NL_ASSERTION, but there are no nl_assertions")
    return [BASIS[name] for name in named]


def _action(data: Mapping[str, Any], basis: list[RewardComponent]) -> Action:
    if data.get("requestor", "assistant") != "assistant":
        raise DataError(
            f"the gold action {data['name']} is the user's, and users have no tools here"
        )
    if "actions" in basis and data.get("compare_args") is not None:
        raise DataError(
            f"the gold action {data['name']} is to be compared by some arguments only "
            "(compare_args), which cannot be graded here"
        )
    return Action.model_validate({"name": data["name"], "arguments": data.get("arguments") or {}})


def instruction(scenario: Any) -> str:
    """Return the user's instruction as one text, in the order of τ-bench's own.

    That order is: who the user is and knows, why they call, what they do not know, how they act.
    """
    told = scenario["instructions"]
    persona = scenario.get("persona")
    parts = [str(persona)] if persona else []
    parts += (
        [told] if isinstance(told, str) else [told[name] for name in _SCENARIO if told.get(name)]
    )
    return "\n".join(part.strip() for part in parts if part.strip())
