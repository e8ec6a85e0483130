"""Reading an agent's act from text: ``Thought: ... Action: {...}``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

RESPOND = "respond"

_THOUGHT = re.compile(r"^\s*Thought:", re.MULTILINE)
_ACTION = re.compile(r"^\s*Action:", re.MULTILINE)
_FENCE = re.compile(r"\A```(?:json)?\s*\n(?P<body>.*)\n\s*```\Z", re.DOTALL)


class FormatError(Exception):
    """The text breaks the format; the message is what the model reads."""


@dataclass(frozen=True)
class TextAction:
    """One act read from text.

    Attributes:
        name: The tool, or ``respond``.
        arguments: Its arguments.
        thought: What stands before the action.
    """

    name: str
    arguments: dict[str, Any]
    thought: str = ""

    @property
    def response(self) -> str | None:
        """The text to the user, where the act is ``respond``."""
        return self.arguments["content"] if self.name == RESPOND else None


def read_action(text: str) -> TextAction:
    """Return the act that a text holds.

    The format is read strictly, but for a code fence around the JSON: a guess at what a model
    meant would be scored as if the model had said it.

    Raises:
        FormatError: The text breaks the format, with how.
    """
    if len(_THOUGHT.findall(text)) > 1:
        raise FormatError('"Thought:" stands in the reply more than once; write one step a reply')
    markers = list(_ACTION.finditer(text))
    if len(markers) != 1:
        found = "no" if not markers else "more than one"
        raise FormatError(f'the reply has {found} line that starts with "Action:"')
    before, after = text[: markers[0].start()], text[markers[0].end() :]
    data = _read_object(after.strip())
    thought = _THOUGHT.sub("", before, count=1).strip()
    return TextAction(_read_name(data), _read_arguments(data), thought)


def _read_object(text: str) -> dict[str, Any]:
    if fenced := _FENCE.match(text):
        text = fenced["body"]
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f'after "Action:" there must be one JSON object and nothing else ({error})'
        ) from error
    if not isinstance(data, dict):
        raise FormatError(f'after "Action:" stands a JSON {type(data).__name__}, not an object')
    return data


def _read_name(data: dict[str, Any]) -> str:
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise FormatError('the action has no "name"')
    return name


def _read_arguments(data: dict[str, Any]) -> dict[str, Any]:
    arguments = data.get("arguments", {})
    if not isinstance(arguments, dict):
        raise FormatError('the action\'s "arguments" are no JSON object')
    content = arguments.get("content")
    if data["name"] == RESPOND and not (isinstance(content, str) and content.strip()):
        raise FormatError(f'"{RESPOND}" needs the text for the user as "content"')
    return arguments
