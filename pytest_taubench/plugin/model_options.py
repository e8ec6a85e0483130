"""The options about models: recording and replaying, limits, the judge, and what agents are given."""

from __future__ import annotations

import math

from pytest_taubench.plugin.examples import example_file
from pytest_taubench.plugin.option import (
    BadValueError,
    Option,
    folder,
    key_value,
    seconds,
    url,
    whole_number,
)


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
    Option(
        "record",
        "Keep each model reply in a folder, to be replayed from there.",
        "DIR",
        convert=folder,
    ),
    Option(
        "replay",
        "Take model replies from a recorded folder: no network, no key.",
        "DIR",
        convert=folder,
    ),
    Option(
        "proxy",
        "Give an agent with an SDK of its own a base URL, in context.model.base_url, through which "
        "its calls are recorded, replayed, limited and counted.",
        kind="flag",
        default=False,
    ),
    Option(
        "request-timeout",
        "Seconds one request to a model may take (default: 300).",
        "SECONDS",
        convert=seconds,
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
