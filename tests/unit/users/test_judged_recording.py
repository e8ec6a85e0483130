"""What a judged user costs to record: it grows with the conversation, not with its square."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.llm.chat import ScriptedModel
from pytest_taubench.llm.provider import GivenModels, ModelProvider
from pytest_taubench.llm.recording import RecordingModels, ReplayModels
from pytest_taubench.schema import ModelSettings
from pytest_taubench.users.judged import make_reflection_user, make_verify_user
from pytest_taubench.users.protocol import User, UserContext

OK = '{"ok": true, "reason": "It keeps to the description."}'
KINDS = pytest.mark.parametrize("make", [make_verify_user, make_reflection_user])
Make = Callable[[UserContext], User]


def talk(provider: ModelProvider, make: Make, turns: int) -> list[str]:
    """Let a user talk for some turns, and return what it said."""
    context = UserContext(
        instruction="You are Mei Davis in 80217.",
        script=None,
        random=random.Random(1),
        model=ModelSettings(name="m"),
        options={"models": provider.for_trial("suite/task", 1)},
    )

    async def run() -> list[str]:
        user = make(context)
        heard = [None, *(f"Answer {n}: {'so it is. ' * 20}" for n in range(1, turns))]
        said = [(await user.respond(text)).text for text in heard]
        await user.close()
        return said

    return asyncio.run(run())


def scripted(turns: int) -> ScriptedModel:
    return ScriptedModel(
        [text for n in range(turns) for text in (f"Question {n}: {'what of it? ' * 10}", OK)]
    )


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.json"))


@KINDS
def test_a_recording_grows_with_the_conversation(make: Make, tmp_path: Path) -> None:
    sizes = []
    for turns in (10, 20, 40):
        folder = tmp_path / str(turns)
        talk(RecordingModels(GivenModels(user=scripted(turns)), folder), make, turns)
        sizes.append(bytes_in(folder))
    ten, twenty, forty = sizes
    assert forty - twenty < 2.1 * (twenty - ten)


@KINDS
def test_what_was_recorded_is_replayed(make: Make, tmp_path: Path) -> None:
    said = talk(RecordingModels(GivenModels(user=scripted(3)), tmp_path), make, 3)
    assert len(said) == 3
    assert talk(ReplayModels(tmp_path), make, 3) == said


@KINDS
def test_each_request_of_a_judge_begins_like_the_one_before(make: Make) -> None:
    model = scripted(3)
    talk(GivenModels(user=model), make, 3)
    judged: list[list[Any]] = [request["messages"] for request in model.requests[1::2]]
    for before, after in pairwise(judged):
        assert after[: len(before) - 1] == before[:-1]
