"""Lint: proves, or warns, whether a task can be trusted."""

from pytest_taubench.lint.case import Case
from pytest_taubench.lint.check import Check
from pytest_taubench.lint.finding import Finding, Level
from pytest_taubench.lint.linting import CHECKS, Linter, TaskLint

__all__ = ["CHECKS", "Case", "Check", "Finding", "Level", "Linter", "TaskLint"]
