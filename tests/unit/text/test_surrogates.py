"""Text that was cut inside a character is made whole."""

from __future__ import annotations

import pytest

from pytest_taubench.text.foreign import whole_text, whole_texts


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("plain", "plain"),
        ("naïve 漢字 🙂", "naïve 漢字 🙂"),
        ("half \ud83d.", "half \ufffd."),
        ("other half \ude42", "other half \ufffd"),
        ("\ud83d\ude42", "🙂"),
        ("\ude42\ud83d", "\ufffd\ufffd"),
    ],
)
def test_half_a_pair_becomes_the_replacement_character(text: str, whole: str) -> None:
    assert whole_text(text) == whole
    whole_text(text).encode("utf-8")


def test_every_text_of_json_data_is_made_whole() -> None:
    data = {"a\ud800": ["\udfff", 1, None, True, {"b": "c"}]}
    assert whole_texts(data) == {"a\ufffd": ["\ufffd", 1, None, True, {"b": "c"}]}
