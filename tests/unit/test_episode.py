"""The one loop, on a small shop: who speaks when, what counts as a step, how it ends."""

import asyncio
import json
import time

import pytest

from pytest_taubench import Database, Environment, ToolError, UserTurn, tool
from pytest_taubench.agents.bound_tools import bind_tool
from pytest_taubench.agents.loading import adapt_agent
from pytest_taubench.agents.protocol import AgentContext
from pytest_taubench.episode import HARNESS, Episode
from pytest_taubench.errors import AgentError, InfrastructureError
from pytest_taubench.schema import Ending, ModelSettings
from pytest_taubench.users.loading import adapt_user


@tool(kind="read")
def look(db, order_id: str) -> dict:
    """Look an order up.

    Args:
        order_id: The order.
    """
    record = db.get("orders", order_id)
    if record is None:
        raise ToolError(f"there is no order {order_id}")
    return record


@tool(kind="write")
def cancel(db, order_id: str) -> str:
    """Cancel an order.

    Args:
        order_id: The order.
    """
    db.edit("orders", order_id)["status"] = "cancelled"
    return "cancelled"


@tool(kind="generic", ends_episode=True)
def transfer(db, summary: str) -> str:
    """Hand over to a person.

    Args:
        summary: What the person must know.
    """
    return "transferred"


TOOLS = {t.name: t for t in (look, cancel, transfer)}


class User:
    """Says its lines in turn; the last one stops unless it is told not to."""

    def __init__(self, *lines, stops=True):
        self.lines = list(lines) or ["cancel #1 please"]
        self.stops = stops
        self.heard = []

    async def respond(self, text):
        self.heard.append(text)
        line = self.lines.pop(0) if self.lines else ""
        return UserTurn(line or "go on", stop=self.stops and not line)

    def usage(self):
        return None

    def notes(self):
        return []

    async def close(self):
        pass


def call(name, arguments, call_id="c"):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def calls(*all_calls, text=None):
    return {"role": "assistant", "content": text, "tool_calls": list(all_calls)}


def play(*replies, user=None, max_steps=30, timeout=None):
    """Run an episode in which the agent gives the replies in turn, and then says "done"."""
    queue = list(replies)

    def agent(messages, tools):
        return queue.pop(0) if queue else "done"

    return run(agent, user=user, max_steps=max_steps, timeout=timeout)


def run(target, user=None, max_steps=30, timeout=None, tools=TOOLS):
    environment = Environment(tools, Database({"orders": {"#1": {"status": "pending"}}}))
    episode = Episode(environment, user or User(), "be kind", max_steps)
    context = AgentContext(
        policy="be kind",
        tools=[bind_tool(t, episode.call_tool) for t in tools.values()],
        tool_schemas=environment.tool_schemas(),
        model=ModelSettings(),
        seed=1,
    )

    async def go():
        made = adapt_agent(target).make(context)
        try:
            return await episode.run(made, timeout)
        finally:
            await made.close()

    assert asyncio.run(go()) == episode.ending
    return episode


def roles(episode):
    return [message.role for message in episode.trajectory]


def test_the_user_speaks_first_and_the_policy_is_the_system_message():
    seen = []

    def agent(messages, tools):
        seen.append(messages)
        return "done"

    episode = run(agent)
    assert [m["role"] for m in seen[0]] == ["system", "user"]
    assert seen[0][0]["content"] == "be kind"
    assert roles(episode) == ["user", "assistant", "user"]
    assert episode.user.heard == [None, "done"]


def test_a_tool_call_changes_the_database_and_the_agent_reads_the_answer():
    episode = play(calls(call("cancel", {"order_id": "#1"})))
    assert episode.environment.changes()["orders"]["#1"].after == {"status": "cancelled"}
    assert episode.trajectory[2].content == "cancelled"
    assert (episode.ending, episode.steps) == (Ending.USER_STOP, 2)


def test_several_calls_in_one_message_each_run_in_order_and_count():
    # KNOWN_FAULTS 11
    episode = play(
        calls(
            call("look", {"order_id": "#1"}, "a"),
            call("cancel", {"order_id": "#1"}, "b"),
            call("look", {"order_id": "#1"}, "c"),
        )
    )
    assert [a.name for a in episode.actions] == ["look", "cancel", "look"]
    assert [m.tool_call_id for m in episode.trajectory if m.role == "tool"] == ["a", "b", "c"]
    assert '"cancelled"' in episode.trajectory[4].content
    assert episode.steps == 4


