"""What the things of a call are called."""

from __future__ import annotations

import re
from typing import Any

from pytest_taubench.environment.compare import short
from pytest_taubench.lint.evidence import denied
from pytest_taubench.lint.leaves import flat, leaves
from pytest_taubench.lint.siblings import Surroundings
from pytest_taubench.lint.words import COMMON, Words

_LONG = 80
_ID = re.compile(r"#|\d{6,}$|.*[a-z]_\d{3,}$")  # other ids tell people nothing
_TELLING = 4


def names_described(text: Words, around: Surroundings, value: str) -> bool:
    """Tell whether a text has a word of what a value, such as an item id, is called."""
    return any(
        text.has([word]) for described in around.described(value) for word in name_words(described)
    )


def described(value: Any, known: Any, beside: Any = None) -> str:
    """Return a value with what it is called and how it differs from another: ``"L2" (lamp, black)``.

    Args:
        value: The value, e.g. an item id.
        known: What is known of it.
        beside: What is known of the other.
    """
    text = short(value, _LONG)
    return f"{text}{in_words(text, known, beside)}"


def in_words(text: str, known: Any, beside: Any = None) -> str:
    """Return in parentheses what something is called and how it differs, or nothing."""
    mine, other = flat(known), flat(beside)
    of_people = ("first_name", "last_name")
    names = [n for n in mine if n.endswith("name") and not n.endswith(of_people)]
    differing = [name for name in mine if name not in names and mine[name] != other.get(name)]
    telling = [
        leaf
        for name in [*names, *differing]
        for leaf in sorted(mine[name], key=str)
        if isinstance(leaf, str) and name and leaf and leaf not in text and not _ID.match(leaf)
    ]
    return f" ({', '.join(dict.fromkeys(telling[:_TELLING]))})" if telling else ""


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


def verb(tool: str) -> str:
    """Return the first word of a tool's name, which says what it does."""
    return tool.partition("_")[0]


def asked_places(text: Words, tool: str) -> list[int]:
    """Return where a text has a tool's verb, and not only as what is not wanted.

    ``cancel`` stands in ``cancelled`` and ``cancellation`` too, ``exchange`` in ``exchanging``.
    """
    root = verb(tool)
    root = root[:-1] if len(root) > 4 and root[-1] in "ey" else root
    return [
        place
        for place, word in enumerate(text.words)
        if (word == root or (len(root) > 3 and word.startswith(root))) and not denied(text, place)
    ]
