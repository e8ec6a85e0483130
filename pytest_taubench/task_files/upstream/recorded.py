"""Recorded trials in the reference's result format: a list of ``{task_id, trial, reward, info, traj}``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_taubench.schema import Message, Task
from pytest_taubench.task_files.upstream.files import DataError, read_json
from pytest_taubench.task_files.upstream.tau_bench import upstream_task


@dataclass(frozen=True)
class RecordedTrial:
    """One trial as the reference recorded it.

    Attributes:
        task_id: The task's index in the reference's tasks.
        trial: The reference's trial number, from 0.
        reward: The recorded reward, or None where there is none.
        task: The task as it was when the trial was run, or None where the record has none.
        messages: The conversation.
        ended: False when the step cap ended it, so that the reward is 0 by rule; None where the
            record does not say.
        error: The fault of the harness or the model that broke it off, or None.
    """

    task_id: str
    trial: int
    reward: float | None
    task: Task | None
    messages: list[Message]
    ended: bool | None
    error: str | None


def read_recorded(path: Path, domain: str = "?") -> list[RecordedTrial]:
    """Read a result file.

    Args:
        path: The file.
        domain: The domain its tasks get.

    Raises:
        DataError: The file is missing or has another form; the message names entry and field.
    """
    content = read_json(path)
    if not isinstance(content, list) or not content:
        raise DataError(f"{path}: expected a list of recorded trials")
    trials = [_trial(data, domain, f"{path}, entry {i}") for i, data in enumerate(content)]
    seen: dict[tuple[str, int], int] = {}
    for index, trial in enumerate(trials):
        first = seen.setdefault((trial.task_id, trial.trial), index)
        if first != index:
            raise DataError(
                f"{path}, entry {index}: trial {trial.trial} of task {trial.task_id} is also "
                f"entry {first}"
            )
    return trials


def _trial(data: Any, domain: str, where: str) -> RecordedTrial:
    if not isinstance(data, Mapping):
        raise DataError(f"{where}: expected an object, found {type(data).__name__}")
    info = _field(data, "info", dict, where, default={})
    task = info.get("task")
    task_id = _field(data, "task_id", (int, str), where)
    source = f"{where}, info.task"
    reward = _field(data, "reward", (int, float), where, default=None)
    trajectory = _field(data, "traj", list, where)
    messages = [_message(m, f"{where}, traj[{i}]") for i, m in enumerate(trajectory)]
    error = info.get("error")
    return RecordedTrial(
        task_id=str(task_id),
        trial=_field(data, "trial", int, where, default=0),
        reward=None if reward is None else float(reward),
        task=None if task is None else _task(task, str(task_id), domain, source),
        messages=messages,
        # The reference grades a trial that came to its end, and leaves null under one that did not.
        ended=info["reward_info"] is not None if "reward_info" in info else None,
        error=None if error is None else str(error),
    )


_WORDS: dict[Any, str] = {
    list: "a list",
    dict: "an object",
    int: "a whole number",
    (int, str): "a number or text",
    (int, float): "a number",
}
_REQUIRED = object()


def _field(
    data: Mapping[str, Any], name: str, kind: Any, where: str, default: Any = _REQUIRED
) -> Any:
    if data.get(name) is None and default is not _REQUIRED:
        return default
    if name not in data:
        raise DataError(f"{where}: no '{name}'; expected {_WORDS[kind]}")
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        found = type(value).__name__
        raise DataError(f"{where}, {name}: expected {_WORDS[kind]}, found {found}")
    return value


def _task(data: Any, task_id: str, domain: str, source: str) -> Task:
    task = upstream_task(data, 0, domain, source)
    return task.model_copy(update={"id": task_id})


def _message(data: Any, where: str) -> Message:
    try:
        return Message.model_validate(_with_text_arguments(data))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise DataError(f"{where}{f', {field}' if field else ''}: {first['msg']}") from None


def _with_text_arguments(data: Any) -> Any:
    """Return a message whose calls have their arguments as text, as the chat format wants it."""
    if not isinstance(data, Mapping) or not isinstance(data.get("tool_calls"), list):
        return data
    return {**data, "tool_calls": [_text_call(call) for call in data["tool_calls"]]}


def _text_call(call: Any) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if isinstance(function, Mapping) and isinstance(function.get("arguments"), Mapping):
        text = json.dumps(function["arguments"])
        return {**call, "function": {**function, "arguments": text}}
    return call


def executed_calls(messages: list[Message]) -> Iterator[tuple[int, str, str]]:
    """Yield message index, tool name and arguments of each call that was executed.

    The reference ran the first call of a message and dropped the others, so where a message has
    calls with and without an answer, those without one were never run.
    """
    answered = {message.tool_call_id for message in messages if message.role == "tool"}
    for index, message in enumerate(messages):
        calls = message.tool_calls or []
        any_answered = any(call.id in answered for call in calls)
        for call in calls:
            if call.id in answered or not any_answered:
                yield index, call.function.name, call.function.arguments


def told_texts(messages: list[Message]) -> list[str]:
    """Return what the agent said to the user: text beside a tool call was never sent."""
    return [
        message.content
        for message in messages
        if message.role == "assistant" and message.content and not message.tool_calls
    ]
