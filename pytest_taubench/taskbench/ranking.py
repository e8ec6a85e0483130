"""Rank agreement between two orders of the same models: Kendall's τ and Spearman's ρ."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_taubench.errors import TauBenchError


class RankingError(TauBenchError):
    """A ranking file is wrong, or two of them cannot be compared."""


@dataclass(frozen=True)
class RankAgreement:
    """How far two rankings agree.

    Attributes:
        models: The models compared, best by the first ranking first.
        kendall_tau: Kendall's τ-b; 1 for the same order, -1 for the reverse.
        kendall_p: Its two-sided p-value.
        spearman_rho: Spearman's ρ.
        spearman_p: Its two-sided p-value.
        left_out: Models that only one ranking has.
    """

    models: list[str]
    kendall_tau: float
    kendall_p: float
    spearman_rho: float
    spearman_p: float
    left_out: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the agreement as JSON-able data."""
        return asdict(self)


def rank_agreement(first: Mapping[str, float], second: Mapping[str, float]) -> RankAgreement:
    """Compare two scores of the same models; of each, higher is better.

    Raises:
        RankingError: Fewer than two models are in both, or one side cannot tell any apart.
    """
    kendalltau, spearmanr = _scipy()
    models = sorted(first.keys() & second.keys(), key=lambda name: (-first[name], name))
    if len(models) < 2:
        raise RankingError(f"only {len(models)} models are in both rankings; two are needed")
    scores = [first[name] for name in models], [second[name] for name in models]
    for which, values in zip(("first", "second"), scores, strict=True):
        if len(set(values)) == 1:
            raise RankingError(f"the {which} ranking puts all models on one place")
    tau, rho = kendalltau(*scores), spearmanr(*scores)
    return RankAgreement(
        models=models,
        kendall_tau=float(tau.statistic),
        kendall_p=float(tau.pvalue),
        spearman_rho=float(rho.statistic),
        spearman_p=float(rho.pvalue),
        left_out=sorted(first.keys() ^ second.keys()),
    )


def _scipy() -> tuple[Any, Any]:
    try:
        from scipy.stats import kendalltau, spearmanr
    except ImportError as error:
        raise RankingError(
            "rank agreement needs scipy: pip install 'pytest-taubench[stats]'"
        ) from error
    return kendalltau, spearmanr


def agreement_lines(agreement: RankAgreement) -> list[str]:
    """Return the agreement as text."""
    lines = [
        f"{len(agreement.models)} models",
        f"Kendall's τ    {agreement.kendall_tau:+.4f}  (p {agreement.kendall_p:.4f})",
        f"Spearman's ρ   {agreement.spearman_rho:+.4f}  (p {agreement.spearman_p:.4f})",
    ]
    if agreement.left_out:
        lines.append(f"in one ranking only, and left out: {', '.join(agreement.left_out)}")
    return lines


def read_ranking(path: Path) -> dict[str, float]:
    """Read scores by model, of which higher is better.

    A JSON list of names is a ranking, best first. A JSON object gives each model its score, a
    ``.csv`` file has a model and a score a line, and any other text a name a line, best first.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RankingError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RankingError(f"{path}: not UTF-8 text: {error}") from error
    if path.suffix == ".json":
        return _scores(_json(text, path), path)
    if path.suffix == ".csv":
        return _csv_scores(text, path)
    return _ranked([line.strip() for line in text.splitlines() if line.strip()], path)


def _json(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RankingError(f"{path}: not JSON: {error}") from error


def _scores(data: Any, path: Path) -> dict[str, float]:
    if isinstance(data, list) and all(isinstance(name, str) for name in data):
        return _ranked(data, path)
    if isinstance(data, dict) and all(_is_number(value) for value in data.values()):
        return {name: _score(value, f"{path}: {name!r}") for name, value in data.items()}
    raise RankingError(f"{path}: expected a list of names, best first, or an object of scores")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _score(value: float | str, where: str) -> float:
    """Return a score that has a place among others; NaN is neither above nor below any."""
    try:
        score = float(value)
    except OverflowError:
        score = math.nan
    if math.isnan(score):
        raise RankingError(f"{where}: {value} cannot be ranked")
    return score


def _csv_scores(text: str, path: Path) -> dict[str, float]:
    scores: dict[str, float] = {}
    for number, row in enumerate(csv.reader(io.StringIO(text)), start=1):
        if not row:
            continue
        try:
            name, score = row[0].strip(), _score(row[1], f"{path}:{number}")
        except (IndexError, ValueError):
            if number == 1:
                continue  # a line of column names
            raise RankingError(f"{path}:{number}: expected a model and its score") from None
        if name in scores:
            raise RankingError(f"{path}:{number}: {name!r} is there twice")
        scores[name] = score
    return scores


def _ranked(names: list[str], path: Path) -> dict[str, float]:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise RankingError(f"{path}: {sorted(twice)[0]!r} is there twice")
    return {name: float(len(names) - place) for place, name in enumerate(names)}
