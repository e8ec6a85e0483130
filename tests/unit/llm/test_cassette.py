"""A replay answers what was recorded, and says how a request differs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from recorded_chat import HELLO, MORE, SETTINGS, SYSTEM, TOOLS, ask, recording
from small_shop import models

from pytest_taubench.errors import (
    ContextLengthError,
    EndpointDownError,
    EndpointFailedError,
    EndpointRefusedError,
)
from pytest_taubench.llm.recording import NoRecordedReplyError, RecordingModels, ReplayModels
from pytest_taubench.llm.tape import tape_path
from pytest_taubench.schema import ModelSettings


def test_a_replay_gives_the_same_replies_without_a_server(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    chat_server.answer_with(
        wire.tool_calls(("get_order", '{"broken'), ("get_order", {}), content="Grüße"),
        wire.text(None),
        wire.text("no usage", usage=None),
    )
    requests = [[SYSTEM, HELLO], [SYSTEM, HELLO, *MORE], [SYSTEM, HELLO, *MORE, HELLO]]
    recorded = ask(recording(chat_server, tmp_path), *requests)
    asked = len(chat_server.requests)
    assert ask(ReplayModels(tmp_path), *requests) == recorded
    assert len(chat_server.requests) == asked == 3


def test_a_request_that_differs_says_which_turn_and_how(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    ask(recording(chat_server, tmp_path), [SYSTEM, HELLO], [SYSTEM, HELLO, *MORE])
    changed = [SYSTEM, HELLO, MORE[0], {"role": "user", "content": "cancel #2"}]
    with pytest.raises(NoRecordedReplyError, match="agent turn 2 of") as caught:
        ask(ReplayModels(tmp_path), [SYSTEM, HELLO], changed)
    lines = str(caught.value).splitlines()
    assert '- "content": "cancel #1"' in lines
    assert '+ "content": "cancel #2"' in lines
    assert not any("policy" in line for line in lines), "only what differs is shown"


def test_a_changed_line_of_the_policy_is_the_line_shown(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    ask(recording(chat_server, tmp_path), [SYSTEM, HELLO])
    changed = {"role": "system", "content": "The policy.\nIt has three lines."}
    with pytest.raises(NoRecordedReplyError) as caught:
        ask(ReplayModels(tmp_path), [changed, HELLO])
    removed = [line for line in str(caught.value).splitlines() if line.startswith("-")]
    assert removed == ["--- recorded", '-It has two lines."']


@pytest.mark.parametrize(
    "other",
    [
        {"role": "user"},
        {"task": "shop/other"},
        {"trial": 2},
        {"settings": ModelSettings(name="other")},
        {"settings": ModelSettings(name="m", args={"temperature": 1})},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_reply_is_keyed_by_role_task_trial_and_settings(
    chat_server: ChatServer, tmp_path: Path, other: dict[str, Any]
) -> None:
    ask(recording(chat_server, tmp_path), [HELLO])
    with pytest.raises(NoRecordedReplyError):
        ask(ReplayModels(tmp_path), [HELLO], **other)


def test_a_turn_beyond_the_recording_is_said(chat_server: ChatServer, tmp_path: Path) -> None:
    ask(recording(chat_server, tmp_path), [HELLO])
    with pytest.raises(NoRecordedReplyError, match="holds 1 turns") as caught:
        ask(ReplayModels(tmp_path), [HELLO], [HELLO, *MORE])
    assert caught.value.source == "model"


def test_calls_made_at_the_same_time_may_come_in_another_order(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    chat_server.answer_with(
        wire.text("to hello"), wire.text("to more"), wire.text("to hello again")
    )
    recorded = ask(recording(chat_server, tmp_path), [HELLO], MORE, [HELLO])
    replayed = ask(ReplayModels(tmp_path), MORE, [HELLO], [HELLO])
    assert [reply.text for reply in replayed] == ["to more", "to hello", "to hello again"]
    assert len(recorded) == 3


def test_the_models_of_one_role_and_trial_share_its_turns(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    chat_server.answer_with(wire.text("first"), wire.text("second"))
    ask(recording(chat_server, tmp_path), [HELLO], [HELLO])

    async def run() -> list[str]:
        trial = ReplayModels(tmp_path).for_trial("shop/cancel", 1)
        models = [trial.chat_model("agent", SETTINGS) for _ in range(2)]
        return [(await model.complete([HELLO], TOOLS)).text for model in models]

    assert asyncio.run(run()) == ["first", "second"]


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        (wire.context_length(), ContextLengthError),
        (wire.server_error(), EndpointFailedError),
        (wire.error(400, "messages.3: invalid value"), EndpointRefusedError),
    ],
)
def test_faults_are_replayed_as_what_they_were(
    chat_server: ChatServer, tmp_path: Path, fault: wire.Response, raised: type[Exception]
) -> None:
    chat_server.behave = lambda messages, tools: fault
    said = []
    for provider in (recording(chat_server, tmp_path), ReplayModels(tmp_path)):
        with pytest.raises(raised) as caught:
            ask(provider, [HELLO])
        assert type(caught.value) is raised
        said.append(str(caught.value))
    assert said[1] == said[0].replace(chat_server.url, "(address)")


def test_an_endpoint_that_was_down_is_replayed_as_that(tmp_path: Path) -> None:
    nobody = RecordingModels(models("http://127.0.0.1:9/v1"), tmp_path)
    for provider in (nobody, ReplayModels(tmp_path)):
        with pytest.raises(EndpointDownError, match="connection failed: ConnectError"):
            ask(provider, [HELLO])


def test_recorded_twice_the_files_are_the_same_bytes(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    for folder in ("a", "b", "b"):
        ask(recording(chat_server, tmp_path / folder), [SYSTEM, HELLO], [SYSTEM, HELLO, *MORE])
    files = [
        {
            path.relative_to(tmp_path / folder): path.read_bytes()
            for path in tmp_path.glob(f"{folder}/**/*.json")
        }
        for folder in ("a", "b")
    ]
    assert files[0] == files[1]
    assert len(files[0]) == 3, "the trial, the policy and the tools"


def test_a_turn_adds_only_what_is_new_in_it(chat_server: ChatServer, tmp_path: Path) -> None:
    ask(recording(chat_server, tmp_path), [SYSTEM, HELLO], [SYSTEM, HELLO, *MORE])
    data = json.loads((tmp_path / "shop" / "cancel" / "trial-1.json").read_text())
    first, second = data["calls"]["agent"]
    assert first["asked"]["adds"][1] == HELLO
    assert (second["asked"]["keeps"], second["asked"]["adds"]) == (2, MORE)
    assert "policy" not in json.dumps(data)


def test_any_task_name_has_a_file_of_its_own_inside_the_folder(tmp_path: Path) -> None:
    names = ["a/b", "a_b", "a b", "a?b", "../../etc/x", "..", "", "ü", "x" * 300, "x" * 301]
    paths = [tape_path(tmp_path, name, 1) for name in names]
    assert len(set(paths)) == len(names)
    assert all(tmp_path in path.resolve().parents for path in paths)
    assert all(len(part) < 120 for path in paths for part in path.parts)
