"""A recording that was edited, cut or broken is named and said to be so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from recorded_chat import HELLO, MORE, SYSTEM, ask, recording

from pytest_taubench.llm.recording import NoRecordedReplyError, ReplayModels
from pytest_taubench.llm.tape import tape_path


def test_an_edited_recording_is_said_to_be_edited(chat_server: ChatServer, tmp_path: Path) -> None:
    ask(recording(chat_server, tmp_path), [SYSTEM, HELLO])
    path = tape_path(tmp_path, "shop/cancel", 1)
    path.write_text(path.read_text(encoding="utf-8").replace("hello", "howdy"), encoding="utf-8")
    with pytest.raises(NoRecordedReplyError, match="recording itself was edited"):
        ask(ReplayModels(tmp_path), [SYSTEM, {"role": "user", "content": "howdy 東京"}])
    path.write_text(path.read_text(encoding="utf-8").replace("howdy", "hello"), encoding="utf-8")
    with pytest.raises(NoRecordedReplyError, match="the request differs"):
        ask(ReplayModels(tmp_path), [SYSTEM, MORE[1]])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"format": 1, "calls"', "is damaged"),
        ("[]", "is no recording of format 1"),
        ('{"format": 2, "calls": {}}', "is no recording of format 1"),
        ('{"format": 1, "calls": {"agent": [{}]}}', "is no recording of format 1"),
        (None, "there is no recording"),
    ],
)
def test_a_recording_that_cannot_be_read_is_named(
    tmp_path: Path, text: str | None, says: str
) -> None:
    path = tape_path(tmp_path, "shop/cancel", 1)
    if text is not None:
        path.parent.mkdir(parents=True)
        path.write_text(text)
    with pytest.raises(NoRecordedReplyError, match=says) as caught:
        ask(ReplayModels(tmp_path), [HELLO])
    assert str(path) in str(caught.value)


DAMAGED_REPLIES: list[Any] = [
    {"message": {"tool_calls": [{"id": 1, "function": "none"}]}, "model": "m"},
    {"message": {"tool_calls": "none"}, "model": "m"},
    {"message": [], "model": "m"},
    {"message": None},
    {},
    {"message": {"content": "ok"}, "model": "m", "usage": {"input_tokens": "many"}},
    {"message": {"content": "ok"}, "model": "m", "cut_off": {"when": 1}},
    {"message": {"content": "ok"}, "model": "m", "cut_off": 5},
]


@pytest.mark.parametrize("reply", DAMAGED_REPLIES, ids=json.dumps)
def test_a_recorded_reply_that_cannot_be_read_is_named(
    chat_server: ChatServer, tmp_path: Path, reply: Any
) -> None:
    ask(recording(chat_server, tmp_path), [HELLO])
    path = tape_path(tmp_path, "shop/cancel", 1)
    tape = json.loads(path.read_text(encoding="utf-8"))
    tape["calls"]["agent"][0]["reply"] = reply
    path.write_text(json.dumps(tape), encoding="utf-8")
    with pytest.raises(NoRecordedReplyError, match=r"agent turn 1 of .* is damaged: ") as caught:
        ask(ReplayModels(tmp_path), [HELLO])
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize("asked", [{"keeps": "none"}, {"adds": 5}, {"digest": None, "adds": [1]}])
def test_a_recorded_request_that_cannot_be_read_is_named(
    chat_server: ChatServer, tmp_path: Path, asked: dict[str, Any]
) -> None:
    ask(recording(chat_server, tmp_path), [HELLO])
    path = tape_path(tmp_path, "shop/cancel", 1)
    tape = json.loads(path.read_text(encoding="utf-8"))
    tape["calls"]["agent"][0]["asked"].update(asked)
    path.write_text(json.dumps(tape), encoding="utf-8")
    with pytest.raises(NoRecordedReplyError, match="is no recording of format 1"):
        ask(ReplayModels(tmp_path), [MORE[1]])


def test_a_damaged_prompt_is_shown_as_missing(chat_server: ChatServer, tmp_path: Path) -> None:
    ask(recording(chat_server, tmp_path), [SYSTEM, HELLO])
    for path in (tmp_path / "prompts").iterdir():
        path.write_text("{", encoding="utf-8")
    with pytest.raises(NoRecordedReplyError, match="recording itself was edited"):
        ask(ReplayModels(tmp_path), [SYSTEM, MORE[1]])
