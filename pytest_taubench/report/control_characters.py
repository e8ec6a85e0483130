"""What agents write, made safe for a terminal."""

from __future__ import annotations


def visible(text: str) -> str:
    """Return the text with control characters spelled out, but for line breaks and tabs.

    An agent's reply may hold escape codes, which would act on the terminal that shows it.
    """
    if text.isprintable():
        return text
    return "".join(
        mark if mark.isprintable() or mark in "\n\t" else mark.encode("unicode_escape").decode()
        for mark in text
    )
