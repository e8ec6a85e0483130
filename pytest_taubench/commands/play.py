"""``play``: be the agent at the terminal, against the simulated user of a task."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from pytest_taubench.commands.cli import (
    add_json_option,
    exit_statuses,
    print_json,
    print_text,
)
from pytest_taubench.errors import InfrastructureError, TauBenchError
from pytest_taubench.text.names import counted

if TYPE_CHECKING:
    from pytest_taubench.agents.protocol import Agent, AgentContext
    from pytest_taubench.commands.cli import Subparsers
    from pytest_taubench.environment.domain import Domain
    from pytest_taubench.schema import Message, Task, TrialRecord, Usage

_HELP = """You are the agent. Type what you say to the user, or call a tool:
  TOOL {"argument": "value"}
  ?        lists the tools;  ? TOOL describes one
  ?policy  shows the policy
End the input (Ctrl-D) to leave; nothing is graded then."""


class PlayerError(TauBenchError):
    """There is nothing to play; the message says what was expected."""


class Player:
    """A person at the terminal in the agent's place.

    Args:
        context: What an agent may know.
        source: Where lines are read.
        show: Prints a line.

    Attributes:
        left: True once the input has ended.
    """

    def __init__(self, context: AgentContext, source: TextIO, show: Callable[[str], None]) -> None:
        self._policy = context.policy
        self._schemas = {
            each["function"]["name"]: each["function"] for each in context.tool_schemas
        }
        self._source = source
        self._show = show
        self._shown = 0
        self.left = False
        show(_HELP)

    async def step(self, messages: list[dict[str, Any]]) -> Message:
        """Show what is new in the conversation and return what is typed."""
        for message in messages[self._shown :]:
            self.show_message(message)
        self._shown = len(messages) + 1  # what is typed now need not be shown again
        while True:
            # Not in a thread: one that waits for a line would keep Ctrl-C from ending the process.
            line = self._read().strip()
            if line.startswith("?"):
                self._explain(line[1:].strip())
            elif mistake := self._mistake(line):
                self._show(mistake)
            elif line:
                return self._message(line)

    def usage(self) -> Usage | None:
        """Return None: a person uses no model."""
        return None

    async def close(self) -> None:
        """Leave the terminal open."""

    def _read(self) -> str:
        line = self._source.readline()
        if not line:
            self.left = True
            # Who leaves has not failed the task.
            raise InfrastructureError("the input ended before the conversation did", source="user")
        return line

    def _message(self, line: str) -> Message:
        from pytest_taubench.schema import FunctionCall, Message, ToolCall

        name, _, arguments = line.partition(" ")
        if name not in self._schemas or not (arguments.strip().startswith("{") or not arguments):
            return Message(role="assistant", content=line)
        function = FunctionCall(name=name, arguments=arguments.strip() or "{}")
        call = ToolCall(id=f"call_{self._shown}", function=function)
        return Message(role="assistant", tool_calls=[call])

    def _mistake(self, line: str) -> str | None:
        """Return what is wrong with a call that the user would be told as if it were speech."""
        from pytest_taubench.text.names import meant

        name, _, rest = line.partition(" ")
        is_call = rest.strip().startswith("{")
        if name in self._schemas:
            # Words that are tools too, such as "calculate", may begin a sentence.
            if is_call or not rest or "_" not in name:
                return None
            return f'not sent: write the arguments as JSON, {name} {{"argument": "value"}}'
        hint = meant(name, self._schemas)
        if is_call or (hint and not rest and "_" in name):
            return f"not sent: there is no tool {name!r}{hint or '; ? lists the tools'}"
        return None

    def show_message(self, message: dict[str, Any]) -> None:
        """Show what the user or a tool said."""
        if message["role"] == "user":
            self._show(f"user: {message['content']}")
        elif message["role"] == "tool":
            self._show(f"tool: {message['content']}")

    def _explain(self, what: str) -> None:
        if what == "policy":
            self._show(self._policy or "there is no policy")
        elif what in self._schemas:
            self._show(_described(self._schemas[what]))
        else:
            for name, schema in self._schemas.items():
                parameters = ", ".join(schema["parameters"].get("properties", {}))
                self._show(f"  {name}({parameters})")


def register(subparsers: Subparsers) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "play",
        help="be the agent of a task at the terminal",
        epilog=exit_statuses(
            "0 where the reward is 1, 1 where it is 0, 6 where there is none, as the input ended "
            "or something else than you failed, 130 after Ctrl-C"
        ),
    )
    parser.add_argument("task", metavar="FILE::ID", help="e.g. tasks/returns.tau.yaml::bottle")
    parser.add_argument("--user", default="scripted", help="the user simulator (scripted)")
    parser.add_argument(
        "--trial", type=_from_one, default=1, help="the trial, whose seed is its own (1)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the run's seed (0)")
    parser.add_argument("--max-steps", type=_from_one, default=30, help="the step cap (30)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play, print the reward and return the exit status."""
    from pytest_taubench.gates.outcome import EXIT_CANNOT_TELL

    file, _, task_id = args.task.partition("::")
    task, domain = _find(Path(file), task_id)
    screen = sys.stderr if args.json else sys.stdout
    with _interruptible():
        record = asyncio.run(_play(args, task, domain, screen))
    if args.json:
        print_json(record.model_dump(mode="json"))
    else:
        print_text("\n".join(_result(record)))
    if record.reward is None:
        return EXIT_CANNOT_TELL
    return 0 if record.reward == 1 else 1


