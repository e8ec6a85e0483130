"""A secret that a server repeats is taken out, however often the text was escaped."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_taubench.text.secrets import scrubbed

SECRET = "sk-proj/a+b=c==0123"
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40).filter(
    lambda key: any(sign.isalnum() for sign in key)
)


def unicode_escaped(text: str) -> str:
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        SECRET.replace("/", "\\/"),
        SECRET.replace("=", "\\u003d").replace("+", "\\u002B"),
        unicode_escaped(SECRET),
        json.dumps(SECRET.replace("/", "\\/"))[1:-1],
        json.dumps(SECRET.replace("=", "\\u003D"))[1:-1],
    ],
    ids=["plain", "slash", "Gson", "all", "slash, quoted again", "Gson, quoted again"],
)
def test_a_secret_is_found_in_each_way_of_writing_it(written: str) -> None:
    assert scrubbed(f'{{"content": "was {written}!"}}', [SECRET]) == '{"content": "was ***!"}'


@given(KEYS, st.text(max_size=20), st.booleans())
def test_json_stays_json_and_holds_the_secret_no_more(key: str, around: str, ascii: bool) -> None:
    said = {"content": f"{around} {key} {around}"}
    for body in (json.dumps(said, ensure_ascii=ascii), json.dumps(said).replace("/", "\\/")):
        assert key not in json.loads(scrubbed(body, [key]))["content"]


def test_other_text_stays_as_it_is() -> None:
    text = 'sk-proj/a+b=c==012 and \\u0073k-proj, "\\/" and \\\\'
    assert scrubbed(text, [SECRET]) == text


def test_a_reply_of_nothing_but_backslashes_takes_no_longer_than_any() -> None:
    started = time.process_time()
    scrubbed("\\" * 1_000_000, [SECRET, "/" * 30])
    assert time.process_time() - started < 10
