"""What the things of a call are called."""

from __future__ import annotations

from typing import Any

from pytest_taubench.lint.leaves import leaves
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.lint.words import COMMON, Words


def names_described(text: Words, around: Surroundings, value: str) -> bool:
    """Tell whether a text has a word of what a value, such as an item id, is called."""
    return any(
        text.has([word]) for described in around.described(value) for word in name_words(described)
    )


def name_words(described: Any) -> set[str]:
    """Return the words of what an object is called."""
    return {
        word
        for path, leaf in leaves(described)
        if path and str(path[-1]).endswith("name") and isinstance(leaf, str)
        for word in Words.of(leaf)
        if word not in COMMON
    }


def tool_words(tool: str) -> list[str]:
    """Return the words of a tool's name; the first says what it does."""
    return [word for word in Words.of(tool.replace("_", " ")) if word not in COMMON]
