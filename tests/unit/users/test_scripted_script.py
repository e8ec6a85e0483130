"""Scripts are short to write, and what is wrong in one is said clearly."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from pytest_taubench.schema import Script


def test_short_forms() -> None:
    script = Script.model_validate(
        {
            "mood": "brief, polite",
            "facts": {"name": "Ada Kern", "bags": 2},
            "requests": ["Cancel it.", {"say": "Return it.", "if_refused": "Keep it."}],
        }
    )
    assert script.mood == ["brief", "polite"]
    assert script.facts == {"name": ["Ada Kern"], "bags": ["2"]}
    assert [request.say for request in script.requests] == ["Cancel it.", "Return it."]
    assert script.requests[1].if_refused[0].say == "Keep it."


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ({"requests": [{"sai": "x"}]}, "requests.0.sai"),
        ({"facts": {"zip": 60601}}, "facts.zip must be quoted"),
        ({"facts": {"zipp": "60601"}}, "did you mean 'zip'"),
        ({"facts": {"emial": "ada@example.com"}}, "did you mean 'email'"),
        ({"requests": [{"say": "x y", "wants": {"pament": "PayPal"}}]}, "did you mean 'payment'"),
        ({"unknown": ["emial"]}, "did you mean 'email'"),
        ({"private": "adress"}, "did you mean 'address'"),
        ({"mood": "happyish"}, "did you mean 'happy'"),
        ({"answers": {"why(": "Because."}}, "must be words of the agent's question"),
        ({"answers": {"why||reason": "Because."}}, "must be words of the agent's question"),
        ({"patience": 0}, "greater than or equal to 1"),
        ({"requests": ["I want to cancel order"]}, "breaks off in mid-sentence"),
    ],
)
def test_a_wrong_script_is_refused_with_the_reason(
    script: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Script.model_validate(script)


def test_names_of_options_are_free() -> None:
    wants = {
        "bagel mode": "yes",
        "season": "3-season",
        "seat": "leather",
        "slots": 2,
        "order": "#W1",
    }
    request = Script.model_validate({"requests": [{"say": "I want it.", "wants": wants}]}).requests[
        0
    ]
    assert list(request.wants) == list(wants)
