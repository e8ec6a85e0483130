"""Whatever a server or a model sends, reading it ends in a reply or in a named refusal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_taubench.agents.react import FormatError, read_action
from pytest_taubench.llm.recording import packed_reply, unpacked_reply
from pytest_taubench.llm.reply import MalformedReplyError, read_reply
from pytest_taubench.users.judged import read_verdict

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=8,
)
TOOL_CALL = st.fixed_dictionaries(
    {},
    optional={
        "id": ANY_JSON,
        "type": ANY_JSON,
        "function": ANY_JSON
        | st.fixed_dictionaries({}, optional={"name": ANY_JSON, "arguments": ANY_JSON}),
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "content": ANY_JSON,
        "reasoning": ANY_JSON,
        "tool_calls": ANY_JSON | st.lists(ANY_JSON | TOOL_CALL),
    },
)
COMPLETION = st.fixed_dictionaries(
    {"choices": st.lists(ANY_JSON | st.fixed_dictionaries({"message": ANY_JSON | MESSAGE}))},
    optional={
        "id": ANY_JSON,
        "model": ANY_JSON,
        "usage": ANY_JSON
        | st.fixed_dictionaries(
            {"prompt_tokens": ANY_JSON}, optional={"prompt_tokens_details": ANY_JSON}
        ),
    },
)


@given(st.one_of(ANY_TEXT, ANY_JSON.map(json.dumps), COMPLETION.map(json.dumps)))
def test_any_body_is_a_reply_or_malformed(body: str) -> None:
    try:
        reply = read_reply(body, "asked")
    except MalformedReplyError:
        return
    stored = json.dumps(packed_reply(reply), ensure_ascii=False).encode()
    assert unpacked_reply(json.loads(stored)) == reply
    ids = [call.id for call in reply.message.tool_calls or []]
    assert len(set(ids)) == len(ids)


@given(st.one_of(ANY_TEXT, ANY_JSON.map(lambda value: f"Action: {json.dumps(value)}")))
def test_any_text_is_an_act_or_a_format_error(text: str) -> None:
    try:
        action = read_action(text)
    except FormatError:
        return
    assert action.name


@given(st.one_of(ANY_TEXT, ANY_JSON.map(json.dumps)))
def test_any_text_is_a_verdict_or_none(text: str) -> None:
    verdict = read_verdict(text)
    assert verdict is None or isinstance(verdict.ok, bool)


def test_nesting_without_end_is_a_format_error() -> None:
    with pytest.raises(FormatError, match="one JSON object"):
        read_action("Action: " + "[" * 100_000)
    with pytest.raises(MalformedReplyError):
        read_reply('{"a":' * 100_000, "asked")
    assert read_verdict('{"ok":' * 100_000 + "}") is None


def test_half_a_character_is_replaced_so_that_it_can_be_sent_back() -> None:
    body = '{"choices": [{"message": {"content": "caf\\ud83d!", "reasoning": "\\udc00"}}]}'
    message = read_reply(body, "asked").message
    assert message.content == "caf\ufffd!"
    assert message.thought == "\ufffd"
