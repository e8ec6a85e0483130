"""Recording model calls, and replaying them without network or key."""

from __future__ import annotations

import asyncio
import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from pytest_taubench.errors import (
    ContextLengthError,
    EndpointDownError,
    EndpointFailedError,
    EndpointRefusedError,
    InfrastructureError,
    RequestRefusedError,
    TauBenchError,
)
from pytest_taubench.llm.chat import ChatModel, ChatReply
from pytest_taubench.llm.endpoint import Endpoint
from pytest_taubench.llm.provider import ModelProvider, Role, TrialModels
from pytest_taubench.llm.tape import PromptStore, Tape, tape_path
from pytest_taubench.schema import Message, ModelSettings, Usage
from pytest_taubench.text.secrets import HIDDEN, hide_secrets, is_secret, secret_texts
from pytest_taubench.trial_clock import CutOff, cut_off, strike, when_cut_short

_BEHIND_PROXY = "agent-sdk"
_DIFF_LINES = 40
_ADDRESS = re.compile(r"https?://[^\s\"'<>]*[^\s\"'<>.,:;)]")

_FAULTS: Mapping[str, Callable[[str], TauBenchError]] = MappingProxyType(
    {
        "context_length": ContextLengthError,
        "down": EndpointDownError,
        "gave_up": EndpointFailedError,
        "refused": EndpointRefusedError,
        "refused_one": RequestRefusedError,
        "failed": lambda text: InfrastructureError(text, source="model"),
    }
)
"""What a call may have come to in place of a reply; a tape holds what it says under its kind."""


class NoRecordedReplyError(InfrastructureError):
    """A replay was asked something that was not recorded; the message says what differs."""

    def __init__(self, message: str) -> None:
        super().__init__(message, source="model")


class RecordingModels:
    """A provider that records what another provider's models reply.

    Args:
        inner: Gives the models that are really asked.
        folder: Where the recordings go; a trial that is recorded again replaces its file.
    """

    def __init__(self, inner: ModelProvider, folder: Path) -> None:
        self._inner = inner
        self._folder = folder
        self._prompts = PromptStore(folder)
        self._tapes: dict[tuple[str, int], Tape] = {}

    def for_trial(self, task: str, trial: int) -> TrialModels:
        """Return the recorded models of one trial."""
        tape = Tape(tape_path(self._folder, task, trial), self._prompts, blank=True)
        self._tapes[task, trial] = tape
        return _RecordingTrial(self._inner.for_trial(task, trial), tape)

    def take_lost(self, task: str, trial: int) -> str:
        """Forget a trial that is over; return why its recording is not kept, empty where it is."""
        tape = self._tapes.pop((task, trial), None)
        return tape.lost if tape else ""

    def close(self) -> None:
        """Close the inner provider."""
        self._inner.close()


class ReplayModels:
    """A provider whose models reply what was recorded.

    Args:
        folder: Where the recordings are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prompts = PromptStore(folder)

    def for_trial(self, task: str, trial: int) -> TrialModels:
        """Return the replaying models of one trial."""
        return _ReplayTrial(Tape(tape_path(self._folder, task, trial), self._prompts, blank=False))

    def take_lost(self, task: str, trial: int) -> str:
        """Return nothing: nothing is recorded."""
        return ""

    def close(self) -> None:
        """Nothing is held."""


class _RecordingTrial:
    def __init__(self, inner: TrialModels, tape: Tape) -> None:
        self._inner = inner
        self._tape = tape

    def chat_model(self, role: Role, settings: ModelSettings) -> ChatModel:
        return RecordingModel(self._inner.chat_model(role, settings), self._tape, role, settings)


class _ReplayTrial:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def chat_model(self, role: Role, settings: ModelSettings) -> ChatModel:
        return ReplayModel(self._tape, role, settings)


class RecordingModel:
    """A model whose replies, and faults, are put on a tape."""

    def __init__(self, inner: ChatModel, tape: Tape, role: str, settings: ModelSettings) -> None:
        self._inner = inner
        self._tape = tape
        self._role = role
        self._settings = settings

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> ChatReply:
        """Return the inner model's reply; see ChatModel."""
        request = request_of(self._settings, messages, tools)
        try:
            reply = await self._inner.complete(messages, tools)
        except (ContextLengthError, InfrastructureError) as error:
            self._tape.add(self._role, request, {_kind(error): self._said(error)})
            raise
        except asyncio.CancelledError:
            if cut := cut_off():
                self._tape.add(self._role, request, {"cut_off": asdict(cut)})
            raise
        self._tape.add(self._role, request, packed_reply(reply))
        if self._role == _BEHIND_PROXY:
            when_cut_short(self._cut_short)
        return reply

    async def close(self) -> None:
        """Close the inner model."""
        await self._inner.close()

    def _cut_short(self, cut: CutOff, used: bool) -> None:
        """Put down that the limit struck after a reply, before or after the agent had used it."""
        self._tape.amend(self._role, {"cut_off": asdict(cut), "used": used})

    def _said(self, error: Exception) -> str:
        """Return what a fault says without address and secrets: recordings are shared."""
        text = _ADDRESS.sub("(address)", str(error))
        host = urlsplit(Endpoint.of(self._settings).base_url or "").netloc.rpartition("@")[2]
        if host:
            text = text.replace(host, "(address)")
        for secret in secret_texts(self._settings.args):
            text = text.replace(secret, HIDDEN)
        return text


