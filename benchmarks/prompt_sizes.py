"""Tokens an agent that is a model reads and writes a turn, for the bundled suites.

The tool-calling agent plays each bundled retail and airline task against a server on loopback that
replies as the annotation has it: the gold actions one call a turn, then the outputs in a sentence,
to the scripted user. What is counted are the requests as they were sent, tools included, and the
replies. A turn is one call of the model. Such conversations are short; with ``--recorded`` those of
a real model are counted under the same prompts: a JSON list of objects with OpenAI messages under
``traj``, as tau-bench publishes them.

Needs ``pip install tiktoken``, which fetches its rank files when first used; without a network,
TIKTOKEN_CACHE_DIR may name a folder that holds them (the wheel of litellm carries it as
``litellm/litellm_core_utils/tokenizers``). Run:
``python benchmarks/prompt_sizes.py [--encoding o200k_base] [--recorded airline=FILE]``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_taubench import (
    Domain,
    GoldStates,
    RunSettings,
    Task,
    TrialSpec,
    load_agent,
    load_domain,
    load_user,
    run_trial,
)
from pytest_taubench.agents.oracle import OracleAgent
from pytest_taubench.bundled import suites_root
from pytest_taubench.schema import ModelSettings
from pytest_taubench.task_files import read_task_file

sys.path.append(str(Path(__file__).parent.parent / "tests" / "support"))
from chat_server import ChatServer

DOMAINS = ("retail", "airline")
# Of a message, beside its text: its role and the marks at its ends.
TOKENS_OF_A_MESSAGE = 4

Message = dict[str, Any]
Tokens = Callable[[str], int]


@dataclass(frozen=True)
class Turn:
    """One call of a model: what it was sent, and the message it gave."""

    tools: list[dict[str, Any]]
    messages: list[Message]
    reply: Message


@dataclass(frozen=True)
class TurnSize:
    """Tokens of one turn.

    Attributes:
        sent: All of the request.
        written: The reply.
        prefix: Of the request, system prompt and tools.
        repeated: Of the request, what the turn before sent already; of a first turn, the prefix.
    """

    sent: int
    written: int
    prefix: int
    repeated: int


def tokenizer(name: str) -> Tokens:
    """Return what counts the tokens of a text."""
    try:
        tiktoken = import_module("tiktoken")
    except ImportError:
        sys.exit("counting tokens needs tiktoken: pip install tiktoken")
    encoding = tiktoken.get_encoding(name)
    # Special tokens in a text are text here: nothing is sent to a model.
    return lru_cache(maxsize=None)(lambda text: len(encoding.encode(text, disallowed_special=())))


def bundled_tasks(domain: str) -> list[Task]:
    """Return the tasks of a bundled suite."""
    files = sorted((suites_root() / domain).glob("*.tau.yaml"))
    return [task for file in files for task in read_task_file(file, None).tasks]


def play(task: Task, domain: Domain) -> list[Turn]:
    """Return the turns of a conversation in which the server replies with the annotation."""
    ending = frozenset(name for name, tool in domain.tools.items() if tool.ends_episode)
    calls = [(action.name, action.arguments) for action in task.actions]
    oracle = OracleAgent(calls, task.outputs, ending)
    replies: list[Message] = []

    def reply(messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        replies.append(asyncio.run(oracle.step(messages)).as_openai())
        return replies[-1]

    server = ChatServer(reply)
    try:
        settings = RunSettings(
            agent="tool-calling", agent_model=ModelSettings(name="gold", base_url=server.url)
        )
        spec = TrialSpec(task, domain, f"{domain.name}::{task.id}", domain.name, 1, settings)
        agent, user = load_agent("tool-calling", Path()), load_user("scripted", Path())
        record = asyncio.run(run_trial(spec, agent, user, GoldStates()))
    finally:
        server.close()
    assert record.reward == 1.0, f"{task.id}: {record.ending} {record.error}"
    pairs = zip(server.requests, replies, strict=True)
    return [Turn(sent["tools"], sent["messages"], written) for sent, written in pairs]


def recorded(file: Path, domain: Domain) -> list[list[Turn]]:
    """Return recorded conversations as if they had been held under our prompts."""
    system = {"role": "system", "content": domain.policy}
    tools = [tool.schema() for tool in domain.tools.values()]
    return [
        [
            Turn(tools, [system, *said[:index]], message)
            for index, message in enumerate(said)
            if message["role"] == "assistant"
        ]
        for entry in json.loads(file.read_text(encoding="utf-8"))
        for said in [[each for each in entry["traj"] if each["role"] != "system"]]
    ]


def tokens_written(message: Message, tokens: Tokens) -> int:
    """Return the tokens of a message's text and calls."""
    functions = [call["function"] for call in message.get("tool_calls") or []]
    parts = [part for each in functions for part in (each["name"], each["arguments"])]
    return sum(map(tokens, [message.get("content") or "", *parts]))


