"""A tape whose file cannot be written at times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_taubench.llm.tape import PromptStore, Tape, try_to_write, write_json

SYSTEM = {"role": "system", "content": "The policy."}
HELLO = {"role": "user", "content": "hello"}
REQUEST = {"model": "m", "args": {}, "messages": [SYSTEM, HELLO]}
LONGER = {**REQUEST, "messages": [SYSTEM, HELLO, HELLO]}
REPLY = {"message": {"content": "hi"}}


@pytest.mark.parametrize("in_the_way", ["prompts", "trial-1.json"])
def test_what_was_lost_is_written_with_the_next_call(tmp_path: Path, in_the_way: str) -> None:
    folder = tmp_path / "tapes"
    path = folder / "trial-1.json"
    obstacle = folder / in_the_way
    if in_the_way == "prompts":
        folder.mkdir()
        obstacle.write_text("a file")
    else:
        (obstacle / "here").mkdir(parents=True)
    tape = Tape(path, PromptStore(folder), blank=True)
    tape.add("agent", REQUEST, REPLY)
    assert "directory" in tape.lost.casefold() or "exists" in tape.lost.casefold()
    if in_the_way == "prompts":
        obstacle.unlink()
    else:
        (obstacle / "here").rmdir()
        obstacle.rmdir()
    tape.add("agent", LONGER, REPLY)
    assert tape.lost == ""
    read = Tape(path, PromptStore(folder), blank=False)
    assert read.damage == ""
    assert read.request("agent", 1)["messages"] == [SYSTEM, HELLO]
    assert read.request("agent", 2)["messages"] == [SYSTEM, HELLO, HELLO]


def test_half_a_recording_does_not_stay(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "trial-1.json", PromptStore(tmp_path), blank=True)
    tape.add("agent", {**REQUEST, "messages": [HELLO]}, REPLY)
    (tmp_path / "prompts").write_text("a file")
    tape.add("agent", {**REQUEST, "messages": [HELLO, SYSTEM]}, REPLY)
    assert tape.lost
    assert not (tmp_path / "trial-1.json").exists()


def test_a_file_that_cannot_be_put_in_place_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.json" / "here").mkdir(parents=True)
    with pytest.raises(OSError, match=r"a\.json"):
        write_json(tmp_path / "a.json", {})
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_folder_is_tried_without_a_trace(tmp_path: Path) -> None:
    try_to_write(tmp_path / "new" / "tapes")
    assert list((tmp_path / "new" / "tapes").iterdir()) == []
    (tmp_path / "file").write_text(json.dumps({}))
    with pytest.raises(OSError, match=r"directory|exists"):
        try_to_write(tmp_path / "file")
