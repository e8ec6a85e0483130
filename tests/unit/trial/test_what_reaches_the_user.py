"""Of what an agent writes, neither its thoughts nor the user's stop word reach the user."""

from __future__ import annotations

import pytest
from small_episode import run

THINKS = "<think>The total is 7. ###STOP###</think>Hello."


def function(messages, tools):
    return {"role": "assistant", "content": THINKS}


async def async_function(messages, tools):
    return THINKS


class Steps:
    def __init__(self, context):
        pass

    def step(self, messages):
        return THINKS


class Responds:
    def __init__(self, context):
        pass

    async def respond(self, text):
        return THINKS


@pytest.mark.parametrize("agent", [function, async_function, Steps, Responds])
def test_what_an_agent_of_any_shape_thinks_is_kept_and_told_to_nobody(agent):
    episode = run(agent)
    assert episode.user.heard == [None, "Hello."]
    assert episode.told == ["Hello."]
    assert episode.trajectory[1].thought == "The total is 7. ###STOP###"
    assert episode.notes == []


def test_a_stop_word_of_the_agents_ends_nothing_and_is_noted():
    episode = run(lambda messages, tools: "Say ###STOP### when you are done.")
    assert episode.user.heard[1] == "Say (stop) when you are done."
    assert episode.notes == [
        "the agent wrote the user's stop word ###STOP###, which the user did not get"
    ]
