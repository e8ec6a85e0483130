"""TaskEval: how close predicted task plans are to gold (arXiv 2311.18760, section 4)."""

from pytest_taubench.taskbench.taskeval.evaluate import MODES, evaluate, evaluate_files
from pytest_taubench.taskbench.taskeval.faults import PlanFault, PlanFaultKind
from pytest_taubench.taskbench.taskeval.result import ACCURACIES, METRICS, GroupScore, TaskEval

__all__ = [
    "ACCURACIES",
    "METRICS",
    "MODES",
    "GroupScore",
    "PlanFault",
    "PlanFaultKind",
    "TaskEval",
    "evaluate",
    "evaluate_files",
]
