"""What an option is, and how the text given for it becomes a value."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit


class BadValueError(ValueError):
    """A value that an option cannot take; the message says what was expected."""


@dataclass(frozen=True)
class Option:
    """One option and its ini twin.

    Attributes:
        name: Without prefix, e.g. ``agent-model``.
        help: One sentence for ``--help``.
        metavar: What stands for the value in ``--help``.
        kind: ``value``, ``list`` (may be repeated), ``flag``, or ``optional``, which may be given
            without a value and then has an empty one.
        default: The value where neither the command line nor the ini file gives one.
        convert: Makes the value from its text; raises BadValueError.
        has_spaces: Whether a value usually holds spaces, at which pytest splits an ini value.
    """

    name: str
    help: str
    metavar: str = "VALUE"
    kind: Literal["value", "list", "flag", "optional"] = "value"
    default: Any = None
    convert: Callable[[str], Any] = str
    has_spaces: bool = False

    @property
    def flag(self) -> str:
        """The option as typed."""
        return f"--tau-{self.name}"

    @property
    def key(self) -> str:
        """The ini name, which is the attribute of ``config.option`` too."""
        return f"tau_{self.name.replace('-', '_')}"


def whole_number(least: int) -> Callable[[str], int]:
    """Return a converter to integers of at least ``least``."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise BadValueError(f"expected a whole number of at least {least}")
        return number

    return convert


def any_integer(text: str) -> int:
    """Return the text as an integer."""
    try:
        return int(text)
    except ValueError:
        raise BadValueError("expected a whole number") from None


def seconds(text: str) -> float:
    """Return the text as a positive number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (number > 0 and math.isfinite(number)):
        raise BadValueError("expected a positive number of seconds")
    return number


def key_value(text: str) -> tuple[str, Any]:
    """Return ``KEY=VALUE`` as a pair; the value is read as JSON where it is JSON."""
    key, equals, value = text.partition("=")
    if not (equals and key.strip()):
        raise BadValueError("expected KEY=VALUE, e.g. temperature=0")
    try:
        return key.strip(), json.loads(value)
    except ValueError:
        return key.strip(), value


def folder(text: str) -> str:
    """Return the text where it names anything; an empty one would be the root directory."""
    if not text.strip():
        raise BadValueError("expected a folder")
    return text


def url(text: str) -> str:
    """Return the text where it is an http address that run.json may hold."""
    from pytest_taubench.text.secrets import url_holds_secret

    if not (text.startswith(("http://", "https://")) and _has_host(text)):
        raise BadValueError("expected an address that starts with http:// or https://")
    if secret := url_holds_secret(text):
        raise BadValueError(
            f"expected an address without {secret}; keys are read from the environment"
        )
    return text


def agent_spec(text: str) -> str:
    """Return the text; where it is an address, one that records and folder names may hold."""
    return url(text) if _means_address(text) else text


def user_spec(text: str) -> str:
    """Return the text where it is no address; a mistaken one may hold a password."""
    if _means_address(text):
        raise BadValueError("expected a name or module:attribute, and no address")
    return text


def _means_address(text: str) -> bool:
    """Return whether a text is meant as an address, with a mistake in it maybe."""
    from pytest_taubench.text.secrets import hide_in_urls

    return "://" in text or hide_in_urls(text) != text


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
