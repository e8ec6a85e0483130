"""ROUGE-1, ROUGE-2 and ROUGE-L of the steps in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rapidfuzz.distance import LCSseq


class Rouge(NamedTuple):
    """F-measures of one sample's steps."""

    rouge1: float = 0.0
    rouge2: float = 0.0
    rougeL: float = 0.0


class _Tokenized:
    """Hands rouge-score the tokens it was given, so that a text is tokenized once."""

    def tokenize(self, tokens: list[str]) -> list[str]:
        """Return the tokens."""
        return tokens


class RougeScorer:
    """Scores texts with rouge-score's tokens and measures and no stemmer, as the paper does.

    Only the length of the longest common subsequence under ROUGE-L comes from rapidfuzz:
    rouge-score fills a table in Python for it, four fifths of the time of a whole evaluation.
    """

    def __init__(self) -> None:
        # Imported here: it brings nltk and numpy, a second that a run without ROUGE saves.
        from rouge_score import rouge_scorer, scoring, tokenize

        self._ngrams: Any = rouge_scorer.RougeScorer(["rouge1", "rouge2"], tokenizer=_Tokenized())
        self._tokenize: Callable[[str, None], list[str]] = tokenize.tokenize
        self._fmeasure: Callable[[float, float], float] = scoring.fmeasure

    def score(self, gold: str, prediction: str) -> Rouge:
        """Score a prediction's steps against gold's."""
        mine, its = self._tokenize(gold, None), self._tokenize(prediction, None)
        ngrams = self._ngrams.score(mine, its)
        return Rouge(
            float(ngrams["rouge1"].fmeasure),
            float(ngrams["rouge2"].fmeasure),
            self._longest_common(mine, its),
        )

    def _longest_common(self, gold: list[str], prediction: list[str]) -> float:
        if not gold or not prediction:
            return 0.0
        length = LCSseq.similarity(gold, prediction)
        return float(self._fmeasure(length / len(prediction), length / len(gold)))
