"""Score predictions against gold: the entry points of TaskEval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pytest_taubench.errors import TauBenchError
from pytest_taubench.taskbench.graph import ToolGraph
from pytest_taubench.taskbench.taskeval.faults import PlanFault, PlanFaultKind, shown
from pytest_taubench.taskbench.taskeval.files import (
    Rows,
    check_graph_fits,
    gold_rows,
    read_gold,
    read_predictions,
    rows_of,
)
from pytest_taubench.taskbench.taskeval.metrics import RougeScorer
from pytest_taubench.taskbench.taskeval.modes import REFERENCE, STRICT, Mode
from pytest_taubench.taskbench.taskeval.result import TaskEval, count_faults, group_scores
from pytest_taubench.taskbench.taskeval.sample import SampleScore, score_sample

MODES: Mapping[str, Mode] = {mode.name: mode for mode in (REFERENCE, STRICT)}


def evaluate(
    gold: Iterable[Mapping[str, Any]],
    predictions: Iterable[Any],
    graph: ToolGraph,
    mode: str = "reference",
    *,
    rouge: bool = True,
    processes: int = 1,
) -> TaskEval:
    """Score predictions against gold.

    Args:
        gold: Annotations with an ``id`` each, in any published shape.
        predictions: ``{"id": …, "result": {task_steps, task_nodes, task_links}}`` each.
        graph: The tool graph.
        mode: ``reference`` or ``strict``.
        rouge: Score the steps too.
        processes: Processes to score in.
    """
    return evaluate_rows(
        gold_rows(gold), rows_of(predictions), graph, mode, rouge=rouge, processes=processes
    )


def evaluate_files(
    gold: Path,
    predictions: Path,
    graph: ToolGraph,
    mode: str = "reference",
    *,
    rouge: bool = True,
    processes: int = 1,
) -> TaskEval:
    """Score a predictions file against a gold file; see ``evaluate``.

    Raises:
        TaskFileError: A file cannot be read, or most of gold's tools are not in the graph.
    """
    rows = read_gold(gold), read_predictions(predictions)
    check_graph_fits(rows[0].by_id.values(), graph, str(gold))
    return evaluate_rows(*rows, graph, mode, rouge=rouge, processes=processes)


def evaluate_rows(
    gold: Rows,
    predictions: Rows,
    graph: ToolGraph,
    mode: str,
    *,
    rouge: bool,
    processes: int,
) -> TaskEval:
    """Score rows that were read already; see ``evaluate``."""
    chosen = find_mode(mode)
    pairs = [(row, predictions.by_id.get(id_)) for id_, row in gold.by_id.items()]
    scores = _score_all(pairs, graph, chosen, rouge, processes)
    return summarize(scores, graph, chosen, gold, predictions)


def find_mode(name: str) -> Mode:
    """Return the mode of that name."""
    if name not in MODES:
        raise TauBenchError(f"there is no TaskEval mode {name!r}; there are {', '.join(MODES)}")
    return MODES[name]


_Pair = tuple[Mapping[str, Any], Mapping[str, Any] | None]


def _score_all(
    pairs: Sequence[_Pair], graph: ToolGraph, mode: Mode, rouge: bool, processes: int
) -> list[SampleScore]:
    if processes <= 1:
        return score_pairs(pairs, graph, mode.name, rouge)
    size = -(-len(pairs) // processes) or 1
    chunks = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        parts = [pool.submit(score_pairs, chunk, graph, mode.name, rouge) for chunk in chunks]
        return [score for part in parts for score in part.result()]


def score_pairs(
    pairs: Sequence[_Pair], graph: ToolGraph, mode: str, rouge: bool
) -> list[SampleScore]:
    """Score annotations with their prediction rows, or None where there is none."""
    scorer = RougeScorer() if rouge else None
    chosen = find_mode(mode)
    scores = []
    for gold, row in pairs:
        missing = PlanFaultKind.NO_PREDICTION if row is None else None
        if row is not None and "result" not in row:
            missing = PlanFaultKind.RESULT_MISSING
        result = row.get("result") if row is not None else None
        scores.append(score_sample(gold, result, graph, chosen, scorer, missing=missing))
    return scores


def summarize(
    scores: Sequence[SampleScore],
    graph: ToolGraph,
    mode: Mode,
    gold: Rows,
    predictions: Rows,
) -> TaskEval:
    """Aggregate scored samples, and count what was wrong."""
    strays = [
        PlanFault(PlanFaultKind.NO_GOLD, f"no sample {shown(id_)}")
        for id_ in predictions.by_id
        if id_ not in gold.by_id
    ]
    file_faults = predictions.faults + strays
    answered = [score for score in scores if score.answered]
    faults = file_faults + [fault for score in scores for fault in score.faults]
    gold_faults = gold.faults + [fault for score in scores for fault in score.gold_faults]
    return TaskEval(
        mode=mode.name,
        graph=graph.name,
        groups=group_scores(scores, mode),
        counts={
            "gold": len(scores),
            "predictions": predictions.read,
            "scored": sum(score.graph is not None for score in scores),
            "missing": len(scores) - len(answered),
            "unreadable": sum(bool(_kinds(score) & mode.unreadable) for score in answered),
            "faulty": sum(bool(score.faults) for score in answered),
        },
        faults=count_faults(faults),
        gold_faults=count_faults(gold_faults),
        fault_list=[("", str(fault)) for fault in file_faults]
        + [(score.id, str(fault)) for score in scores for fault in score.faults],
    )


def _kinds(score: SampleScore) -> set[PlanFaultKind]:
    return {fault.kind for fault in score.faults}
