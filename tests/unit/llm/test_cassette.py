"""Recorded once, replayed as often as one likes, without a network."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from small_shop import models

from pytest_taubench.errors import (
    ContextLengthError,
    EndpointDownError,
    EndpointFailedError,
    EndpointRefusedError,
    InfrastructureError,
)
from pytest_taubench.llm.cassette import NoRecordedReplyError, RecordingModels, ReplayModels
from pytest_taubench.llm.chat import ChatReply
from pytest_taubench.llm.provider import ModelProvider
from pytest_taubench.llm.tape import tape_path
from pytest_taubench.schema import ModelSettings

SYSTEM = {"role": "system", "content": "The policy.\nIt has two lines."}
HELLO = {"role": "user", "content": "hello 東京"}
MORE = [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "cancel #1"}]
TOOLS = [{"type": "function", "function": {"name": "get_order", "parameters": {}}}]
SETTINGS = ModelSettings(name="m")


def ask(provider: ModelProvider, *requests: list[dict[str, Any]], **named: Any) -> list[ChatReply]:
    """Make the calls of one role of one trial."""

    async def run() -> list[ChatReply]:
        trial = provider.for_trial(named.get("task", "shop/cancel"), named.get("trial", 1))
        model = trial.chat_model(named.get("role", "agent"), named.get("settings", SETTINGS))
        try:
            return [await model.complete(messages, TOOLS) for messages in requests]
        finally:
            await model.close()

    return asyncio.run(run())


def recording(server: ChatServer, folder: Path) -> RecordingModels:
    return RecordingModels(models(server.url), folder)


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


def test_a_recording_holds_no_key_and_no_address(
    chat_server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ask(recording(chat_server, tmp_path), [SYSTEM, HELLO])
    everything = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    for secret in ("sk-secret", "127.0.0.1", "Bearer", "uthorization"):
        assert secret not in everything


SECRET_ARGS = {
    "api_key": "sk-own",
    "extra_headers": {"Authorization": "Bearer sk-two", "X-Team": "sk-three"},
    "extra_body": {"upstream": [{"api_token": "sk-four"}], "min_p": 0.1},
    "max_tokens": 50,
}


def test_no_secret_among_the_settings_is_recorded_and_a_replay_needs_none(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    settings = ModelSettings(name="m", args=SECRET_ARGS)
    ask(recording(chat_server, tmp_path), [HELLO], settings=settings)
    everything = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert "sk-" not in everything
    assert '"min_p": 0.1' in everything
    assert '"max_tokens": 50' in everything
    assert chat_server.requests[0]["api_key"] == "sk-own", "it is sent all the same"
    without = {k: v for k, v in SECRET_ARGS.items() if k not in ("api_key", "extra_headers")}
    assert ask(ReplayModels(tmp_path), [HELLO], settings=ModelSettings(name="m", args=without))


def test_a_recorded_fault_holds_neither_address_nor_secret(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    host = chat_server.url.split("/")[2]
    settings = ModelSettings(name="m", base_url=chat_server.url, args={"api_key": "sk-own"})
    chat_server.answer_with(wire.error(413, f"maximum context length at {host} with sk-own"))
    with pytest.raises(ContextLengthError):
        ask(recording(chat_server, tmp_path), [HELLO], settings=settings)
    chat_server.answer_with(*[wire.error(500, f"{host} is down for sk-own")] * 9)
    with pytest.raises(InfrastructureError, match=host):
        ask(recording(chat_server, tmp_path / "b"), [HELLO], settings=settings)
    everything = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert "maximum context length" in everything
    assert "is down for" in everything
    for hidden in ("127.0.0.1", host, "sk-own"):
        assert hidden not in everything


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
