"""Parting what a model says from the reasoning that some servers leave in its text.

Servers with a reasoning parser send it in a field of its own; others, among them vLLM and Ollama
as they come, leave ``<think>…</think>`` in the content.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)


def part_reasoning(text: str) -> tuple[str, str]:
    """Return the reasoning and the rest of a text.

    A block that is never closed, as in a reply cut short, goes on to the end. An end without a
    beginning, which the prompts of some models already hold, makes reasoning of all before it.
    """
    thoughts: list[str] = []
    said: list[str] = []
    at, inside = 0, False
    for tag in _TAG.finditer(text):
        part, closes = text[at : tag.start()], bool(tag[1])
        if closes and not inside:
            thoughts, said = [*thoughts, *said, part], []
        else:
            (thoughts if inside else said).append(part)
        inside, at = not closes, tag.end()
    if at == 0:
        return "", text
    (thoughts if inside else said).append(text[at:])
    return _joined(thoughts), _joined(said)


def _joined(parts: list[str]) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())
