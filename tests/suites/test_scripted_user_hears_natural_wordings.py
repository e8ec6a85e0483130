"""What the scripted user answers to lines that agents naturally say.

``wordings/`` holds cases that readers wrote from the bundled tasks and their data, without sight
of the user's code: the agent's lines, and what the answer to the last of them must be: ``yes``,
``no``, ``notno`` (no refusal), or ``has:A|B`` (one of these texts). The user has been mended with
them in sight, so these shares are no measure of it; they hold what was reached.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_taubench.bundled import suites_root
from pytest_taubench.randomness import trial_random
from pytest_taubench.schema import ModelSettings, Task
from pytest_taubench.task_files import read_task_file
from pytest_taubench.users.protocol import UserContext
from pytest_taubench.users.scripted import make_scripted_user

WORDINGS = Path(__file__).with_name("wordings")
YES = re.compile(
    r"\b(?:yes|yeah|sure|go ahead|please do|that's right|correct|confirm(?:ed)?|sounds good"
    r"|perfect|absolutely|of course|okay|ok)\b",
    re.I,
)
NO = re.compile(
    r"\b(?:no|nope|not what i|wait|wrong|don't want|do not want|leave .{1,30} out|i said"
    r"|i want .{1,40}, not|have not asked|haven't asked|not that)\b",
    re.I,
)
NO_REFUSAL = re.compile(r"\b(?:I'm )?not sure\b|\b(?:as|like) I said\b|\bI'll wait\b", re.I)


@cache
def tasks_of(file: str) -> dict[str, Task]:
    path = suites_root().parent / file
    return {task.id: task for task in read_task_file(path, None).tasks}


def answer(case: dict[str, Any]) -> str:
    file, _, name = case["task"].partition("::")
    task = tasks_of(file)[name]
    user = make_scripted_user(
        UserContext(
            instruction=task.instruction,
            script=task.script,
            random=trial_random(0, task.id, 1, "user"),
            model=ModelSettings(),
            user_id=task.user_id,
        )
    )

    async def talk() -> str:
        turn = await user.respond(None)
        for line in case["say"]:
            turn = await user.respond(line)
        return turn.text

    return asyncio.run(talk())


def is_met(said: str, expected: str) -> bool:
    kind, _, texts = expected.partition(":")
    if kind == "has":
        return any(text.strip().lower() in said.lower() for text in texts.split("|"))
    said = NO_REFUSAL.sub("", said)
    yes, no = YES.search(said[:80]), NO.search(said[:160])
    agrees = yes is not None and (no is None or yes.start() < no.start())
    refuses = no is not None and not agrees
    return {"yes": agrees, "no": not agrees, "notno": not refuses}[kind]


@pytest.mark.parametrize(
    ("domain", "least"),
    [
        ("airline", {"yes": 0.95, "no": 0.95, "notno": 1.0, "has": 0.95}),
        ("retail", {"yes": 1.0, "no": 0.84, "notno": 1.0, "has": 0.88}),
    ],
)
def test_natural_wordings_are_heard_for_what_they_say(domain, least):
    lines = (WORDINGS / f"{domain}.jsonl").read_text(encoding="utf-8").splitlines()
    met, asked, missed = Counter[str](), Counter[str](), []
    for case in map(json.loads, lines):
        kind = case["expect"].partition(":")[0]
        said = answer(case)
        asked[kind] += 1
        met[kind] += (right := is_met(said, case["expect"]))
        if not right:
            missed.append(f"{case['task']} {case['expect']}: {case['say'][-1]!r} -> {said!r}")
    shares = {kind: met[kind] / asked[kind] for kind in asked}
    below = {kind: share for kind, share in shares.items() if share < least[kind]}
    assert below == {}, "\n".join(missed)
