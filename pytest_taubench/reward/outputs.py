"""The outputs component: the agent told the user every annotated output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pytest_taubench.schema import Component, OutputMatch
from pytest_taubench.text.tokens import contains, tokenize


def grade_outputs(
    outputs: Sequence[str], texts: Iterable[str | None], match: OutputMatch = "value"
) -> Component:
    """Grade what the agent said to the user.

    Args:
        outputs: The annotated outputs.
        texts: The texts sent to the user; a message without text is None.
        match: ``value`` compares numbers by value and words whole; ``substring`` is the
            paper's rule, a label as part of a text whatever stands around it.

    Returns:
        The component, with ``found`` and ``missing`` outputs; vacuous when there are none.
    """
    said = [text for text in texts if text]
    told = _by_value(said) if match == "value" else _by_substring(said)
    found = [output for output in outputs if told(output)]
    missing = [output for output in outputs if not told(output)]
    return Component(
        name="outputs",
        value=float(not missing),
        detail={"found": found, "missing": missing, "match": match},
        vacuous=not outputs,
    )


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
