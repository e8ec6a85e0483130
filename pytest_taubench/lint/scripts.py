"""The script of a task says what its instruction says, of the same user and the same things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_taubench.lint.case import Case
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.identifiers import tokens, unknown_ids
from pytest_taubench.lint.identity import owner, profile
from pytest_taubench.lint.leaves import leaves, shown
from pytest_taubench.lint.words import Words
from pytest_taubench.schema import Script

CHECK = "script"
_IDENTITY = ("email", "zip", "user_id", "name")


def check_script(case: Case) -> Iterable[Finding]:
    """Find what the scripted user says that neither instruction nor database knows."""
    script = case.task.script
    if script is not None:
        yield from _ids(case, script)
        yield from _facts(case, script)


def _ids(case: Case, script: Script) -> Iterator[Finding]:
    told = set(tokens(case.task.instruction))
    known = {step for path, leaf in leaves(list(case.knowledge.all)) for step in (*path, leaf)}
    seen: set[str] = set()
    for path, text in leaves(script.model_dump()):
        for token in tokens(text) if isinstance(text, str) else ():
            if token in told or token in seen:
                continue
            seen.add(token)
            subjects = frozenset({token, token.lstrip("#@"), "script"})
            if unknown_ids(token, case.lookups):
                message = f"{token} in script.{shown(path)} is neither in the instruction nor in the database"
                yield Finding(CHECK, "error", message, subjects)
            elif token in case.lookups.ids and token not in known:
                message = (
                    f"{token} in script.{shown(path)} is not in the instruction, "
                    "and nothing that the user has leads to it"
                )
                yield Finding(CHECK, "for a person", message, subjects)


def _facts(case: Case, script: Script) -> Iterator[Finding]:
    """A fact by which the user is found is that of the task's user, or in the instruction."""
    user_id = owner(case)
    held = {name: {w for v in vs for w in Words.of(v)} for name, vs in _profile(case).items()}
    for name in _IDENTITY if user_id and held else ():
        for value in script.facts.get(name, ()):
            words = Words.of(value)
            if case.text.has(words) or set(words) <= held.get(name, set()):
                continue
            message = f"facts.{name} of the script is {value!r}, which is not what {user_id} has"
            yield Finding(CHECK, "error", message, frozenset({name, value, f"facts.{name}"}))


def _profile(case: Case) -> dict[str, set[str]]:
    user_id = owner(case)
    known = profile(case, user_id)
    names = known.get("first_name", set()) | known.get("last_name", set())
    return {**known, "user_id": {user_id or ""}, "name": names or known.get("name", set())}
