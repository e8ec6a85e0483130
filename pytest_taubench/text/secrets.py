"""Keeps keys out of what is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pytest_taubench.schema import ModelSettings, RunSettings

HIDDEN = "(hidden)"
# Any header may hold a key, whatever its name.
_SECRET = re.compile(
    r"key|token|secret|passw|authoriz|credential|cookie|bearer|headers|(^|[-_])auth($|[-_])",
    re.IGNORECASE,
)
# Before what a mistyped address begins with too; without a scheme, where it is plainly a password.
_USER_AND_PASSWORD = re.compile(
    r"(\b[a-z][a-z0-9+.-]{0,40}:/+(?=[^/])|(?<![^\s'\"])//)[^/?#\s]*@",
    re.IGNORECASE,
)
# In two steps, a stretch and the user in it, so that text without any @ is looked at but once.
_WITHOUT_SCHEME = re.compile(r"[^/?#\s\\]++")
_USER = re.compile(r"(?<![^\s'\"])[^/?#\s:\\'\"]+:(?=.)")
_QUERY_VALUE = re.compile(r"([?&][^=&#\s]*+)(=[^&#\s]*+)?")
_NOT_SECRET = re.compile(r"tokens$|^max_", re.IGNORECASE)
# In an address only: what function hosts and signed links call theirs.
_SECRET_IN_QUERY = frozenset({"code", "sig", "signature"})


def without_secrets(settings: RunSettings) -> RunSettings:
    """Return the settings with the values hidden of arguments whose name speaks of a secret."""
    return settings.model_copy(
        update={
            "agent_model": _hidden(settings.agent_model),
            "user_model": _hidden(settings.user_model),
            "judge_model": _hidden(settings.judge_model),
        }
    )


def hide_secrets(values: Any) -> Any:
    """Return JSON-able data with what stands under a name that speaks of a secret hidden."""
    if isinstance(values, Mapping):
        return {name: _shown(str(name), value) for name, value in values.items()}
    if isinstance(values, list):
        return [hide_secrets(value) for value in values]
    return values


def secret_texts(values: Any, *, secret: bool = False) -> Iterator[str]:
    """Yield the texts that hide_secrets hides."""
    if isinstance(values, Mapping):
        for name, value in values.items():
            yield from secret_texts(value, secret=secret or is_secret(str(name)))
    elif isinstance(values, list):
        for value in values:
            yield from secret_texts(value, secret=secret)
    elif secret and isinstance(values, str) and values:
        yield values


def url_holds_secret(url: str) -> str | None:
    """Return what of a secret stands in an address, or None; addresses are written to files."""
    parts = urlsplit(url)
    if "@" in parts.netloc:
        return "user and password"
    if any(_is_secret_in_query(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        return "a key"
    return None


def hide_in_urls(text: str) -> str:
    """Return the text with hidden what addresses in it hold of secrets."""
    text = _USER_AND_PASSWORD.sub(lambda found: f"{found[1] or ''}{HIDDEN}@", text)
    return _QUERY_VALUE.sub(_query_value_hidden, _WITHOUT_SCHEME.sub(_password_hidden, text))


def _password_hidden(found: re.Match[str]) -> str:
    part = found[0]
    at = part.rfind("@")
    user = _USER.search(found.string, found.start(), found.start() + at) if at > 0 else None
    return part if user is None else f"{part[: user.start() - found.start()]}{HIDDEN}{part[at:]}"


def _query_value_hidden(found: re.Match[str]) -> str:
    if found[2] is None or not _is_secret_in_query(found[1].strip("?&=")):
        return found[0]
    return f"{found[1]}={HIDDEN}"


def _is_secret_in_query(name: str) -> bool:
    return is_secret(name) or name.lower() in _SECRET_IN_QUERY


def _hidden(model: ModelSettings) -> ModelSettings:
    return model.model_copy(update={"args": hide_secrets(model.args)})


def _shown(name: str, value: Any) -> Any:
    if not is_secret(name):
        return hide_secrets(value)
    # Which headers there are is no secret.
    return dict.fromkeys(value, HIDDEN) if isinstance(value, Mapping) else HIDDEN


def is_secret(name: str) -> bool:
    """Return whether a name speaks of a secret."""
    return bool(_SECRET.search(name)) and not _NOT_SECRET.search(name)


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
