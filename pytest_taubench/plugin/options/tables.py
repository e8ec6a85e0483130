"""The table of the options: names, help, ini twins, and how each text is read."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from pytest_taubench.plugin.options.examples import example_file
from pytest_taubench.plugin.options.option import (
    BadValueError,
    Option,
    agent_spec,
    any_integer,
    folder,
    key_value,
    seconds,
    url,
    user_spec,
    whole_number,
)

DEFAULT_RUN_DIR = ".tau-runs"

if TYPE_CHECKING:
    from pytest_taubench.gates.metric import Gate
    from pytest_taubench.schema import Shard

AGENT_OPTIONS: tuple[Option, ...] = (
    Option(
        "agent",
        "Agent under test: a name, module:attribute, file.py:attribute or URL.",
        "AGENT",
        convert=agent_spec,
    ),
    Option(
        "user",
        "User simulator: a name or module:attribute.",
        "USER",
        default="scripted",
        convert=user_spec,
    ),
    Option("agent-model", "Model of the built-in agents.", "MODEL"),
    Option("user-model", "Model of the built-in users that need one.", "MODEL"),
    Option("base-url", "OpenAI-compatible endpoint of both models.", "URL", convert=url),
    Option(
        "agent-arg",
        "Setting passed to the agent's model, e.g. temperature=0. May be repeated.",
        "KEY=VALUE",
        "list",
        convert=key_value,
    ),
    Option(
        "user-arg",
        "Setting passed to the user's model. May be repeated.",
        "KEY=VALUE",
        "list",
        convert=key_value,
    ),
    Option("trials", "Trials of each task.", "N", default=1, convert=whole_number(1)),
    Option(
        "suite",
        "Collect a bundled suite, or with --tau-data only that suite of the data. May be repeated.",
        "NAME",
        "list",
    ),
    Option("data", "Collect the tasks of an upstream data folder. May be repeated.", "DIR", "list"),
    Option("seed", "Seed of the run.", "N", default=0, convert=any_integer),
    Option(
        "max-steps", "Agent actions a trial may take.", "N", default=30, convert=whole_number(1)
    ),
    Option("timeout", "Seconds a trial may take.", "SECONDS", convert=seconds),
    Option(
        "concurrency",
        "Trials at a time inside one process.",
        "N",
        default=1,
        convert=whole_number(1),
    ),
    Option("no-policy", "Withhold the domain's policy from the agent.", kind="flag", default=False),
    Option(
        "run-dir", "Folder that runs are stored in.", "DIR", default=DEFAULT_RUN_DIR, convert=folder
    ),
    Option("lint", "Lint each task instead of running its trials.", kind="flag", default=False),
    Option(
        "attribute",
        "Model that says whose fault each failed trial was: agent, user or task.",
        "MODEL",
    ),
)

SAMPLE_OPTIONS = (
    Option(
        "shots",
        "Solved samples a model planner is shown before each TaskBench request.",
        "N",
        default=0,
        convert=whole_number(0),
    ),
    Option(
        "demos",
        "File of TaskBench samples to take them from; the bundled ones that are not run by "
        "default. May be repeated.",
        "FILE",
        "list",
    ),
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


_SHARD = re.compile(r"([1-9]\d*)/([1-9]\d*)")


def shard(text: str) -> Shard:
    """Return ``2/8`` as a shard."""
    from pytest_taubench.schema import Shard

    match = _SHARD.fullmatch(text.strip())
    if match is None or int(match[1]) > int(match[2]):
        raise BadValueError("expected NUMBER/OF with a number from 1, e.g. 2/8")
    return Shard(number=int(match[1]), of=int(match[2]))


def gate(text: str) -> Gate:
    """Return a gate's text as a gate."""
    from pytest_taubench.gates.syntax import GateSyntaxError, parse_gate

    try:
        return parse_gate(text)
    except GateSyntaxError as error:
        raise BadValueError(error.reason) from None


def report_name(text: str) -> str:
    """Return the name of a report where its ending says what it is."""
    from pytest_taubench.report.files import SUFFIXES

    if not text.endswith(SUFFIXES):
        raise BadValueError(f"expected a name that ends on {', '.join(SUFFIXES)}")
    return text


def error_rate(text: str) -> float:
    """Return the text as a chance of error."""
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0 < rate < 0.5:
        raise BadValueError("expected a chance of error between 0 and 0.5, e.g. 0.05")
    return rate


RUN_OPTIONS: tuple[Option, ...] = (
    Option(
        "resume",
        "Run only the trials of a stored run that are not scored yet; of the latest run where "
        "none is named.",
        "RUN",
        "optional",
    ),
    Option("shard", "Run one part of the items, e.g. 2/8.", "NUMBER/OF", convert=shard),
    Option(
        "durations",
        "Stored run whose durations balance the shards (default: the latest whole run).",
        "RUN",
    ),
    Option(
        "gate",
        "Let a condition decide the exit status, e.g. 'pass^4 >= 0.6' or 'no regression'. "
        "May be repeated.",
        "GATE",
        "list",
        convert=gate,
        has_spaces=True,
    ),
    Option("baseline", "Stored run to compare with.", "RUN"),
    Option(
        "stop-when-decided",
        "End the run once every gate is decided, whatever the other trials would bring.",
        kind="flag",
        default=False,
    ),
    Option(
        "stop-error",
        "With --tau-stop-when-decided, decide gates on pass^1 by a sequential test with this "
        "chance of error too.",
        "RATE",
        convert=error_rate,
    ),
    Option(
        "report",
        "Write a report of the run: a .html, .md or .json file. May be repeated.",
        "FILE",
        "list",
        convert=report_name,
    ),
)


def all_options() -> tuple[Option, ...]:
    """Return every option of the group."""
    return (*AGENT_OPTIONS, *MODEL_OPTIONS, *SAMPLE_OPTIONS, *RUN_OPTIONS)
