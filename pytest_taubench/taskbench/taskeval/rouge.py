"""ROUGE-1, ROUGE-2 and ROUGE-L of the steps in words."""

from __future__ import annotations

from typing import Any, NamedTuple

_TYPES = ["rouge1", "rouge2", "rougeL"]


class Rouge(NamedTuple):
    """F-measures of one sample's steps."""

    rouge1: float = 0.0
    rouge2: float = 0.0
    rougeL: float = 0.0


class RougeScorer:
    """Scores texts with rouge-score's tokenizer and no stemmer, as the paper does."""

    def __init__(self) -> None:
        # Imported here: it brings nltk and numpy, a second that a run without ROUGE saves.
        from rouge_score import rouge_scorer

        self._scorer: Any = rouge_scorer.RougeScorer(_TYPES, use_stemmer=False)

    def score(self, gold: str, prediction: str) -> Rouge:
        """Score a prediction's steps against gold's."""
        scores = self._scorer.score(gold, prediction)
        return Rouge(*(float(scores[type_].fmeasure) for type_ in _TYPES))
