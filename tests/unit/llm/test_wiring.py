"""What the options make of models."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from chat_server import ChatServer

from pytest_taubench.llm.limits import SharedRate
from pytest_taubench.llm.provider import OpenAIModels, Role, models_in
from pytest_taubench.llm.recording import RecordingModels, ReplayModels
from pytest_taubench.llm.wiring import ModelOptions, make_provider
from pytest_taubench.schema import ModelSettings

HELLO = [{"role": "user", "content": "hello"}]


def ask(provider: OpenAIModels | None, url: str, role: Role = "agent") -> str:
    async def run() -> str:
        models = models_in({} if provider is None else {"models": provider})
        model = models.chat_model(role, ModelSettings(name="m", base_url=url))
        try:
            return (await model.complete(HELLO)).text
        finally:
            await model.close()

    return asyncio.run(run())


def test_record_and_replay_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        make_provider(ModelOptions(record=tmp_path, replay=tmp_path))


def test_a_replay_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no folder"):
        make_provider(ModelOptions(replay=tmp_path / "absent"))


def test_a_record_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(ValueError, match="kept is a file"):
        make_provider(ModelOptions(record=tmp_path / "kept"))


def test_each_option_gives_its_provider(tmp_path: Path) -> None:
    assert isinstance(make_provider(ModelOptions()), OpenAIModels)
    assert isinstance(make_provider(ModelOptions(record=tmp_path)), RecordingModels)
    assert isinstance(make_provider(ModelOptions(replay=tmp_path, rpm=1)), ReplayModels)


def test_every_request_takes_a_place_in_the_shared_rate(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    provider = make_provider(ModelOptions(rpm=600, shared=tmp_path))
    began = time.monotonic()
    assert isinstance(provider, OpenAIModels)
    assert [ask(provider, chat_server.url) for _ in range(2)] == ["ok", "ok"]
    now = 0.0
    booked = SharedRate(tmp_path, 600, now=lambda: now).book()
    assert booked >= began + 0.2, "a tenth of a second after each of the two"


def test_without_a_provider_settings_alone_say_where_to_ask(chat_server: ChatServer) -> None:
    assert ask(None, chat_server.url) == "ok"


@pytest.mark.parametrize(
    ("role", "temperature"), [("agent", 0), ("user", 1), ("judge", 0), ("agent-sdk", None)]
)
def test_each_role_has_the_papers_temperature_and_an_sdk_its_own(
    chat_server: ChatServer, role: Role, temperature: float | None
) -> None:
    ask(OpenAIModels(), chat_server.url, role)
    assert chat_server.requests[0].get("temperature") == temperature


def test_a_refused_default_is_remembered_over_the_trials_of_a_process(
    chat_server: ChatServer,
) -> None:
    from chat_server import error

    chat_server.answer_with(error(400, "'temperature' is not supported", param="temperature"))
    provider = OpenAIModels()
    for _ in range(2):
        ask(provider, chat_server.url)
    assert ["temperature" in request for request in chat_server.requests] == [True, False, False]
