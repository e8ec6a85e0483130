"""The options about models: recording and replaying, limits, the judge, and what agents are given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_taubench.plugin.options import BadValueError, Option, key_value, url, whole_number

if TYPE_CHECKING:
    from pytest_taubench.agents.few_shot import Example


@dataclass(frozen=True)
class ExampleFile:
    """The example conversations of ``--tau-examples``.

    Attributes:
        examples: All of them.
        digest: A digest of what they say, which decides figures where the file's name does not.
    """

    examples: tuple[Example, ...]
    digest: str


def example_file(text: str) -> ExampleFile:
    """Return the examples of a file."""
    from pytest_taubench.agents.few_shot import load_examples
    from pytest_taubench.errors import FatalError
    from pytest_taubench.llm.tape import digest

    try:
        examples = load_examples(Path(text))
    except FatalError as error:
        raise BadValueError(str(error)) from None
    if not examples:
        raise BadValueError("expected a file with some example conversation")
    shown = [[example.user_id, example.text] for example in examples]
    return ExampleFile(tuple(examples), digest(shown))


def dollars(text: str) -> float:
    """Return the text as a positive amount."""
    try:
        amount = float(text.removeprefix("$"))
    except ValueError:
        amount = 0.0
    if not (amount > 0 and math.isfinite(amount)):
        raise BadValueError("expected a positive amount of US dollars, e.g. 2.50")
    return amount


MODEL_OPTIONS: tuple[Option, ...] = (
    Option(
        "user-base-url",
        "OpenAI-compatible endpoint of the models that are not under test, the user's and the "
        "judge's, where it is another than --tau-base-url.",
        "URL",
        convert=url,
    ),
    Option("judge-model", "Model that grades assertions in plain language.", "MODEL"),
    Option(
        "judge-arg",
        "Setting passed to the judge's model. May be repeated.",
        "KEY=VALUE",
        "list",
        convert=key_value,
    ),
    Option(
        "examples",
        "Example conversations of the few-shot agent: a JSON, JSONL or YAML file.",
        "FILE",
        convert=example_file,
    ),
    Option(
        "no-think",
        "Withhold the domain's think tool from the agent.",
        kind="flag",
        default=False,
    ),
    Option("record", "Keep each model reply in a folder, to be replayed from there.", "DIR"),
    Option("replay", "Take model replies from a recorded folder: no network, no key.", "DIR"),
    Option(
        "proxy",
        "Give an agent with an SDK of its own a base URL, in context.model.base_url, through which "
        "its calls are recorded, replayed, limited and counted.",
        kind="flag",
        default=False,
    ),
    Option(
        "rpm",
        "Model requests a minute, over all workers together.",
        "N",
        convert=whole_number(1),
    ),
    Option(
        "max-cost",
        "US dollars that the models of a run may cost, over all workers together.",
        "USD",
        convert=dollars,
    ),
)
