"""The model that says whose fault a trial was, asked no more once it cannot be had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_taubench.reward.fault_judge import NOT_ASKED
from pytest_taubench.schema import Verdict

if TYPE_CHECKING:
    from pytest_taubench.schema import ModelSettings, TrialRecord

IN_A_ROW = 3


class FaultModel:
    """Counts the trials of a process that could not ask it, one after the other.

    No trial loses its reward by it, so that such a run goes on; but each attempt costs minutes.

    Args:
        settings: The model, or None where none is to be asked.
    """

    def __init__(self, settings: ModelSettings | None) -> None:
        self._settings = settings
        self._in_vain = 0

    @property
    def settings(self) -> ModelSettings | None:
        """The model to ask, or None."""
        return None if self._in_vain >= IN_A_ROW else self._settings

    def take(self, record: TrialRecord) -> None:
        """Count a trial; say in it where its model was not asked any more."""
        attribution = record.attribution
        if self._settings is None or attribution is None:
            return
        if attribution.model is None:
            why = f"{NOT_ASKED}, as in {IN_A_ROW} trials in a row before"
            attribution.model = Verdict(whose=None, why=why, model=self._settings.name)
        elif self.settings is not None:
            vain = attribution.model.why.startswith(NOT_ASKED)
            self._in_vain = self._in_vain + 1 if vain else 0
