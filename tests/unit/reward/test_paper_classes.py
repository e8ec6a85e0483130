"""The rules that put a failed trial into one of the paper's four classes, in their order."""

import pytest

from pytest_taubench.reward.attribution import paper_class
from pytest_taubench.schema import FaultKind


@pytest.mark.parametrize(
    ("kinds", "part_done", "expected"),
    [
        ({"wrong_tool", "wrong_argument"}, True, "wrong_decision"),
        ({"forbidden_write"}, False, "wrong_decision"),
        ({"wrong_argument", "extra_action", "missing_action"}, True, "wrong_argument"),
        ({"extra_action", "missing_action"}, True, "wrong_decision"),
        ({"missing_action", "missing_information"}, True, "partly_resolved"),
        ({"missing_action"}, False, "wrong_decision"),
        ({"missing_information"}, True, "wrong_information"),
        ({"early_stop", "missing_action"}, True, None),
        ({"unfinished", "missing_information"}, True, None),
        ({"agent_error", "forbidden_write"}, False, "wrong_decision"),
        ({"unmet_assertion"}, True, None),
        ({"unexplained"}, False, None),
    ],
)
def test_the_first_rule_that_applies_gives_the_class(kinds, part_done, expected):
    kinds = frozenset(map(FaultKind, kinds))
    assert paper_class(kinds, part_done=part_done) == expected
