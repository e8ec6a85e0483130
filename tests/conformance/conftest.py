"""Where the conformance tests find the data of the reference benchmarks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

VARIABLE = "TAUBENCH_UPSTREAM"


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The folder of reference data, or a skip that says how to supply it."""
    named = os.environ.get(VARIABLE)
    beside = Path(__file__).resolve().parents[3] / "shared" / "upstream"
    folder = Path(named) if named else beside
    if not folder.is_dir():
        pytest.skip(f"no reference data at {folder}: set {VARIABLE} to the folder that holds it")
    return folder
