"""The reward of a τ-bench trial and its components, one a file."""

from pytest_taubench.reward.actions import grade_actions
from pytest_taubench.reward.database import Gold, describe_changes, gold_state, grade_database
from pytest_taubench.reward.outputs import grade_outputs
from pytest_taubench.reward.reward import counted, grade, grade_record, proves_nothing

__all__ = [
    "Gold",
    "counted",
    "describe_changes",
    "gold_state",
    "grade",
    "grade_actions",
    "grade_database",
    "grade_outputs",
    "grade_record",
    "proves_nothing",
]