class ReplayModel:
    """A model that replies what is on a tape; the models of one role share its turns."""

    def __init__(self, tape: Tape, role: str, settings: ModelSettings) -> None:
        self._tape = tape
        self._role = role
        self._settings = settings

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> ChatReply:
        """Return the recorded reply; see ChatModel.

        Raises:
            NoRecordedReplyError: This request was not recorded at this turn.
        """
        request = request_of(self._settings, messages, tools)
        if self._tape.damage:
            raise NoRecordedReplyError(self._tape.damage)
        turn, reply = self._tape.play(self._role, request)
        if reply is None:
            if turn == self._tape.turns(self._role) + 1 and (last := self._tape.last(self._role)):
                await self._cut_off(turn, last)
            raise NoRecordedReplyError(self._difference(turn, request))
        for kind in _FAULTS.keys() & reply.keys():
            raise _FAULTS[kind](reply[kind])
        if "cut_off" in reply and not reply.get("used"):
            await self._cut_off(turn, reply)
        try:
            return unpacked_reply(reply)
        except (LookupError, TypeError, ValueError) as error:
            raise self._damaged(turn, error) from error

    async def close(self) -> None:
        """Nothing is held."""

    async def _cut_off(self, turn: int, reply: Mapping[str, Any]) -> None:
        """Let the limit strike where it did; returns where a reply had come that was not used."""
        if "cut_off" not in reply:
            return
        try:
            recorded = CutOff(**reply["cut_off"])
        except TypeError as error:
            raise self._damaged(turn, error) from error
        if not strike(recorded):
            where = f"{self._role} turn {turn} of {self._tape.path}"
            raise NoRecordedReplyError(
                f"no recorded reply for {where}: the trial's limit cut it off; replay it with "
                f"--tau-timeout={recorded.limit:g}"
            )
        if reply.get("used") is not False:
            await asyncio.get_running_loop().create_future()

    def _damaged(self, turn: int, error: Exception) -> NoRecordedReplyError:
        what = type(error).__name__
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        where = f"{self._role} turn {turn} of {self._tape.path}"
        return NoRecordedReplyError(f"the recorded reply of {where} is damaged: {what}")

    def _difference(self, turn: int, request: Mapping[str, Any]) -> str:
        where = f"{self._role} turn {turn} of {self._tape.path}"
        if turn > (count := self._tape.turns(self._role)):
            asked = json.dumps(request["messages"][-1], ensure_ascii=False)
            return f"no recorded reply for {where}, which holds {count} turns; asked was: {asked}"
        recorded = self._tape.request(self._role, turn)
        edited = self._tape.edited(self._role, turn)
        why = "the recording itself was edited" if edited else "the request differs"
        lines = difflib.unified_diff(
            _shown(recorded), _shown(request), "recorded", "asked now", n=1, lineterm=""
        )
        shown = list(lines)[:_DIFF_LINES]
        return "\n".join([f"no recorded reply for {where}: {why}", *shown])


def request_of(
    settings: ModelSettings,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None,
) -> dict[str, Any]:
    """Return what a call asks, without where it is sent or with which key: it serves any."""
    args = {k: hide_secrets(v) for k, v in settings.args.items() if not is_secret(k)}
    request: dict[str, Any] = {"model": settings.name, "args": args}
    request["messages"] = [dict(message) for message in messages]
    if tools:
        request["tools"] = [dict(tool) for tool in tools]
    return request


def _kind(error: Exception) -> str:
    if isinstance(error, ContextLengthError):
        return "context_length"
    if isinstance(error, EndpointDownError):
        return "down"
    if isinstance(error, EndpointRefusedError):
        return "refused"
    if isinstance(error, RequestRefusedError):
        return "refused_one"
    return "gave_up" if isinstance(error, EndpointFailedError) else "failed"


def packed_reply(reply: ChatReply) -> dict[str, Any]:
    """Return a reply as JSON-able data."""
    data = {
        "message": reply.message.model_dump(exclude_none=True, exclude={"role"}),
        "usage": reply.usage.model_dump(exclude_defaults=True) if reply.usage else None,
        "model": reply.model,
        "finish_reason": reply.finish_reason,
    }
    return {name: value for name, value in data.items() if value is not None}


def unpacked_reply(data: Mapping[str, Any]) -> ChatReply:
    """Return the reply that packed_reply made data of."""
    usage = data.get("usage")
    return ChatReply(
        message=Message.model_validate({"role": "assistant", **data["message"]}),
        usage=None if usage is None else Usage.model_validate(usage),
        model=data["model"],
        finish_reason=data.get("finish_reason"),
    )


def _shown(request: Mapping[str, Any]) -> list[str]:
    lines = [f"model: {request.get('model')}", f"args: {json.dumps(request.get('args') or {})}"]
    tools = [json.dumps(tool, ensure_ascii=False) for tool in request.get("tools") or ()]
    lines += [f"tool: {tool}" for tool in tools]
    for message in request["messages"]:
        text = json.dumps(message or {}, ensure_ascii=False, indent=1)
        # Long texts break at their own line ends, so that a diff shows the line that changed.
        lines += text.replace("\\n", "\n").splitlines()
    return lines
