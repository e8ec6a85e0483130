"""The file of one trial's model calls: readable, small, and stable in diffs.

``<folder>/<task>/trial-<n>.json`` lists the calls of each role in order. Each holds what its
request added to the one before, a digest of the whole request, and the reply, or what came in
its place: a fault, or the trial's time limit (``cut_off``). System prompts
and tool lists, the same in every turn of every trial, lie once in ``<folder>/prompts/``. Keys,
headers and addresses never get here: a tape sees messages, not HTTP.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

FORMAT = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def digest(value: Any) -> str:
    """Return a short digest of JSON-able data, independent of key order and process."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def tape_path(folder: Path, task: str, trial: int) -> Path:
    """Return the file of one trial; any task name gives a valid path of its own."""
    parts = [_safe(part) for part in task.split("/") if part]
    return folder.joinpath(*(parts or ["task"])) / f"trial-{trial}.json"


class PromptStore:
    """Long texts that many calls share, each kept once under its digest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "prompts"
        self._known: dict[str, Any] = {}
        self._unwritten: dict[str, Any] = {}

    def put(self, value: Any) -> str:
        """Keep a value, to be written with the next tape, and return its digest."""
        name = digest(value)
        if name not in self._known:
            self._known[name] = self._unwritten[name] = value
        return name

    def write(self) -> None:
        """Write the values whose files are not there yet.

        Raises:
            OSError: One cannot be written; it is tried again the next time.
        """
        for name, value in list(self._unwritten.items()):
            write_json(self._folder / f"{name}.json", value)
            self._unwritten.pop(name, None)

    def get(self, name: str) -> Any:
        """Return the value of a digest, or None where its file is missing or damaged."""
        if name not in self._known:
            path = self._folder / f"{name}.json"
            if not path.is_file():
                return None
            try:
                self._known[name] = json.loads(path.read_text(encoding="utf-8"))
            except (ValueError, RecursionError):
                return None
        return self._known[name]


class Tape:
    """The calls of one trial, by role.

    Args:
        path: The file; read at once where it exists, unless ``blank``.
        prompts: Where shared texts lie.
        blank: True to start anew, whatever the file holds.
    """

    def __init__(self, path: Path, prompts: PromptStore, *, blank: bool) -> None:
        self.path = path
        self._prompts = prompts
        self._calls: dict[str, list[dict[str, Any]]] = {}
        self._last: dict[str, list[dict[str, Any]]] = {}
        self._asked: Counter[str] = Counter()
        self._used: set[tuple[str, int]] = set()
        self.damage = ""
        """What is wrong with the file; empty where nothing is."""
        self.lost = ""
        """Why what was put down could not be written; empty where the file holds all of it."""
        if not blank:
            self._read()

    def add(self, role: str, request: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        """Put down one call and write the file, so that a crash loses none; see ``lost``."""
        self._calls.setdefault(role, []).append(
            {"turn": self.turns(role) + 1, "asked": self._packed(role, request), "reply": reply}
        )
        self._last[role] = list(request["messages"])
        self._write()

    def amend(self, role: str, more: Mapping[str, Any]) -> None:
        """Add to the reply of a role's last call what came of it, and write the file."""
        last = self._calls[role][-1]
        last["reply"] = {**last["reply"], **more}
        self._write()

    def last(self, role: str) -> Mapping[str, Any] | None:
        """Return the reply of a role's last call, or None where it made none."""
        calls = self._calls.get(role)
        return calls[-1]["reply"] if calls else None

    def _write(self) -> None:
        # Roles in alphabetical order: which of them spoke first is no difference.
        calls = {name: self._calls[name] for name in sorted(self._calls)}
        try:
            self._prompts.write()
            write_json(self.path, {"format": FORMAT, "calls": calls})
        except OSError as error:
            # Nothing of the trial depends on it, whose reply was paid for. The next call tries anew.
            self.lost = error.strerror or str(error)
            # The first half of a recording, or an older one, is not to be replayed in its place.
            with suppress(OSError):
                self.path.unlink()
        else:
            self.lost = ""

    def turns(self, role: str) -> int:
        """Return how many calls of a role are on the tape."""
        return len(self._calls.get(role, ()))

    def play(self, role: str, request: Mapping[str, Any]) -> tuple[int, Mapping[str, Any] | None]:
        """Return the turn of a role's next call, and the reply that was recorded for its request.

        It is the first unused one whose request was the same. In most trials that is the one
        of the same turn; calls made at the same time may come in another order than they did.
        """
        self._asked[role] += 1
        turn, wanted = self._asked[role], digest(request)
        for index, call in enumerate(self._calls.get(role, ())):
            if (role, index) not in self._used and call["asked"]["digest"] == wanted:
                self._used.add((role, index))
                reply: Mapping[str, Any] = call["reply"]
                return turn, reply
        return turn, None

    def edited(self, role: str, turn: int) -> bool:
        """Return whether a call's request is no longer the one that was recorded."""
        asked = self._calls[role][turn - 1]["asked"]
        request = {"model": None, "args": {}} | self.request(role, turn)
        return bool(digest(request) != asked["digest"])

    def request(self, role: str, turn: int) -> dict[str, Any]:
        """Return the whole request of a call on the tape, put together from its parts."""
        messages: list[Any] = []
        asked: dict[str, Any] = {}
        for call in self._calls[role][:turn]:
            asked = call["asked"]
            messages = messages[: asked["keeps"]] + [self._unpacked(m) for m in asked["adds"]]
        whole: dict[str, Any] = {k: asked[k] for k in ("model", "args") if k in asked}
        whole["messages"] = messages
        if "tools" in asked:
            whole["tools"] = self._prompts.get(asked["tools"])
        return whole

    def _read(self) -> None:
        if not self.path.is_file():
            self.damage = f"there is no recording {self.path}"
            return
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            self.damage = f"the recording {self.path} is damaged: {error}"
            return
        if not _is_tape(data):
            self.damage = f"{self.path} is no recording of format {FORMAT}"
            return
        self._calls = data["calls"]

    def _packed(self, role: str, request: Mapping[str, Any]) -> dict[str, Any]:
        messages = list(request["messages"])
        keeps = _common(self._last.get(role, []), messages)
        packed = {k: request[k] for k in ("model", "args") if request.get(k)}
        if request.get("tools"):
            packed["tools"] = self._prompts.put(request["tools"])
        adds = [self._pack(message) for message in messages[keeps:]]
        return {"digest": digest(request), **packed, "keeps": keeps, "adds": adds}

    def _pack(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        if message["role"] == "system":
            return {"prompt": self._prompts.put(message)}
        return message

    def _unpacked(self, message: Mapping[str, Any]) -> Any:
        return self._prompts.get(message["prompt"]) if "prompt" in message else message


def write_json(path: Path, value: Any) -> None:
    """Write a file whole or not at all, though several processes may write the same one."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    part = _written_beside(path, text)
    try:
        part.chmod(0o644)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def try_to_write(folder: Path) -> None:
    """Raise OSError where nothing can be written in a folder, which is made if need be."""
    _written_beside(folder / "trial", "A trial.").unlink()


def _written_beside(path: Path, text: str) -> Path:
    """Write a text to a new file in the folder of ``path``, and return that file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except (OSError, ValueError):
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _is_tape(data: Any) -> bool:
    calls = data.get("calls") if isinstance(data, dict) and data.get("format") == FORMAT else None
    return isinstance(calls, dict) and all(
        isinstance(listed, list) and all(_is_call(call) for call in listed)
        for listed in calls.values()
    )


def _is_call(call: Any) -> bool:
    if not isinstance(call, dict) or not isinstance(call.get("reply"), dict):
        return False
    asked = call.get("asked")
    return (
        isinstance(asked, dict)
        and isinstance(asked.get("digest"), str)
        and isinstance(asked.get("keeps"), int)
        and isinstance(asked.get("adds"), list)
        and all(isinstance(message, dict) for message in asked["adds"])
    )


def _common(before: Sequence[Any], now: Sequence[Any]) -> int:
    count = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        count += 1
    return count


def _safe(part: str) -> str:
    safe = _UNSAFE.sub("_", part).strip(".")[:80]
    # A digest where something was changed, so that "a/b" and "a_b" keep files of their own.
    return safe if safe == part else f"{safe or 'task'}-{digest(part)[:8]}"
