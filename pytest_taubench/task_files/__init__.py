"""Task files: ``*.tau.yaml``, ``*.tau.yml``, ``*.tau.json`` and ``*.tau.jsonl``."""

from pytest_taubench.task_files.problems import Problem
from pytest_taubench.task_files.reader import (
    SUFFIXES,
    TaskFile,
    is_task_file,
    read_task_file,
    suite_name,
    without_collector,
)

__all__ = [
    "SUFFIXES",
    "Problem",
    "TaskFile",
    "is_task_file",
    "read_task_file",
    "suite_name",
    "without_collector",
]