@pytest.mark.parametrize("arguments", ["{order_id: 1}", "[1]", '"#1"', "null"])
def test_arguments_that_are_no_json_object_are_an_error_the_agent_sees(arguments):
    # KNOWN_FAULTS 12
    episode = play(calls(call("cancel", arguments)))
    assert episode.trajectory[2].content.startswith("Error: ")
    assert (episode.actions[0].ok, episode.actions[0].arguments) == (False, None)
    assert episode.ending is Ending.USER_STOP
    assert episode.environment.changes() == {}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("cancle", {"order_id": "#1"}, "'cancel'"),
        ("cancel", {}, "order_id"),
        ("cancel", {"order_id": "#1", "reason": "x"}, "reason"),
    ],
)
def test_an_unknown_tool_a_missing_or_an_extra_argument_is_named_to_the_agent(
    name, arguments, said
):
    # KNOWN_FAULTS 13
    episode = play(calls(call(name, arguments)))
    assert episode.trajectory[2].content.startswith("Error: ")
    assert said in episode.trajectory[2].content
    assert episode.ending is Ending.USER_STOP


@pytest.mark.parametrize("reply", [None, {"content": None}, {"content": "  "}, ""])
def test_a_reply_with_neither_text_nor_call_is_told_to_the_agent_alone(reply):
    # KNOWN_FAULTS 14
    episode = play(reply)
    assert episode.trajectory[2].name == HARNESS
    assert episode.user.heard == [None, "done"]
    assert (episode.ending, episode.steps) == (Ending.USER_STOP, 2)


def test_empty_replies_to_the_cap_end_the_trial_scored():
    # KNOWN_FAULTS 14
    episode = play(*[None] * 9, max_steps=4)
    assert (episode.ending, episode.steps) == (Ending.MAX_STEPS, 4)
    assert episode.ending.scored


def test_text_beside_a_call_is_kept_but_not_sent_to_the_user():
    # KNOWN_FAULTS 15
    episode = play(calls(call("look", {"order_id": "#1"}), text="let me see"))
    assert episode.trajectory[1].content == "let me see"
    assert episode.user.heard == [None, "done"]
    assert episode.told == ["done"]


def test_a_transfer_ends_the_episode_and_the_calls_after_it_do_not_run():
    episode = play(
        calls(call("transfer", {"summary": "s"}), call("cancel", {"order_id": "#1"}, "d"))
    )
    assert episode.ending is Ending.TRANSFER
    assert episode.environment.changes() == {}


def test_a_transfer_that_fails_does_not_end_the_episode():
    # KNOWN_FAULTS 8
    episode = play(calls(call("transfer", {})))
    assert episode.trajectory[2].content.startswith("Error: ")
    assert episode.ending is Ending.USER_STOP


def test_the_users_stop_on_the_last_allowed_step_is_the_users_stop():
    # KNOWN_FAULTS 9
    episode = play(calls(call("cancel", {"order_id": "#1"})), max_steps=2)
    assert (episode.ending, episode.steps) == (Ending.USER_STOP, 2)


def test_a_transfer_on_the_last_allowed_step_is_a_transfer():
    assert play(calls(call("transfer", {"summary": "s"})), max_steps=1).ending is Ending.TRANSFER


def test_the_step_cap_counts_agent_actions_and_cuts_a_message_of_many_calls():
    many = calls(*[call("look", {"order_id": "#1"}, f"c{i}") for i in range(5)])
    episode = play(many, max_steps=3)
    assert (episode.ending, episode.steps, len(episode.actions)) == (Ending.MAX_STEPS, 3, 3)


def test_an_exception_in_the_agent_ends_the_trial_scored_with_its_trajectory():
    def agent(messages, tools):
        raise RuntimeError("boom")

    episode = run(agent)
    assert (episode.ending, episode.ending.scored) == (Ending.AGENT_ERROR, True)
    assert "boom" in episode.error.message
    assert roles(episode) == ["user"]


@tool(kind="read")
def broken_look(db, order_id: str) -> dict:
    """Look an order up.

    Args:
        order_id: The order.
    """
    return 1 / 0


@pytest.mark.parametrize("own_loop", [True, False])
def test_a_broken_tool_is_unscored_even_where_the_agent_swallows_it(own_loop):
    class Swallowing:
        def __init__(self, context):
            [self.look] = context.tools

        def respond(self, text):
            try:
                return self.look("#1")
            except Exception:
                return "never mind"

    def agent(messages, tools):
        return calls(call("broken_look", {"order_id": "#1"}))

    episode = run(Swallowing if own_loop else agent, tools={"broken_look": broken_look})
    assert episode.ending is Ending.ENVIRONMENT_ERROR
    assert not episode.ending.scored
    assert "ZeroDivisionError" in episode.error.message


class BrokenUser(User):
    async def respond(self, text):
        if text is None:
            return UserTurn("hi")
        raise InfrastructureError("no reply", source="user")


class SlowUser(User):
    async def respond(self, text):
        if text is not None:
            await asyncio.sleep(5)
        return UserTurn("hi")


def test_a_broken_simulator_is_unscored():
    assert play(user=BrokenUser()).ending is Ending.USER_ERROR


