"""Figures from records alone, so that they can be taken again from a stored run."""

from pytest_taubench.metrics.pass_k import Estimate, mean_estimate, pass_at_k, pass_hat_k
from pytest_taubench.metrics.summary import (
    DuplicateTrialError,
    SuiteSummary,
    TaskSummary,
    refuse_duplicates,
    suite_label,
    summarize,
    summarize_tasks,
    task_key,
)

__all__ = [
    "DuplicateTrialError",
    "Estimate",
    "SuiteSummary",
    "TaskSummary",
    "mean_estimate",
    "pass_at_k",
    "pass_hat_k",
    "refuse_duplicates",
    "suite_label",
    "summarize",
    "summarize_tasks",
    "task_key",
]
