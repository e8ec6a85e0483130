"""``rescore RUN``: what a stored run comes to under today's tasks, or another basis."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pytest_taubench.commands.cli import (
    print_json,
    print_text,
    print_warnings,
    warnings_of,
)
from pytest_taubench.errors import TauBenchError

if TYPE_CHECKING:
    from pytest_taubench.runs.regrade import Regraded
    from pytest_taubench.runs.stored_run import StoredRun
    from pytest_taubench.schema import RewardComponent, TrialRecord


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that are about a stored run."""
    parser.add_argument(
        "--basis",
        metavar="NAMES",
        help="for a run: the components that make the reward of its τ trials, e.g. database or "
        "database,outputs",
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="for a run: pytest's root directory, which its ids start from (the current one)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="for a run: store what it comes to as a new run"
    )


def is_run(path: Path) -> bool:
    """Return whether the path is a stored run, and not a result file of the reference."""
    from pytest_taubench.runs.store import RUN_FILE, TRIALS_FILE

    return path.is_dir() or path.name in (RUN_FILE, TRIALS_FILE)


def rescore_run(args: argparse.Namespace) -> int:
    """Grade a run anew and say what changed and why."""
    from pytest_taubench.runs.regrade import TasksToday, regrade_run
    from pytest_taubench.runs.stored_run import load_run

    if len(args.file) != 1:
        raise TauBenchError("rescore takes one stored run at a time")
    stored = load_run(args.file[0])
    print_warnings(stored)
    results = list(regrade_run(stored.records, TasksToday(args.root), _basis(args.basis)))
    nothing = _why_nothing_was_graded(results, args.root)
    if nothing is None and args.out is not None:
        _store(stored, [each.after for each in results], args.out)
    if args.json:
        print_json({**_as_json(results), "warnings": warnings_of([stored])})
    else:
        print_text("\n".join(_lines(stored, results)))
    if nothing is not None:
        print(f"error: nothing could be graded: {nothing}", file=sys.stderr)
    return int(nothing is not None)


def _why_nothing_was_graded(results: Sequence[Regraded], root: Path) -> str | None:
    from pytest_taubench.runs.regrade import NO_TASK

    if any(each.after is not each.before for each in results):
        return None
    if all(each.before.outcome == "unscored" for each in results):
        return "the run has no scored trial"
    if all(NO_TASK in each.reasons for each in results if each.before.outcome == "scored"):
        return (
            f"no task file has any of the run's tasks, looked for from {root.resolve()}; "
            "--root=FOLDER names pytest's root directory"
        )
    return "each trial is kept as it was, for the reasons said"


def _basis(text: str | None) -> list[RewardComponent]:
    from pytest_taubench.schema import RewardComponent

    known: tuple[RewardComponent, ...] = get_args(RewardComponent)
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if wrong := [name for name in names if name not in known]:
        raise TauBenchError(f"--basis: no component {wrong[0]!r}; expected {', '.join(known)}")
    return [component for component in known if component in names]


def _store(stored: StoredRun, records: Sequence[TrialRecord], folder: Path) -> None:
    from pytest_taubench.runs.store import RunStore, StoreError

    info = stored.info.model_copy(update={"run_id": folder.name, "task_hashes": {}})
    try:
        store = RunStore.create(folder, info)
    except FileExistsError:
        raise StoreError(f"{folder} already holds a run") from None
    for record in records:
        store.append(record)
    store.close()


def _as_json(results: Sequence[Regraded]) -> dict[str, Any]:
    return {
        "trials": [
            {
                "trial": each.before.nodeid,
                "before": each.before.reward,
                "after": each.after.reward,
                "reasons": each.reasons,
                **_metrics(each),
            }
            for each in results
        ],
        "changed": sum(each.changed for each in results),
        "pass^1": {"before": _pass_1(results, 0), "after": _pass_1(results, 1)},
        "taskeval": {"before": _taskeval(results, 0), "after": _taskeval(results, 1)},
    }


def _metrics(each: Regraded) -> dict[str, Any]:
    """Return TaskEval's metrics of a plan; a τ trial has none."""
    if each.before.kind != "graph":
        return {}
    return {"metrics": {"before": each.before.metrics, "after": each.after.metrics}}


def _taskeval(results: Sequence[Regraded], side: int) -> dict[str, dict[str, float | None]]:
    """Return TaskEval in strict mode over all plans of each tool graph."""
    from pytest_taubench.gates.builtin import TASKEVAL
    from pytest_taubench.runs.stored_run import taskeval_of

    pairs = [(each.before, each.after) for each in results]
    # A record that holds no counts has no figures to add up.
    graded = [pair for pair in pairs if all("counts" in (side.graph or {}) for side in pair)]
    records = [pair[side] for pair in graded]
    return {
        found["graph"]: {k: v for k, v in found["groups"]["overall"].items() if k in TASKEVAL}
        for found in taskeval_of(records)
    }


def _pass_1(results: Sequence[Regraded], side: int) -> dict[str, float | None]:
    from pytest_taubench.metrics import summarize

    records = [(each.before, each.after)[side] for each in results]
    return {
        suite.name: suite.pass_hat[1].value if 1 in suite.pass_hat else None
        for suite in summarize(records)
    }


def _lines(stored: StoredRun, results: Sequence[Regraded]) -> list[str]:
    changed = [each for each in results if each.changed]
    lines = [f"{stored.folder}: {len(changed)} of {len(results)} trials have another reward"]
    after = _pass_1(results, 1)
    lines += [
        f"  {suite}: pass^1 {_figure(before)} -> {_figure(after[suite])}"
        for suite, before in _pass_1(results, 0).items()
    ]
    lines += _taskeval_lines(results)
    for each in changed:
        lines.append(
            f"{each.before.nodeid}: {_figure(each.before.reward)} -> {_figure(each.after.reward)}"
        )
        lines += [f"  {reason}" for reason in each.reasons]
    same = [each for each in results if not each.changed and each.reasons]
    if same:
        keep = "1 trial keeps its" if len(same) == 1 else f"{len(same)} trials keep their"
        lines.append(f"{keep} reward although something differs:")
        for each in same:
            lines.append(f"  {each.before.nodeid}: {'; '.join(each.reasons)}")
    return lines


def _taskeval_lines(results: Sequence[Regraded]) -> list[str]:
    """Return the TaskEval metrics that are others than they were."""
    from pytest_taubench.gates.builtin import TASKEVAL

    sides = [_taskeval(results, side) for side in (0, 1)]
    lines = []
    for graph in dict.fromkeys([*sides[0], *sides[1]]):
        was, now = (side.get(graph, {}) for side in sides)
        changed = [
            f"{name} {_figure(was.get(name))} -> {_figure(now.get(name))}"
            for name in TASKEVAL
            if was.get(name) != now.get(name)
        ]
        lines += [f"  TaskEval of {graph}, strict mode: {', '.join(changed)}"] if changed else []
    return lines


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"
