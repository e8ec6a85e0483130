"""Agents that bring their own SDK, through the proxy: recorded, replayed, counted, attributed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from openai import OpenAI
from small_shop import POLICY, Lines, agent_context, environment, models

from pytest_taubench.agents.loading import adapt_agent
from pytest_taubench.agents.protocol import AgentContext
from pytest_taubench.agents.proxied import proxied
from pytest_taubench.errors import FatalError
from pytest_taubench.llm.provider import ModelProvider
from pytest_taubench.llm.proxy import ChatProxy
from pytest_taubench.llm.recording import RecordingModels, ReplayModels
from pytest_taubench.schema import Ending
from pytest_taubench.trial.episode import Episode


class SdkAgent:
    """An agent as a project has it: its own client, its own settings."""

    def __init__(self, context: AgentContext) -> None:
        self._tools: Any = list(context.tool_schemas)
        self._client = OpenAI(base_url=context.model.base_url, api_key="agents-own-key")

    def step(self, messages: Any) -> Any:
        return self._client.chat.completions.create(
            model="their-model", messages=messages, tools=self._tools, top_p=0.5
        )

    def close(self) -> None:
        self._client.close()


class StreamingAgent(SdkAgent):
    def step(self, messages: Any) -> Any:
        stream = self._client.chat.completions.create(
            model="their-model", messages=messages, tools=self._tools, stream=True
        )
        calls: list[dict[str, Any]] = []
        text = ""
        for chunk in stream:
            delta = chunk.choices[0].delta
            text += delta.content or ""
            calls += [call.model_dump() for call in delta.tool_calls or []]
        return {"content": text, "tool_calls": calls}


@pytest.fixture
def proxy() -> Iterator[ChatProxy]:
    server = ChatProxy()
    yield server
    server.close()


def play(make: type, proxy: ChatProxy, provider: ModelProvider) -> tuple[Episode, Any]:
    async def run() -> tuple[Episode, Any]:
        episode = Episode(environment(), Lines("please cancel #1"), POLICY, 10)
        options = {"models": provider.for_trial("shop/cancel", 1)}
        context = agent_context("http://unused", **options)
        agent = proxied(adapt_agent(make, "own"), proxy).make(context)
        try:
            await episode.run(agent, timeout=20)
        finally:
            usage = agent.usage()
            await agent.close()
        return episode, usage

    return asyncio.run(run())


@pytest.mark.parametrize("make", [SdkAgent, StreamingAgent])
def test_an_sdk_agent_is_served_and_counted(
    chat_server: ChatServer, proxy: ChatProxy, make: type
) -> None:
    chat_server.answer_with(
        wire.tool_calls(("cancel_order", {"order_id": "#1"})), wire.text("Erledigt – ✓")
    )
    episode, usage = play(make, proxy, models(chat_server.url))
    assert episode.ending == Ending.USER_STOP
    assert episode.told == ["Erledigt – ✓"]
    assert set(episode.environment.changes()["orders"]) == {"#1"}
    assert (usage.calls, usage.input_tokens) == (2, 200)


def test_what_the_sdk_sets_is_passed_on_and_nothing_else(
    chat_server: ChatServer, proxy: ChatProxy
) -> None:
    play(SdkAgent, proxy, models(chat_server.url))
    sent = chat_server.requests[0]
    assert (sent["model"], sent["top_p"]) == ("their-model", 0.5)
    assert "temperature" not in sent


def test_an_sdk_agent_is_recorded_and_replayed(
    chat_server: ChatServer, proxy: ChatProxy, tmp_path: Path
) -> None:
    chat_server.answer_with(
        wire.tool_calls(("cancel_order", {"order_id": "#1"})), wire.text("Done.")
    )
    recorded, used = play(SdkAgent, proxy, RecordingModels(models(chat_server.url), tmp_path))
    replayed, used_again = play(SdkAgent, proxy, ReplayModels(tmp_path))
    assert replayed.trajectory == recorded.trajectory
    assert used_again == used
    assert len(chat_server.requests) == 2
    assert "agents-own-key" not in "".join(p.read_text() for p in tmp_path.rglob("*.json"))


def test_an_endpoint_that_is_down_is_no_fault_of_the_agent(
    chat_server: ChatServer, proxy: ChatProxy
) -> None:
    chat_server.behave = lambda messages, tools: wire.server_error()
    episode, _ = play(SdkAgent, proxy, models(chat_server.url))
    assert episode.ending == Ending.MODEL_ERROR
    assert len(chat_server.requests) == 3, "our attempts; the SDK adds none"


def test_a_conversation_too_long_is_named_though_the_sdk_wraps_it(
    chat_server: ChatServer, proxy: ChatProxy
) -> None:
    chat_server.answer_with(wire.context_length())
    episode, _ = play(SdkAgent, proxy, models(chat_server.url))
    assert episode.ending == Ending.CONTEXT_LENGTH


def test_a_refused_key_stops_the_run_though_the_sdk_wraps_it(
    chat_server: ChatServer, proxy: ChatProxy
) -> None:
    chat_server.answer_with(wire.error(401, "bad key"))
    with pytest.raises(FatalError, match="bad key"):
        play(SdkAgent, proxy, models(chat_server.url))


def test_an_unknown_address_at_the_proxy_is_refused(proxy: ChatProxy) -> None:
    trial = proxy.open(models("http://unused"), agent_context("http://unused").model)
    proxy.forget(trial)
    import openai

    client = OpenAI(base_url=trial.url, api_key="k")
    with client, pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])


class RespondingAgent(SdkAgent):
    """Asks the Responses API, which the proxy does not serve."""

    def step(self, messages: Any) -> Any:
        return self._client.responses.create(model="their-model", input="hello").output_text


class SwallowingAgent(RespondingAgent):
    """As a framework that shows the user whatever went wrong."""

    def step(self, messages: Any) -> Any:
        try:
            return super().step(messages)
        except Exception:
            return "Something went wrong."


class FallingBackAgent(RespondingAgent):
    """Asks another API where the first one is not there."""

    def step(self, messages: Any) -> Any:
        try:
            return super().step(messages)
        except Exception:
            return SdkAgent.step(self, messages)


@pytest.mark.parametrize("make", [RespondingAgent, SwallowingAgent])
def test_an_api_that_the_proxy_does_not_serve_is_no_fault_of_the_agent(
    chat_server: ChatServer, proxy: ChatProxy, make: type
) -> None:
    says = "--tau-proxy serves /chat/completions only, and the agent asked for /responses"
    with pytest.raises(FatalError, match=says):
        play(make, proxy, models(chat_server.url))
    assert chat_server.requests == []


def test_an_agent_that_falls_back_to_what_is_served_goes_on(
    chat_server: ChatServer, proxy: ChatProxy
) -> None:
    episode, usage = play(FallingBackAgent, proxy, models(chat_server.url))
    assert (episode.ending, episode.told) == (Ending.USER_STOP, ["ok"])
    assert usage.calls == 1


@pytest.mark.parametrize("name", ["m", None])
def test_the_proxy_lists_the_model_that_was_named(proxy: ChatProxy, name: str | None) -> None:
    settings = agent_context("http://unused").model.model_copy(update={"name": name})
    trial = proxy.open(models("http://unused"), settings)
    with OpenAI(base_url=trial.url, api_key="k") as client:
        assert [model.id for model in client.models.list()] == ([name] if name else [])
    proxy.forget(trial)
