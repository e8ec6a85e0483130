"""Takes secrets out of what a server repeats of them, however it has escaped them."""

from __future__ import annotations

import re
from collections.abc import Iterable

SCRUBBED = "***"


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """Return a text, which may be JSON or JSON quoted in JSON, without the secrets."""
    for secret in secrets:
        text = re.sub("".join(map(_character, secret)), SCRUBBED, text)
    return text


def _character(character: str) -> str:
    """Return a pattern of a character and its escapes; bounded, as a reply may be all backslashes."""
    plain = re.escape(character)
    if not character.isalnum():
        plain = rf"\\{{0,4}}{plain}"
    return rf"(?:{plain}|\\{{1,4}}u(?i:{ord(character):04x}))"
