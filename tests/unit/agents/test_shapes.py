"""The shapes an agent may have, sync and async, and what is said of anything else."""

import asyncio
import threading

import pytest

from pytest_taubench.agents.loading import adapt_agent
from pytest_taubench.agents.protocol import AgentContext
from pytest_taubench.agents.shapes import AgentShapeError
from pytest_taubench.errors import AgentError, FatalError, InfrastructureError
from pytest_taubench.schema import ModelSettings

MESSAGES = [{"role": "system", "content": "policy"}, {"role": "user", "content": "hello"}]


def context():
    return AgentContext(
        policy="policy",
        tools=[],
        tool_schemas=[{"type": "function"}],
        model=ModelSettings(),
        seed=7,
    )


def reply_of(target):
    async def once():
        agent = adapt_agent(target).make(context())
        try:
            return await agent.step(MESSAGES)
        finally:
            await agent.close()

    return asyncio.run(once())


def function_agent(messages, tools):
    return {"role": "assistant", "content": f"{messages[-1]['content']} {len(tools)}"}


async def async_function_agent(messages, tools):
    return {"role": "assistant", "content": f"{messages[-1]['content']} {len(tools)}"}


class Stepping:
    def __init__(self, context):
        self.context = context

    def step(self, messages):
        return f"{messages[-1]['content']} {len(self.context.tool_schemas)}"


class AsyncStepping(Stepping):
    async def step(self, messages):
        return super().step(messages)


class Responding:
    def __init__(self, context):
        self.context = context

    def respond(self, text):
        return f"{text} {len(self.context.tool_schemas)}"


class AsyncResponding(Responding):
    async def respond(self, text):
        return super().respond(text)


def factory(context):
    return Responding(context)


async def async_factory(context):
    return AsyncStepping(context)


def factory_of_a_function(context):
    return function_agent


@pytest.mark.parametrize(
    "target",
    [
        function_agent,
        async_function_agent,
        Stepping,
        AsyncStepping,
        Responding,
        AsyncResponding,
        factory,
        async_factory,
        factory_of_a_function,
    ],
)
def test_each_shape_is_told_by_its_parameters_and_answers(target):
    assert reply_of(target).content == "hello 1"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (3, "is a int"),
        (Stepping(None), "give the class, not an instance"),
        (lambda: None, "takes 0 required arguments"),
        (lambda a, b, c: None, "takes 3 required arguments"),
    ],
)
def test_any_other_object_is_refused_with_what_was_expected(target, said):
    with pytest.raises(AgentShapeError, match=said) as caught:
        adapt_agent(target, "mine")
    assert "step(messages) or respond(text)" in str(caught.value)


def test_a_factory_that_gives_no_agent_ends_the_run_unless_it_gave_one_before():
    made = iter([object(), Stepping(context()), object()])
    make = adapt_agent(lambda _: next(made), "mine").make

    def step():
        return asyncio.run(make(context()).step(MESSAGES))

    with pytest.raises(FatalError, match="gave a object; expected"):
        step()
    step()
    with pytest.raises(AgentError, match="neither step"):
        step()


def test_an_exception_in_the_agent_keeps_its_traceback():
    def broken(messages, tools):
        raise KeyError("zip")

    with pytest.raises(AgentError, match="KeyError: 'zip'") as caught:
        reply_of(broken)
    assert "in broken" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("name", ["RateLimitError", "APIConnectionError", "InternalServerError"])
def test_an_endpoint_that_fails_under_an_agents_own_sdk_is_no_fault_of_the_agent(name):
    error = type(name, (Exception,), {})

    def limited(messages, tools):
        raise error("busy")

    with pytest.raises(InfrastructureError, match="busy"):
        reply_of(limited)


@pytest.mark.parametrize(("status", "fault"), [(429, InfrastructureError), (400, AgentError)])
def test_the_http_status_decides_where_there_is_one(status, fault):
    class StatusError(Exception):
        status_code = status

    def refused(messages, tools):
        raise StatusError

    with pytest.raises(fault):
        reply_of(refused)


def test_a_sync_agent_lives_in_one_thread_that_is_not_the_loops():
    threads = []

    class Noting:
        def __init__(self, context):
            threads.append(threading.current_thread())

        def step(self, messages):
            threads.append(threading.current_thread())
            return "x"

        def close(self):
            threads.append(threading.current_thread())

    reply_of(Noting)
    assert len(threads) == 3
    assert len(set(threads)) == 1
    assert threads[0] is not threading.main_thread()


def test_a_generator_that_ends_does_not_hang_the_trial():
    answers = iter([])

    def exhausted(messages, tools):
        return next(answers)

    with pytest.raises(AgentError, match="StopIteration"):
        reply_of(exhausted)