def test_time_that_runs_out_is_laid_to_who_had_the_turn():
    assert play(user=SlowUser(), timeout=0.05).ending is Ending.USER_ERROR

    def slow(messages, tools):
        time.sleep(0.3)
        return "late"

    episode = run(slow, timeout=0.05)
    assert (episode.ending, episode.ending.scored) == (Ending.AGENT_TIMEOUT, True)
    assert "agent had the turn" in episode.error.message


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


EXITS = [
    SystemExit(7),
    KeyboardInterrupt(),
    GeneratorExit(),
    asyncio.CancelledError(),
    StopIteration(),
    pytest.skip.Exception("not today"),
    pytest.fail.Exception("no"),
    Unprintable(),
]


@pytest.mark.parametrize("error", EXITS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("is_async", [True, False])
def test_what_would_end_a_process_or_a_test_is_an_agents_error_like_any(error, is_async):
    def agent(messages, tools):
        raise error

    async def async_agent(messages, tools):
        raise error

    episode = run(async_agent if is_async else agent)
    assert (episode.ending, episode.ending.scored) == (Ending.AGENT_ERROR, True)
    assert type(error).__name__ in episode.error.message


@pytest.mark.parametrize("error", EXITS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("is_async", [True, False])
def test_what_would_end_a_process_or_a_test_in_a_user_is_unscored(error, is_async):
    class Leaving:
        def __init__(self, context):
            pass

        def respond(self, text):
            raise error

    class AsyncLeaving(Leaving):
        async def respond(self, text):
            raise error

    user = adapt_user(AsyncLeaving if is_async else Leaving).make(None)
    assert play(user=user).ending is Ending.USER_ERROR


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_turn_of_any_user_is_asked_for_again_and_then_unscored(text):
    # KNOWN_FAULTS 23
    class Mute(User):
        async def respond(self, agent_text):
            self.heard.append(agent_text)
            return UserTurn(text)

    episode = play(user=Mute())
    assert (episode.ending, episode.ending.scored) == (Ending.USER_ERROR, False)
    assert episode.user.heard == [None] * 3
    assert episode.trajectory == []


def test_time_that_a_computing_user_takes_is_the_users():
    class Computing(User):
        async def respond(self, text):
            if text is not None:
                time.sleep(0.2)  # never lets the loop go on
            return UserTurn("hi")

    episode = play(user=Computing(), timeout=0.1)
    assert episode.ending is Ending.USER_ERROR
    assert "user had the turn" in episode.error.message


class OwnLoop:
    """An agent with its own tool loop over the bound callables."""

    def __init__(self, context):
        self.tools = {t.__name__: t for t in context.tools}

    def respond(self, text):
        assert '"pending"' in self.tools["look"]("#1")
        return self.tools["cancel"](order_id="#1")


def test_an_agents_own_tool_loop_is_recorded_as_if_the_harness_had_run_it():
    episode = run(OwnLoop)
    assert [(a.name, a.arguments, a.kind) for a in episode.actions] == [
        ("look", {"order_id": "#1"}, "read"),
        ("cancel", {"order_id": "#1"}, "write"),
    ]
    assert roles(episode) == ["user", "assistant", "tool", "assistant", "tool", "assistant", "user"]
    assert (episode.steps, episode.told) == (3, ["cancelled"])


@pytest.mark.parametrize("swallows", [True, False])
def test_an_own_tool_loop_that_never_ends_is_broken_off_at_the_cap(swallows):
    class Endless(OwnLoop):
        def respond(self, text):
            while True:
                try:
                    self.tools["look"](order_id="#1")
                except Exception:
                    if not swallows:
                        raise

    episode = run(Endless, max_steps=4)
    assert (episode.ending, episode.steps, len(episode.actions)) == (Ending.MAX_STEPS, 4, 4)


def test_an_own_loop_that_transfers_ends_there_and_its_last_text_is_not_told():
    class Transferring(OwnLoop):
        def respond(self, text):
            self.tools["transfer"](summary="s")
            return "goodbye"

    episode = run(Transferring)
    assert (episode.ending, episode.told) == (Ending.TRANSFER, [])


def test_bound_tools_look_like_the_functions_they_are():
    import inspect

    bound = bind_tool(cancel, lambda name, arguments: f"{name} {arguments}")
    assert str(inspect.signature(bound)) == "(order_id: str) -> str"
    assert bound.__name__ == "cancel"
    assert "Cancel an order." in bound.__doc__
    assert bound("#1") == "cancel {'order_id': '#1'}"


def test_an_agent_fault_raised_by_a_built_in_agent_is_scored():
    class Refusing:
        async def step(self, messages):
            raise AgentError("no")

    episode = Episode(Environment(TOOLS, Database({"orders": {}})), User(), "", 5)
    assert asyncio.run(episode.run(Refusing())) is Ending.AGENT_ERROR
