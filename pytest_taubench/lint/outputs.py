"""Outputs are what an agent can find out, and not what the user says himself."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_taubench.lint.case import Case
from pytest_taubench.lint.derivation import derivable
from pytest_taubench.lint.finding import Finding
from pytest_taubench.lint.leaves import leaves, numbers
from pytest_taubench.lint.words import Words
from pytest_taubench.reward import grade_outputs

CHECK = "outputs"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ASKING = frozenset(
    [
        "ask",
        "asking",
        "asked",
        "question",
        "tell",
        "told",
        "know",
        "learn",
        "hear",
        "inform",
        "informed",
        "wonder",
        "curious",
        "how",
        "what",
    ]
)
_UNSAID = frozenset(["not", "never", "if", "when", "unless"])


def check_outputs(case: Case) -> Iterable[Finding]:
    """Find outputs that no tool result leads to, that the instruction gives away, or nobody asks for."""
    if case.task.outputs and not _asks(case):
        names = ", ".join(map(repr, case.task.outputs))
        message = f"nothing in the instruction asks for the output {names}"
        yield Finding(CHECK, "warning", message, frozenset({"asked", *case.task.outputs}))
    for output in case.task.outputs:
        subjects = frozenset({output})
        told = grade_outputs([output], [case.task.instruction], case.task.output_match)
        if told.value:
            message = f"the output {output!r} stands in the instruction, so that an echo passes"
            yield Finding(CHECK, "error", message, subjects)
        elif not _found(case, output):
            message = f"no tool result leads to the output {output!r}, as far as one can search"
            yield Finding(CHECK, "for a person", message, subjects)


def _asks(case: Case) -> bool:
    """Tell whether the user wants to be told anything, as far as words show it.

    "You do not know the number" and "if asked" are no questions of the user.
    """
    text = case.text
    return "?" in text.raw or any(
        word in _ASKING and not _is_unsaid(text, place) for place, word in enumerate(text.words)
    )


def _is_unsaid(text: Words, place: int) -> bool:
    """Tell whether a word stands behind a "not" or an "if" of its clause."""
    return any(
        text.words[before] in _UNSAID and text.clause[before] == text.clause[place]
        for before in range(max(0, place - 4), place)
    )


def _found(case: Case, output: str) -> bool:
    known = case.knowledge
    wanted = _as_number(output)
    if wanted is None:
        return _is_told(case, output)
    if derivable(wanted, known.all, ()) == "stands in a tool's result":
        return True
    further = _given(case)
    return (
        derivable(wanted, known.involved, further) is not None
        or _by_calculation(case, wanted)
        or derivable(wanted, known.all, ()) is not None
    )


_LARGEST = 1e15
"""Where floats no longer tell cents apart."""


def _as_number(output: str) -> float | None:
    try:
        number = float(output.strip().lstrip("$").replace(",", ""))
    except ValueError:
        return None
    return number if abs(number) < _LARGEST else None  # "inf" and "1e999" are words here


def _is_told(case: Case, output: str) -> bool:
    phrases = case.phrases(output)
    texts = (leaf for _, leaf in leaves(list(case.knowledge.all)) if isinstance(leaf, str))
    policy = Words(case.domain.policy)
    return policy.has(*phrases) or any(Words(text).has(*phrases) for text in texts)


def _given(case: Case) -> list[float]:
    """The numbers of policy, instruction and gold arguments, and how long lists are."""
    text = f"{case.domain.policy} {' '.join(case.text.words)}"
    sizes = [
        float(len(value))
        for action in case.task.actions
        for value in action.arguments.values()
        if isinstance(value, list)
    ]
    arguments = numbers([action.arguments for action in case.task.actions])
    return [*map(float, _NUMBER.findall(text)), *sizes, *arguments]


def _by_calculation(case: Case, wanted: float) -> bool:
    """A gold action works it out, from numbers each of which is known."""
    known = {round(n, 2) for n in numbers([*case.knowledge.all, _given(case)])}
    known |= {float(size) for size in range(13)}
    for action, result in zip(case.task.actions, case.gold.results, strict=True):
        tool = case.domain.tools.get(action.name)
        if not result.ok or tool is None or tool.kind != "generic":
            continue
        answer = _as_number(str(result.value))
        operands = _NUMBER.findall(str(list(action.arguments.values())))
        if answer is not None and abs(abs(answer) - abs(wanted)) < 0.01:
            return all(round(float(each), 2) in known for each in operands)
    return False
