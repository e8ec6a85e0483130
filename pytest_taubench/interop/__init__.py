"""Reads the data of the reference benchmarks: τ-bench, τ²-bench and TaskBench."""

from pytest_taubench.interop.data import read_data
from pytest_taubench.interop.suite import DataError, DataSuite

__all__ = ["DataError", "DataSuite", "read_data"]
