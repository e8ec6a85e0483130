"""What an agent may return, and what is said when it returns something else."""

import json

import pytest

from pytest_taubench.agents.protocol import read_reply
from pytest_taubench.errors import AgentError

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"id": 1}'}}


class SdkMessage:
    def __init__(self, data):
        self.data = data

    def model_dump(self):
        return self.data


@pytest.mark.parametrize(
    "reply",
    [
        "hi",
        {"role": "assistant", "content": "hi"},
        {"content": "hi"},
        {"content": [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]},
        SdkMessage({"role": "assistant", "content": "hi", "refusal": None}),
        SdkMessage({"choices": [{"message": {"role": "assistant", "content": "hi"}}]}),
    ],
)
def test_text_in_any_form_is_read(reply):
    assert read_reply(reply).content == "hi"


def test_calls_keep_their_order_and_their_arguments_as_sent():
    second = {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{broken"}}
    message = read_reply({"role": "assistant", "content": None, "tool_calls": [CALL, second]})
    assert [call.function.arguments for call in message.tool_calls] == ['{"id": 1}', "{broken"]


def test_arguments_given_as_an_object_become_json():
    call = {"function": {"name": "look", "arguments": {"id": "é"}}}
    [read] = read_reply({"content": None, "tool_calls": [call]}).tool_calls
    assert json.loads(read.function.arguments) == {"id": "é"}
    assert read.id


@pytest.mark.parametrize("reply", [None, {"role": "assistant", "content": None}])
def test_nothing_is_an_empty_reply(reply):
    message = read_reply(reply)
    assert message.content is None
    assert message.tool_calls is None


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (3, "returned a int"),
        (["hi"], "returned a list"),
        ({"role": "user", "content": "hi"}, "role 'user'"),
        ({"text": "hi"}, "neither 'content' nor 'tool_calls'; it has 'text'"),
        ({"content": 3}, "content is a int"),
        ({"content": None, "tool_calls": {"name": "look"}}, "tool_calls is a dict"),
        ({"content": None, "tool_calls": [{"name": "look"}]}, r"tool_calls\[0\] is malformed"),
    ],
)
def test_anything_else_is_the_agents_fault_and_named(reply, said):
    with pytest.raises(AgentError, match=said):
        read_reply(reply)
