"""Reads the data of the reference benchmarks: τ-bench, τ²-bench and TaskBench."""

from pytest_taubench.task_files.upstream.data import read_data
from pytest_taubench.task_files.upstream.files import DataError, DataSuite

__all__ = ["DataError", "DataSuite", "read_data"]
