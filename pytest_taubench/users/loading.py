"""From what ``--tau-user`` or a fixture gives to something that makes one user a trial."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_taubench.errors import InfrastructureError, TauBenchError, text_of
from pytest_taubench.foreign_code import ForeignCode
from pytest_taubench.llm.faults import endpoint_fault
from pytest_taubench.object_reference import (
    UnresolvedReferenceError,
    looks_like_reference,
    resolve_reference,
)
from pytest_taubench.schema import Usage
from pytest_taubench.text.names import meant
from pytest_taubench.users.protocol import User, UserContext, UserTurn, split_stop

BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "human": "pytest_taubench.users.human:make_human_user",
        "llm": "pytest_taubench.users.llm:make_llm_user",
        "react": "pytest_taubench.users.react:make_react_user",
        "reflection": "pytest_taubench.users.judged:make_reflection_user",
        "scripted": "pytest_taubench.users.scripted:make_scripted_user",
        "verify": "pytest_taubench.users.judged:make_verify_user",
    }
)
"""Factories of the built-in users, imported when asked for."""

DEFAULT_ATTRIBUTES = ("user", "User", "make_user", "create_user")
EXPECTED = "expected a class or factory of one argument (context) that gives respond(text)"


class UserSpecError(TauBenchError):
    """``--tau-user`` names no user; the message says what was expected."""


@dataclass(frozen=True)
class UserSource:
    """Makes the user of each trial.

    Attributes:
        name: The user's name, for records and the header.
        make: Makes one trial's user.
    """

    name: str
    make: Callable[[UserContext], User]


def load_user(spec: str, rootdir: Path) -> UserSource:
    """Return the user that ``--tau-user`` names.

    Raises:
        UserSpecError: With the nearest built-in name, or what went wrong on import.
    """
    if spec in BUILT_IN:
        return UserSource(spec, _imported(BUILT_IN[spec]))
    try:
        return adapt_user(resolve_reference(spec, rootdir, DEFAULT_ATTRIBUTES), spec)
    except UnresolvedReferenceError as error:
        hint = meant(spec, BUILT_IN, f"built-in users: {', '.join(BUILT_IN)}")
        raise UserSpecError(f"{error}{'' if looks_like_reference(spec) else hint}") from error


def adapt_user(target: object, name: str | None = None) -> UserSource:
    """Return the source of a user given as an object.

    Args:
        target: A factory of one argument, the UserContext. What it gives has ``respond(text)``,
            sync or async, where text is None for the opening and the answer is a UserTurn or
            text that may hold the stop token.
        name: Its name in records.

    Raises:
        UserSpecError: It is no such factory.
    """
    if isinstance(target, UserSource):
        return target
    shown: str = name or getattr(target, "__name__", None) or type(target).__name__
    if not callable(target):
        raise UserSpecError(f"user {shown!r} is a {type(target).__name__}; {EXPECTED}")
    return UserSource(shown, lambda context: OwnUser(shown, target, context))


class OwnUser:
    """A project's own user; whatever it does wrong is a fault of the simulator, unscored."""

    def __init__(self, name: str, make: Callable[[UserContext], Any], context: UserContext) -> None:
        self._name = name
        self._make = make
        self._context = context
        self._user: Any = None
        self._code = ForeignCode(f"user {name}")

    async def respond(self, text: str | None) -> UserTurn:
        """Return the user's turn; see User.respond."""
        try:
            if self._user is None:
                self._user = await self._code.call(self._make, self._context)
            answer = await self._code.call(self._user.respond, text)
        except TauBenchError:
            raise
        except Exception as error:
            if endpoint := endpoint_fault(error, f"the user {self._name}'s model"):
                raise endpoint from error
            raise self._broken(f"raised {text_of(error)}") from error
        if isinstance(answer, UserTurn):
            return answer
        if not isinstance(answer, str):
            raise self._broken(f"gave a {type(answer).__name__}; expected text or a UserTurn")
        return split_stop(answer)

    def usage(self) -> Usage | None:
        """Return the use that the user reports by a ``usage`` method, if any."""
        reported = getattr(self._user, "usage", None)
        value = reported() if callable(reported) else None
        return None if value is None else Usage.model_validate(value, from_attributes=True)

    def notes(self) -> list[str]:
        """Return the user's own notes, if it has any."""
        told = getattr(self._user, "notes", None)
        return list(told()) if callable(told) else []

    async def close(self) -> None:
        """Close the user's own object where it has a ``close``."""
        try:
            if callable(close := getattr(self._user, "close", None)):
                await self._code.call(close)
        finally:
            self._code.close()

    def _broken(self, what: str) -> InfrastructureError:
        return InfrastructureError(f"the user {self._name} {what}", source="user")


def _imported(path: str) -> Callable[[UserContext], User]:
    module, _, attribute = path.partition(":")

    def make(context: UserContext) -> User:
        factory: Callable[[UserContext], User] = getattr(importlib.import_module(module), attribute)
        return factory(context)

    return make
