"""τ-bench data: a folder of tables and tasks, or a checkout of the reference repository."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_taubench.errors import DomainError
from pytest_taubench.schema import Action, Task
from pytest_taubench.task_files.upstream.domains import reading_notes, upstream_domain
from pytest_taubench.task_files.upstream.files import (
    DataError,
    DataSuite,
    GetDomain,
    existing,
    read_json,
    read_text,
)

_CALLS = ("Task", "Action")


def read_python_tasks(path: Path) -> list[Any]:
    """Return the list of tasks that a module assigns, as plain data.

    The modules assign one list of ``Task(...)`` calls or of dicts. The longest list of the
    module's top level is taken.

    Raises:
        DataError: The module does not parse, assigns no list, or needs to be run to be known.
    """
    try:
        module = ast.parse(read_text(path))
    except (SyntaxError, RecursionError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise DataError(f"{path}{f':{line}' if line else ''}: no valid Python: {error}") from None
    lists = [list_ for node in module.body if (list_ := _assigned_list(node)) is not None]
    if not lists:
        raise DataError(f"{path}: expected the module to assign a list of tasks")
    longest = max(lists, key=lambda node: len(node.elts))
    return [_value(element, path) for element in longest.elts]


def _assigned_list(node: ast.stmt) -> ast.List | None:
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    return value if isinstance(value, ast.List) else None


def _value(node: ast.expr, path: Path) -> Any:
    """Return the data an expression stands for, or refuse it."""
    match node:
        case ast.Constant():
            return node.value
        case ast.List() | ast.Tuple():
            return [_value(element, path) for element in node.elts]
        case ast.Dict():
            return {
                _value(key, path): _value(value, path)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.BinOp(op=ast.Add()):
            left, right = _value(node.left, path), _value(node.right, path)
            if isinstance(left, str) and isinstance(right, str):
                return left + right
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _CALLS:
            return _fields(node, path)
    raise DataError(
        f"{path}:{node.lineno}: cannot be known without running it; expected literal values"
    )


def _fields(call: ast.Call, path: Path) -> dict[str, Any]:
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise DataError(f"{path}:{call.lineno}: expected keyword arguments only")
    return {str(keyword.arg): _value(keyword.value, path) for keyword in call.keywords}


DEFAULT_SPLIT = "test"


def is_table_folder(folder: Path) -> bool:
    """True for a folder of tables with ``tasks*.json`` among them."""
    return bool(_task_files(folder, ".json")) and bool(_table_files(folder))


def is_reference_folder(folder: Path) -> bool:
    """True for a domain of the reference repository: ``data/*.json`` beside ``tasks*.py``."""
    return bool(_task_files(folder, ".py")) and bool(_table_files(folder / "data"))


def read_table_folder(folder: Path, get_domain: GetDomain) -> list[DataSuite]:
    """Return the suites of a folder of tables and ``tasks_<split>.json``."""
    tasks = _task_files(folder, ".json")
    return _read(folder, _table_files(folder), tasks, get_domain)


def read_reference_folder(folder: Path, get_domain: GetDomain) -> list[DataSuite]:
    """Return the suites of a domain of the reference repository, with its wiki as policy."""
    tasks = _task_files(folder, ".py")
    return _read(folder, _table_files(folder / "data"), tasks, get_domain)


def upstream_task(data: Any, index: int, domain: str, source: str) -> Task:
    """Return a task of the paper's form, graded by the reference's rules.

    Args:
        data: ``{user_id, instruction, actions: [{name, kwargs}], outputs}``.
        index: Its place in the file, which is its id, as in the reference.
        domain: The domain's name.
        source: Where it stands, for people.

    Raises:
        DataError: A field is missing or of a wrong type.
    """
    if not isinstance(data, Mapping):
        raise DataError(f"{source}: expected a task, found {type(data).__name__}")
    try:
        return Task(
            id=str(index),
            domain=domain,
            instruction=data.get("instruction", ""),
            actions=[_action(action) for action in data.get("actions") or ()],
            outputs=[str(output) for output in data.get("outputs") or ()],
            user_id=data.get("user_id"),
            output_match="substring",
            ignore_failing_gold=True,
            source=source,
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise DataError(f"{source}, {field}: {first['msg']}") from None


def _action(data: Any) -> Any:
    if not isinstance(data, Mapping):
        return data
    arguments = data.get("kwargs", data.get("arguments", {}))
    return Action.model_validate({"name": data.get("name"), "arguments": arguments})


def _task_files(folder: Path, suffix: str) -> dict[str, Path]:
    """Return the task files of a folder by split; ``tasks`` itself only where no split is.

    The reference keeps an older module ``tasks`` beside ``tasks_test``, with other wordings.
    """
    if not folder.is_dir():
        return {}
    found = {
        path.name.removesuffix(suffix).removeprefix("tasks_"): path
        for path in sorted(folder.glob(f"tasks_*{suffix}"))
    }
    plain = folder / f"tasks{suffix}"
    if not found and plain.is_file():
        found[DEFAULT_SPLIT] = plain
    return found


def _table_files(folder: Path) -> dict[str, Path]:
    """Return the tables of a folder by name: every JSON file that is not known to be another."""
    paths = sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")]) if folder.is_dir() else []
    return {
        path.name.partition(".")[0]: path
        for path in paths
        if not path.name.startswith(("tasks", "expected", "split_"))
    }


def _read(
    folder: Path, tables: dict[str, Path], tasks: dict[str, Path], get_domain: GetDomain
) -> list[DataSuite]:
    name = folder.resolve().name
    try:
        records = {table: read_json(path) for table, path in tables.items()}
        policy = existing(folder, "policy.md", "wiki.md")
        text = read_text(policy) if policy else None
        files = list(tables.values())
        domain = upstream_domain(name, folder, records, text, get_domain, files)
    except (DataError, DomainError) as error:
        return [DataSuite(name, folder, problems=[str(error)])]
    suites = []
    for split, path in tasks.items():
        is_default = split == DEFAULT_SPLIT or DEFAULT_SPLIT not in tasks
        suite = DataSuite(
            name if split == DEFAULT_SPLIT else f"{name}-{split}",
            folder,
            domain,
            default=is_default,
        )
        _read_tasks(suite, path)
        suite.notes = reading_notes(domain, suite.tasks)
        if policy is None:
            suite.notes.append("The policy is the bundled domain's: the folder has none.")
        suites.append(suite)
    return suites


def _read_tasks(suite: DataSuite, path: Path) -> None:
    assert suite.domain is not None
    try:
        content = read_python_tasks(path) if path.suffix == ".py" else read_json(path)
        if not isinstance(content, list):
            raise DataError(f"{path}: expected a list of tasks")
    except DataError as error:
        suite.problems.append(str(error))
        return
    for index, data in enumerate(content):
        try:
            task = upstream_task(data, index, suite.domain.name, f"{path.name}[{index}]")
            suite.tasks.append(task)
        except DataError as error:
            suite.problems.append(f"{path.parent}: {error}")
