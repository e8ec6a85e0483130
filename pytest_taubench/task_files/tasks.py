"""Builds a task of a file, and says what is wrong with one."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from pytest_taubench.errors import ToolError
from pytest_taubench.schema import Script, Task
from pytest_taubench.schema.script import breaks_off
from pytest_taubench.task_files.document import Entry, kind_of
from pytest_taubench.task_files.fields import FieldFault, field_faults
from pytest_taubench.task_files.reading import (
    Reading,
    id_fault,
    is_number,
    joined_marks,
    mark_faults,
)
from pytest_taubench.text.names import nearest

INTERNAL_FIELDS = frozenset({"ignore_failing_gold"})
"""Fields of a task that no file may set."""

_SHOWN = 40
_INHERITED = ("domain", "output_match", "max_steps", "reward_basis")


def read_task(reading: Reading, entry: Entry, index: int) -> Task | None:
    """Return the task, or None where it is wrong; problems go into the reading.

    Args:
        reading: The file.
        entry: The task as it stands there.
        index: Its place in the file, which is its id where it has none.
    """
    data, faults = _completed(reading, entry, index)
    task_id = str(data["id"])
    task = _validated(data, faults)
    faults += _cut_off(reading, entry)
    for fault in faults:
        reading.complain(entry, task_id, fault)
    if task is None:
        return None
    before = len(reading.problems)
    _check_actions(reading, entry, task)
    _check_user(reading, entry, task)
    if "nl_assertions" in task.reward_basis and not task.nl_assertions:
        reading.notes.append(
            f"task '{task_id}': reward_basis names nl_assertions, but the task has none"
        )
    return task if not faults and len(reading.problems) == before else None


def _completed(
    reading: Reading, entry: Entry, index: int
) -> tuple[dict[str, Any], list[FieldFault]]:
    """Return the task's fields with id, defaults and written texts filled in."""
    data: dict[str, Any] = {str(name): value for name, value in entry.data.items()}
    for name in _INHERITED:
        inherited = getattr(reading.defaults, name)
        if inherited is not None:
            data.setdefault(name, inherited)
    if "domain" not in data and (domain := reading.domain_by_suite(graph=False)):
        data["domain"] = domain
    data["marks"] = joined_marks(reading.defaults.marks, data.get("marks", []))
    faults = _take_id(reading, entry, data, index)
    if is_number(data.get("user_id")):
        data["user_id"] = reading.document.written(entry, ("user_id",))
    if isinstance(data.get("outputs"), list):
        outputs = enumerate(data["outputs"])
        data["outputs"] = [_output(reading, entry, i, output, faults) for i, output in outputs]
    faults += [
        FieldFault((name,), "unknown field") for name in INTERNAL_FIELDS if data.pop(name, None)
    ]
    return data, faults


def _take_id(reading: Reading, entry: Entry, data: dict[str, Any], index: int) -> list[FieldFault]:
    if "id" not in data:
        data["id"] = str(index)
    elif is_number(data["id"]):
        data["id"] = reading.document.written(entry, ("id",))
    message = id_fault(data["id"])
    if message is None:
        return []
    fault = FieldFault(("id",), f"{message}; found {data['id']!r}")
    data["id"] = str(index)
    return [fault]


def _output(
    reading: Reading, entry: Entry, index: int, output: Any, faults: list[FieldFault]
) -> str:
    """Return an output's text: a number without quotes counts as it is written."""
    if is_number(output):
        return str(reading.document.written(entry, ("outputs", index)))
    if isinstance(output, str) and output.strip():
        return output
    found = "empty text" if isinstance(output, str) else kind_of(output)
    faults.append(FieldFault(("outputs", index), f"expected text or a number, found {found}"))
    return "?"


def _validated(data: dict[str, Any], faults: list[FieldFault]) -> Task | None:
    data = _with_script(data, faults)
    try:
        task = Task.model_validate(data, strict=True)
    except ValidationError as error:
        faults.extend(field_faults(error, Task, frozenset({"graph", "kwargs"})))
        return None
    faults.extend(mark_faults(task.marks))
    return task


def _with_script(data: dict[str, Any], faults: list[FieldFault]) -> dict[str, Any]:
    """Build the script on its own: it may hold types that a strict check of a file would refuse."""
    if data.get("script") is None:
        return data
    try:
        return {**data, "script": Script.model_validate(data["script"])}
    except ValidationError as error:
        for fault in field_faults(error, Script):
            location = ("script", *fault.location)
            faults.append(FieldFault(location, fault.message, fault.nearest))
        return {**data, "script": None}


def _cut_off(reading: Reading, entry: Entry) -> list[FieldFault]:
    """Notice the YAML trap that costs an instruction all behind ``order #W1000001``.

    A comment with a blank after its ``#`` is meant as one where the sentence is whole.
    """
    text = entry.data.get("instruction")
    behind = reading.document.comment_behind(entry, ("instruction",))
    if not isinstance(text, str) or behind is None:
        return []
    if not breaks_off(text) and not behind[1:2].strip():
        return []
    shown = behind if len(behind) <= _SHOWN else f"{behind[:_SHOWN]}..."
    message = (
        f"breaks off before {shown!r}; text that holds ' #' must stand in quotes, "
        "since YAML reads the rest of the line as a comment"
    )
    return [FieldFault(("instruction",), message)]


def _check_actions(reading: Reading, entry: Entry, task: Task) -> None:
    tools: Any = reading.domain_tools(entry, task.id, task.domain, graph=False)
    if tools is None:
        return
    for i, action in enumerate(task.actions):
        tool = tools.get(action.name)
        if tool is None:
            message = f"the domain {task.domain} has no tool '{action.name}'"
            fault = FieldFault(("actions", i, "name"), message, nearest(action.name, tools))
            reading.complain(entry, task.id, fault)
            continue
        try:
            tool.check(action.arguments)
        except ToolError as error:
            fault = FieldFault(("actions", i, "arguments"), f"{action.name}: {error}")
            reading.complain(entry, task.id, fault)


def _check_user(reading: Reading, entry: Entry, task: Task) -> None:
    known = reading.domain_tools(entry, task.id, task.domain, graph=False) is not None
    if task.user_id is None or not known:
        return
    keys = reading.domain_keys(task.domain)
    if keys is not None and task.user_id not in keys:
        message = f"the domain {task.domain} has no record '{task.user_id}'"
        fault = FieldFault(("user_id",), message, nearest(task.user_id, keys))
        reading.complain(entry, task.id, fault)
