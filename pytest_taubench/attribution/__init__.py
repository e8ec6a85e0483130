"""Why a trial failed: by rules from its record and gold, and by a model that is asked."""

from pytest_taubench.attribution.attribute import attribute
from pytest_taubench.attribution.judge import NOT_ASKED, ask_whose_fault, judge_fault

__all__ = ["NOT_ASKED", "ask_whose_fault", "attribute", "judge_fault"]
