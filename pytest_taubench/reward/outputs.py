"""The outputs component: the agent told the user every annotated output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pytest_taubench.schema import Component, OutputMatch
from pytest_taubench.text.tokens import Number, contains, tokenize

MOST_GUESSES = 100
"""How many numbers of its own an agent may tell in a trial before they answer nothing."""


def grade_outputs(
    outputs: Sequence[str],
    texts: Iterable[str | None],
    match: OutputMatch = "value",
    *,
    heard: Iterable[str | None] = (),
) -> Component:
    """Grade what the agent said to the user.

    Args:
        outputs: The annotated outputs.
        texts: The texts sent to the user; a message without text is None.
        match: ``value`` compares numbers by value and words whole; ``substring`` is the
            paper's rule, a label as part of a text whatever stands around it.
        heard: The texts of tools and user. Numbers that stand there are no guesses; who tells
            more than ``MOST_GUESSES`` others has told no output that holds a number.

    Returns:
        The component, with ``found`` and ``missing`` outputs, and the number of ``guesses`` where
        they are too many; vacuous when there are no outputs.
    """
    said = [text for text in texts if text]
    told = _by_value(said) if match == "value" else _by_substring(said)
    found = [output for output in outputs if told(output)]
    detail: dict[str, object] = {"match": match}
    if found and (guesses := _guesses(said, heard)) > MOST_GUESSES:
        found = [output for output in found if not _numbers([output])]
        detail["guesses"] = guesses
    missing = [output for output in outputs if output not in found]
    return Component(
        name="outputs",
        value=float(not missing),
        detail={"found": found, "missing": missing, **detail},
        vacuous=not outputs,
    )


def _guesses(said: Iterable[str], heard: Iterable[str | None]) -> int:
    """Return how many distinct numbers an agent told that nobody had told it."""
    numbers = _numbers(said)
    if len(numbers) > MOST_GUESSES:
        numbers -= _numbers(text for text in heard if text)
    return len(numbers)


def _numbers(texts: Iterable[str]) -> set[Number]:
    return {token for text in texts for token in tokenize(text) if isinstance(token, Number)}


def _by_value(texts: Sequence[str]) -> Callable[[str], bool]:
    tokenized = [tokenize(text) for text in texts]

    def told(output: str) -> bool:
        wanted = tokenize(output)
        if not wanted:  # a label of signs only has no words to compare
            return any(output.strip() in text for text in texts)
        return any(contains(tokens, wanted) for tokens in tokenized)

    return told


def _by_substring(texts: Sequence[str]) -> Callable[[str], bool]:
    # The paper's code takes commas off the text alone, so "1,000" could never match.
    plain = [_without_commas(text) for text in texts]
    return lambda output: any(_without_commas(output) in text for text in plain)


def _without_commas(text: str) -> str:
    return text.lower().replace(",", "")
