"""Rank agreement: Kendall's τ and Spearman's ρ between two rankings of models."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_taubench.taskbench.ranking import RankingError, rank_agreement, read_ranking


def test_one_swap_of_four_gives_the_textbook_values() -> None:
    # Five of six pairs agree: τ = (5 - 1) / 6. Two ranks are off by one: ρ = 1 - 6·2 / (4·15).
    first = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}
    second = {"a": 0.9, "b": 0.7, "c": 0.8, "d": 0.1}
    agreement = rank_agreement(first, second)
    assert agreement.kendall_tau == pytest.approx(4 / 6)
    assert agreement.spearman_rho == pytest.approx(0.8)
    assert agreement.models == ["a", "b", "c", "d"]


def test_the_reverse_order_is_minus_one() -> None:
    first = {"a": 3.0, "b": 2.0, "c": 1.0}
    agreement = rank_agreement(first, {name: -score for name, score in first.items()})
    assert (agreement.kendall_tau, agreement.spearman_rho) == pytest.approx((-1.0, -1.0))


def test_models_of_one_ranking_only_are_left_out_and_named() -> None:
    agreement = rank_agreement({"a": 2, "b": 1, "x": 5}, {"a": 2, "b": 1, "y": 5})
    assert agreement.left_out == ["x", "y"]
    assert agreement.kendall_tau == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"a": 1.0}, {"a": 1.0}, "only 1 models are in both"),
        ({"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 2.0}, "the first ranking puts all models on one"),
        ({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.0}, "the second ranking puts all models on one"),
    ],
)
def test_what_cannot_be_compared_is_said(
    first: dict[str, float], second: dict[str, float], message: str
) -> None:
    with pytest.raises(RankingError, match=message):
        rank_agreement(first, second)


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(RankingError, match=r"pip install 'pytest-taubench\[stats\]'"):
        rank_agreement({"a": 1, "b": 2}, {"a": 1, "b": 2})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.json", '["a", "b", "c"]'),
        ("r.json", '{"a": 3, "b": 2.0, "c": 1}'),
        ("r.csv", "model,score\na,3\nb,2\nc,1\n"),
        ("r.csv", "a,3\n\nb,2\nc,1"),
        ("r.txt", "a\nb\n\nc\n"),
    ],
)
def test_a_ranking_is_read_in_each_of_its_forms(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_ranking(tmp_path / name) == {"a": 3.0, "b": 2.0, "c": 1.0}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.json", "{", "not JSON"),
        ("r.json", '{"a": "first"}', "expected a list of names, best first"),
        ("r.json", '["a", "a"]', "'a' is there twice"),
        ("r.csv", "a,1\nb\n", r"r\.csv:2: expected a model and its score"),
        ("r.csv", "a,1\na,2\n", r"r\.csv:2: 'a' is there twice"),
        ("r.txt", "a\na\n", "'a' is there twice"),
    ],
)
def test_a_wrong_ranking_file_is_told_what_is_wrong(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(RankingError, match=message):
        read_ranking(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.json", '{"a": NaN, "b": 2}'),
        ("r.json", '{"a": 1' + "0" * 400 + ', "b": 2}'),
        ("r.csv", "model,score\na,nan\nb,2\n"),
    ],
    ids=["nan", "too-large", "nan-in-csv"],
)
def test_a_score_without_a_place_among_others_is_refused(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(RankingError, match=r"r\.(json: 'a'|csv:2): .* cannot be ranked"):
        read_ranking(tmp_path / name)
