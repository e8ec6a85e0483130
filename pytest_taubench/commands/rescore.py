"""``rescore``: grade a stored run anew, or trials recorded in the reference's result format."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_taubench.commands.cli import (
    add_json_option,
    exit_statuses,
    print_json,
    print_text,
)
from pytest_taubench.commands.rescore_run import add_run_options, is_run, rescore_run
from pytest_taubench.errors import TauBenchError
from pytest_taubench.text.names import counted

if TYPE_CHECKING:
    from pytest_taubench.commands.cli import Subparsers
    from pytest_taubench.metrics import SuiteSummary
    from pytest_taubench.runs.rescore import Rescored
    from pytest_taubench.schema import TrialRecord
    from pytest_taubench.task_files.upstream.files import DataSuite

_SHOWN = 10
_OWN_TASK = (
    "Each trial is graded by the task in its own record (info.task): the data's wording and "
    "annotation changed after trials were recorded."
)


@dataclass(frozen=True)
class FileResult:
    """What one file came to.

    Attributes:
        path: The file.
        suite: The data it was graded with.
        trials: Its trials, graded anew.
        summary: Its figures.
    """

    path: Path
    suite: DataSuite
    trials: list[Rescored]
    summary: SuiteSummary


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "rescore",
        help="grade a stored run anew, or recorded trials of the τ-bench repository",
        epilog=exit_statuses(
            "0 where trials are graded, whichever rewards changed, 1 where none of a stored run "
            "could be"
        ),
    )
    parser.add_argument(
        "file",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="a stored run; or a result file, which is a list of {task_id, trial, reward, info, "
        "traj}, of which several are further trials of one agent",
    )
    parser.add_argument(
        "--tau-data",
        type=Path,
        metavar="FOLDER",
        help="for result files: the upstream data folder the trials ran on",
    )
    parser.add_argument(
        "--domain", help="for result files: the domain, where the tools called do not tell it"
    )
    add_run_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Grade a run or the files, and print their figures."""
    if missing := [path for path in args.file if not path.exists()]:
        raise TauBenchError(f"there is no file or folder {missing[0]}")
    if is_run(args.file[0]):
        return rescore_run(args)
    from pytest_taubench.task_files.upstream import read_data

    if args.tau_data is None:
        raise TauBenchError("rescore of a result file needs --tau-data, the data it ran on")
    suites = read_data(args.tau_data)
    results = [_grade_file(path, suites, args.domain) for path in args.file]
    pooled = _pooled(results)
    if args.json:
        print_json(_as_json(results, pooled))
    else:
        print_text("\n".join(_lines(results, pooled)))
    return 0


def _grade_file(path: Path, suites: list[DataSuite], domain: str | None) -> FileResult:
    from pytest_taubench.metrics import summarize
    from pytest_taubench.runs.rescore import rescore, suite_of
    from pytest_taubench.task_files.upstream.recorded import read_recorded

    trials = read_recorded(path)
    suite = suite_of(trials, suites, domain)
    rescored = rescore(trials, suite, path.name)
    return FileResult(path, suite, rescored, summarize([each.record for each in rescored])[0])


def _pooled(results: list[FileResult]) -> SuiteSummary:
    """Return the figures of all files together: one agent, with further trials in each file."""
    from pytest_taubench.metrics import summarize

    if len(results) == 1:
        return results[0].summary
    met: dict[tuple[str, str], int] = {}
    records: list[TrialRecord] = []
    for result in results:
        for each in result.trials:
            record = each.record
            task = (record.domain, record.task_id)
            met[task] = met.get(task, 0) + 1
            changed = {
                "nodeid": f"{record.domain}::{record.task_id}[trial-{met[task]}]",
                "trial": met[task],
                "suite": "all",
                "domain": "all",
            }
            records.append(record.model_copy(update=changed))
    return summarize(records)[0]


def _as_json(results: list[FileResult], pooled: SuiteSummary) -> dict[str, Any]:
    return {
        "trials": [_trial(result, each) for result in results for each in result.trials],
        **_figures(pooled),
        "files": [
            {
                "file": result.path.name,
                "domain": result.summary.name,
                **_figures(result.summary),
                **_agreement(result),
            }
            for result in results
        ],
        "notes": _notes(results),
    }


def _trial(result: FileResult, each: Rescored) -> dict[str, Any]:
    record, recorded = each.record, each.recorded
    task_id = int(recorded.task_id) if recorded.task_id.isdigit() else recorded.task_id
    return {
        "file": result.path.name,
        "task_id": task_id,
        "trial": recorded.trial,
        "reward": record.reward,
        "recorded_reward": recorded.reward,
        **{component.name: component.value for component in record.components},
        "outcome": record.outcome,
        "ending": record.ending.value,
        "details": {component.name: component.detail for component in record.components},
        "notes": record.notes,
    }


def _figures(summary: SuiteSummary) -> dict[str, Any]:
    return {
        "tasks": summary.tasks,
        "scored": summary.scored,
        "unscored": summary.unscored,
        "average_reward": summary.average_reward,
        "pass_k": {str(k): estimate.value for k, estimate in summary.pass_hat.items()},
        "pass_k_tasks": {str(k): estimate.tasks for k, estimate in summary.pass_hat.items()},
        "endings": dict(summary.endings),
    }


def _agreement(result: FileResult) -> dict[str, int]:
    return {
        "same_reward_as_recorded": sum(each.agrees is True for each in result.trials),
        "other_reward_than_recorded": sum(each.agrees is False for each in result.trials),
    }


def _notes(results: list[FileResult]) -> list[str]:
    notes = [_OWN_TASK] + [note for result in results for note in result.suite.notes]
    return list(dict.fromkeys(notes))


def _lines(results: list[FileResult], pooled: SuiteSummary) -> list[str]:
    lines: list[str] = []
    for result in results:
        lines += [f"{result.path}: {result.summary.name}", *_figure_lines(result.summary)]
        lines += _agreement_lines(result)
    if len(results) > 1:
        lines += ["all files together:", *_figure_lines(pooled)]
    return [*lines, "", *_notes(results)]


def _figure_lines(summary: SuiteSummary) -> list[str]:
    average = "-" if summary.average_reward is None else f"{summary.average_reward:.3f}"
    unscored = f", {summary.unscored} unscored" if summary.unscored else ""
    endings = ", ".join(f"{name} {count}" for name, count in summary.endings.most_common())
    lines = [
        f"  {_counts(summary)}, {summary.scored} scored{unscored}",
        f"  average reward {average}",
    ]
    for k, estimate in summary.pass_hat.items():
        value = "not estimated" if estimate.value is None else f"{estimate.value:.3f}"
        lines.append(f"  pass^{k} {value} (over {estimate.tasks} tasks)")
    return [*lines, f"  endings: {endings}"]


def _counts(summary: SuiteSummary) -> str:
    return f"{counted(summary.trials, 'trial')} of {counted(summary.tasks, 'task')}"


def _agreement_lines(result: FileResult) -> list[str]:
    others = [each for each in result.trials if each.agrees is False]
    counts = _agreement(result)
    same = counts["same_reward_as_recorded"]
    lines = [f"  same reward as recorded: {same} of {same + len(others)}"]
    for each in others[:_SHOWN]:
        failed = [c.name for c in each.record.components if not c.value]
        why = f" ({', '.join(failed)})" if failed else ""
        lines.append(
            f"  task {each.recorded.task_id} trial {each.recorded.trial}: recorded "
            f"{each.recorded.reward:g}, here {each.record.reward:g}{why}"
        )
    return lines + ([f"  ... and {len(others) - _SHOWN} more"] if len(others) > _SHOWN else [])
