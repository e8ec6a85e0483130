"""A trial that ends the run: what was said and spent in it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

REFUSED = wire.error(401, "Incorrect API key provided")


@pytest.fixture
def args(chat_server: ChatServer) -> tuple[str, ...]:
    return ("--tau-agent=tool-calling", "--tau-agent-model=m", f"--tau-base-url={chat_server.url}")


def refuses_the_second_turn(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    return REFUSED if messages[-1]["role"] == "tool" else by_role(messages, tools)


def test_what_a_trial_spent_before_it_ended_the_run_is_counted(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], plugin_args: tuple[str, ...]
) -> None:
    chat_server.behave = refuses_the_second_turn
    shop.many_tasks(1)
    result = shop.run(*args, *plugin_args)
    [record] = shop.records()
    assert (record.outcome, record.ending) == ("unscored", "model_error")
    assert record.error is not None
    assert "Incorrect API key provided" in record.error.message
    assert (record.usage["agent"].calls, record.usage["agent"].input_tokens) == (1, 100)
    assert [message.role for message in record.trajectory] == ["user", "assistant", "tool"]
    assert [action.name for action in record.actions] == ["cancel_order"]
    result.stdout.fnmatch_lines(["agent*1*110*"])


def test_a_refused_judge_leaves_the_agents_cost_in_the_record(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        judging = not tools and "statements" in messages[0]["content"]
        return REFUSED if judging else by_role(messages, tools)

    chat_server.behave = behave
    shop.tasks(
        "domain: ../shop\ntasks: [{id: one, instruction: Cancel A1., "
        "reward_basis: [nl_assertions], nl_assertions: [The agent is kind.]}]"
    )
    shop.run(*args, "--tau-judge-model=j")
    [record] = shop.records()
    assert (record.outcome, record.reward, record.ending) == ("unscored", None, "model_error")
    assert record.usage["agent"].calls == 2
