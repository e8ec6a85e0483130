"""The stop token counts wherever it stands, and the text around it is kept."""

from __future__ import annotations

import pytest

from pytest_taubench.users.protocol import UserTurn, split_stop


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("###STOP###", ""),
        ("Thank you, bye. ###STOP###", "Thank you, bye."),
        ("###STOP### Thank you.", "Thank you."),
        ("Thank you. ###STOP### Bye.", "Thank you. Bye."),
        ("Bye.\n\n###STOP###\n", "Bye."),
        ("###STOP######STOP###", ""),
    ],
)
def test_the_token_stops_wherever_it_stands(text: str, rest: str) -> None:
    assert split_stop(text) == UserTurn(rest, stop=True)


def test_text_without_the_token_goes_on() -> None:
    assert split_stop(" Please stop shipping it. ") == UserTurn("Please stop shipping it.")