def sizes(turns: Sequence[Turn], tokens: Tokens) -> list[TurnSize]:
    """Return the sizes of a conversation's turns."""
    found: list[TurnSize] = []
    for turn in turns:
        history = [TOKENS_OF_A_MESSAGE + tokens_written(each, tokens) for each in turn.messages]
        prefix = history[0] + tokens(json.dumps(turn.tools, ensure_ascii=False))
        found.append(
            TurnSize(
                sent=prefix + sum(history[1:]),
                written=tokens_written(turn.reply, tokens),
                prefix=prefix,
                repeated=found[-1].sent if found else prefix,
            )
        )
    return found


def figures(
    conversations: Sequence[Sequence[Turn]], tokens: Tokens, ratio: float
) -> dict[str, str]:
    """Return what is told of some conversations, as text by the name of the figure."""
    sized = [sizes(turns, tokens) for turns in conversations]
    flat = [size for each in sized for size in each]
    sent, written = [each.sent for each in flat], [each.written for each in flat]
    first = conversations[0][0]
    # What an endpoint's cache sees first must be the same bytes in each turn of each trial.
    prefixes = {json.dumps([e.tools, e.messages[0]]) for turns in conversations for e in turns}
    return {
        "conversations": f"{len(sized)}",
        "turns a conversation, mean": f"{len(flat) / len(sized):.1f}",
        "policy": f"{tokens(first.messages[0]['content']):,}",
        "tools, as the JSON that is sent": f"{tokens(json.dumps(first.tools, ensure_ascii=False)):,}",
        "input a turn, mean": f"{statistics.mean(sent):,.0f}",
        "input a turn, median": f"{statistics.median(sent):,.0f}",
        "output a turn, mean": f"{statistics.mean(written):,.0f}",
        "output a turn, median": f"{statistics.median(written):,.0f}",
        "input's share of tokens": f"{sum(sent) / (sum(sent) + sum(written)):.1%}",
        f"input's share of cost at 1:{ratio:g}": (
            f"{sum(sent) / (sum(sent) + ratio * sum(written)):.1%}"
        ),
        "distinct policy and tool prefixes": f"{len(prefixes)}",
        "policy and tools, of the input": f"{sum(e.prefix for e in flat) / sum(sent):.1%}",
        "sent before, of the input": f"{sum(e.repeated for e in flat) / sum(sent):.1%}",
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoding", default="o200k_base", help="an encoding of tiktoken")
    parser.add_argument("--ratio", type=float, default=4.0, help="price of output to that of input")
    parser.add_argument("--recorded", action="append", default=[], metavar="DOMAIN=FILE")
    options = parser.parse_args()
    tokens = tokenizer(options.encoding)
    columns = {}
    for name in DOMAINS:
        domain = load_domain(name)
        columns[name] = [play(task, domain) for task in bundled_tasks(name)]
    for name, _, file in (each.partition("=") for each in options.recorded):
        columns[f"{name}, recorded"] = recorded(Path(file), load_domain(name))
    told = {name: figures(turns, tokens, options.ratio) for name, turns in columns.items()}
    print(f"tokens by {options.encoding}")
    print(f"{'':34}" + "".join(f"{name:>20}" for name in told))
    for figure in next(iter(told.values())):
        print(f"{figure:34}" + "".join(f"{each[figure]:>20}" for each in told.values()))


if __name__ == "__main__":
    main()
