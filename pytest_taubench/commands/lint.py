"""``lint``: prove, or warn, whether tasks can be trusted."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_taubench.commands.cli import add_json_option, exit_statuses, print_json
from pytest_taubench.errors import TaskFileError, TauBenchError
from pytest_taubench.text.names import counted, meant

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers
    from pytest_taubench.environment.domain import Domain, DomainLibrary
    from pytest_taubench.lint import TaskLint
    from pytest_taubench.schema import Task

_SKIPPED = ("node_modules", "__pycache__", "site-packages")
_FLOOR = {"silent": "`silent`", "transfer": "a transfer at once", "oracle": "`oracle`"}


class NothingToLintError(TauBenchError):
    """No task was found; the message says where tasks are looked for."""


@dataclass(frozen=True)
class Found:
    """A task to lint.

    Attributes:
        name: What names it: file and id.
        task: The task.
        domain: Its domain.
    """

    name: str
    task: Task
    domain: Domain


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "lint",
        help="prove, or warn, whether tasks can be trusted; exit status 1 on an error",
        epilog=exit_statuses("0 where there is no error, 1 where there is one"),
        description="Checks of each task that its gold actions work, that its outputs and facts can be "
        "found out, that doing nothing does not pass, and that nothing but the annotation is right. What a "
        "program cannot decide is listed for a person, whose answer goes into the task's notes as "
        "`lint(SUBJECT): reason`, SUBJECT being a check, argument, tool, id or output.",
    )
    parser.add_argument(
        "path", nargs="*", type=Path, help="task files or folders; the current folder by default"
    )
    parser.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="NAME",
        help="a bundled suite, or one of the data",
    )
    parser.add_argument(
        "--tau-data", action="append", default=[], type=Path, metavar="FOLDER", help="upstream data"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail on open warnings and on what is for a person and not noted, too",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Lint the tasks and print what was found."""
    from pytest_taubench.lint import Linter

    linter = Linter()
    try:
        results = [(found, linter.lint(found.task, found.domain)) for found in _found(args)]
    except TaskFileError as error:
        if args.json:  # the message shows the first problems only
            print_json({"ok": False, "problems": [str(each) for each in error.problems]})
        raise
    if not results:
        raise NothingToLintError("no task found; name task files, folders, --suite or --tau-data")
    failed = any(lint.failed or (args.strict and lint.open()) for _, lint in results)
    if args.json:
        print_json(_as_json(results, failed))
    else:
        print("\n".join(_lines(results)))
    return int(failed)


def _found(args: argparse.Namespace) -> Iterator[Found]:
    from pytest_taubench.bundled import suites_root
    from pytest_taubench.environment.domain import DomainLibrary

    library = DomainLibrary()
    for folder in args.tau_data:
        yield from _in_data(folder, library, args.suite)
    paths = list(args.path)
    if not args.tau_data:
        paths += [_suite_folder(suites_root(), name) for name in args.suite]
    for path in paths or ([] if args.tau_data else [Path()]):
        for file in _task_files(path):
            yield from _in_file(file, library)


def _suite_folder(root: Path, name: str) -> Path:

    names = sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    if name in names:
        return root / name
    hint = meant(name, names, f"they are {', '.join(names)}")
    raise NothingToLintError(f"no bundled suite {name!r}{hint}")


def _task_files(path: Path) -> list[Path]:
    from pytest_taubench.task_files import is_task_file

    if not path.exists():
        raise NothingToLintError(f"{path}: no such file or folder")
    if path.is_file():
        return [path]
    return [
        file
        for file in sorted(path.rglob("*.tau.*"))
        if is_task_file(file)
        and not any(
            part.startswith(".") or part in _SKIPPED for part in file.relative_to(path).parts
        )
    ]


def _in_file(path: Path, library: DomainLibrary) -> Iterator[Found]:
    from pytest_taubench.task_files import read_task_file

    read = read_task_file(
        path,
        lambda name, base: library.get(name, base).tools,
        keys_of=lambda name, base: library.get(name, base).user_keys(),
    )
    for task in read.tasks:
        yield Found(f"{_shown(path)}::{task.id}", task, library.get(task.domain, path.parent))


def _shown(path: Path) -> str:
    """Return a path as short as can be: under the current folder, or among the bundled suites."""
    from pytest_taubench.bundled import suites_root

    absolute = path.absolute()
    for root in (Path.cwd(), suites_root().parent):
        if absolute.is_relative_to(root):
            return absolute.relative_to(root).as_posix()
    return path.as_posix()


def _in_data(folder: Path, library: DomainLibrary, suites: list[str]) -> Iterator[Found]:
    from pytest_taubench.task_files.upstream import read_data

    for suite in read_data(folder, library.get, suites):
        for problem in suite.problems:
            raise NothingToLintError(problem)
        for task in suite.tasks if suite.domain is not None else ():
            assert suite.domain is not None
            yield Found(f"{suite.name}::{task.id}", task, suite.domain)


def _counts(results: list[tuple[Found, TaskLint]]) -> Counter[str]:
    return Counter(
        each.level if each.open else "noted" for _, lint in results for each in lint.findings
    )


def _passed(results: list[tuple[Found, TaskLint]]) -> dict[str, int]:
    return {name: sum(lint.rewards.get(name) == 1 for _, lint in results) for name in _FLOOR}


def _as_json(results: list[tuple[Found, TaskLint]], failed: bool) -> dict[str, Any]:
    return {
        "ok": not failed,
        "tasks": [
            {
                "task": found.name,
                "ok": not lint.failed,
                "findings": [
                    {
                        "check": each.check,
                        "level": each.level,
                        "message": each.message,
                        "subjects": sorted(each.subjects),
                        "note": each.note,
                    }
                    for each in lint.findings
                ],
                "rewards": dict(lint.rewards),
            }
            for found, lint in results
        ],
        "counts": dict(_counts(results)),
        "passed": _passed(results),
    }


def _lines(results: list[tuple[Found, TaskLint]]) -> list[str]:
    lines: list[str] = []
    for found, lint in results:
        if lint.findings:
            lines += [found.name, *(f"  {each}" for each in lint.findings)]
    counts, total = _counts(results), len(results)
    failed = sum(lint.failed for _, lint in results)
    lines.append(
        f"{counted(total, 'task')}: {counted(counts['error'], 'error')} in {failed} of them, "
        f"{counted(counts['warning'], 'warning')}, "
        f"{counts['for a person']} for a person to decide, {counts['noted']} noted"
    )
    passed = (f"{words} passes {_passed(results)[name]}" for name, words in _FLOOR.items())
    return [*lines, f"{', '.join(passed)} of {total}"]