def _from_one(text: str) -> int:
    number = int(text) if text.strip().isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {text!r}")
    return number


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C raise at once, also while a line is waited for.

    asyncio would put its own handler in the default one's place, which lets the wait go on.
    """

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _find(file: Path, task_id: str) -> tuple[Task, Domain]:
    from pytest_taubench.bundled import suites_root
    from pytest_taubench.environment.domain import DomainLibrary
    from pytest_taubench.task_files import read_task_file
    from pytest_taubench.text.names import meant

    path = next((p for p in (file, suites_root() / file) if p.is_file()), None)
    if path is None:
        raise PlayerError(f"there is no task file {file}")
    domains = DomainLibrary()
    found = read_task_file(path, lambda name, base: domains.get(name, base).tools)
    tasks = {task.id: task for task in found.tasks}
    if task_id not in tasks:
        hint = meant(task_id, tasks, f"it has {', '.join(list(tasks)[:10])}")
        if not task_id:
            raise PlayerError(f"which task of {file}? Write {file}::ID{hint}")
        raise PlayerError(f"{file} has no task {task_id!r}{hint}")
    task = tasks[task_id]
    return task, domains.get(task.domain, path.parent)


async def _play(
    args: argparse.Namespace, task: Task, domain: Domain, screen: TextIO
) -> TrialRecord:
    from pytest_taubench.agents.loading import AgentSource
    from pytest_taubench.schema import Ending, RunSettings
    from pytest_taubench.text.foreign import printable
    from pytest_taubench.trial.tau_trial import GoldStates, TrialSpec, run_trial
    from pytest_taubench.users.loading import load_user

    players: list[Player] = []

    def show(line: str) -> None:
        print(printable(line), file=screen, flush=True)

    def make(context: AgentContext) -> Agent:
        players.append(Player(context, sys.stdin, show))
        return players[-1]

    settings = RunSettings(
        agent="you", user=args.user, seed=args.seed, max_steps=args.max_steps, trials=1
    )
    spec = TrialSpec(
        task=task,
        domain=domain,
        nodeid=f"{args.task}[trial-{args.trial}]",
        suite="play",
        trial=args.trial,
        settings=settings,
    )
    user = load_user(args.user, Path.cwd())
    record = await run_trial(spec, AgentSource("you", make), user, GoldStates())
    for player in players:
        if player.left:  # and has seen the last message, asked for more
            return record.model_copy(update={"ending": Ending.CANCELLED})
        if record.trajectory:
            player.show_message(record.trajectory[-1].model_dump())
    return record


def _described(schema: dict[str, Any]) -> str:
    lines = [f"  {schema['name']}: {schema.get('description', '')}"]
    required = schema["parameters"].get("required", [])
    for name, parameter in schema["parameters"].get("properties", {}).items():
        optional = "" if name in required else ", optional"
        kind = parameter.get("type", "any")
        lines.append(f"    {name} ({kind}{optional}): {parameter.get('description', '')}")
    return "\n".join(lines)


def _result(record: TrialRecord) -> list[str]:
    if record.reward is None:
        reason = record.error.message if record.error else "no reason was recorded"
        return [f"unscored, {record.ending}: {reason}"]
    steps = counted(record.steps, "step")
    lines = [f"reward {record.reward:g}, ended by {record.ending} after {steps}"]
    for component in record.components:
        if component.detail.get("counted", True):
            lines.append(f"  {component.name} {component.value:g}")
            for name in ("wrong", "missing", "unexpected"):
                lines += [f"    {name}: {each}" for each in component.detail.get(name, [])]
    return lines
