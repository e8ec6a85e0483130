"""Grades the trials of a stored run anew: under today's tasks and tools, or another basis."""

from pytest_taubench.regrade.run import NO_TASK, regrade_run
from pytest_taubench.regrade.tasks_today import TasksToday
from pytest_taubench.regrade.verdict import Regraded, RegradeError

__all__ = ["NO_TASK", "RegradeError", "Regraded", "TasksToday", "regrade_run"]
