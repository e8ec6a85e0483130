"""Half a surrogate pair is text that no file can hold; no trial is lost on account of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

from pytest_taubench.runs.store import read_run

if TYPE_CHECKING:
    from conftest import Shop

CALL = """
import json

def call(arguments):
    function = {{"name": "get_order", "arguments": arguments}}
    return {{"role": "assistant", "content": None, "tool_calls": [
        {{"id": "c\\ud800", "type": "function", "function": function}}]}}

def agent(messages, tools):
    return {reply} if messages[-1]["role"] == "user" else "It is \\udfff done."
"""
LOOP = """
class Agent:
    def __init__(self, context):
        self.get_order = context.tools[0]

    def respond(self, text):
        return self.get_order(order_id="A\\ud800")
"""
RAISES = """
def agent(messages, tools):
    raise ValueError("half a \\ud800 pair")
"""
USER = """
class User:
    def __init__(self, context):
        pass

    def respond(self, text):
        return "Hi \\ud800" if text is None else "Thanks \\udc80. ###STOP###"
"""
TOOL = '''

@tool(kind="write")
def note(db: Overlay) -> str:
    """Note."""
    db.edit("orders", "A1")["note\\ud800"] = "half \\ud800"
    return "noted \\ud800"
'''

AGENTS = {
    "text": "def agent(messages, tools):\n    return 'half a \\ud800 pair'\n",
    "arguments": CALL.format(reply="call(json.dumps({'order_id': 'A\\ud800'}))"),
    "raw arguments": CALL.format(reply='call(\'{"order_id": "A\\ud800"}\')'),
    "name of an argument": CALL.format(reply="call(json.dumps({'\\ud800': 1}))"),
    "broken arguments": CALL.format(reply="call('{\\ud800')"),
    "own loop": LOOP,
    "exception": RAISES,
}


def outputs(shop: Shop) -> tuple[str, ...]:
    return (
        "-vv",
        "--junitxml=junit.xml",
        "--tau-report=out.html",
        "--tau-report=out.json",
        "--tau-report=out.md",
    )


def outcomes_kept(shop: Shop, result: pytest.RunResult) -> list[str]:
    """Return the stored outcomes, when every record and every report can be written and read."""
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    assert "Traceback" not in result.stderr.str()
    for name in ("junit.xml", "out.html", "out.json", "out.md"):
        (shop.path / name).read_text(encoding="utf-8")
    [run] = (shop.path / ".tau-runs").glob("[!.]*")
    _, records, warnings = read_run(run)
    assert warnings == []
    for record in records:
        json.dumps(record.model_dump(mode="json"), ensure_ascii=False).encode("utf-8")
    return [record.outcome for record in records]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
@pytest.mark.parametrize("kind", AGENTS)
def test_no_trial_is_lost_by_what_an_agent_says(shop: Shop, kind: str, workers: str) -> None:
    shop.tasks()
    shop.write("half.py", AGENTS[kind])
    result = shop.run("--tau-agent=half.py", workers, *outputs(shop))
    assert outcomes_kept(shop, result) == ["scored", "scored"]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_no_trial_is_lost_by_what_a_user_or_a_tool_says(shop: Shop, workers: str) -> None:
    shop.tasks()
    shop.write("my_user.py", USER)
    shop.write("shop/tools.py", (shop.path / "shop/tools.py").read_text() + TOOL)
    shop.write("half.py", CALL.format(reply="call('{}')").replace("get_order", "note"))
    result = shop.run("--tau-agent=half.py", workers, *outputs(shop))
    assert outcomes_kept(shop, result) == ["scored", "scored"]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_no_trial_is_lost_by_what_a_model_says(
    shop: Shop, chat_server: ChatServer, workers: str
) -> None:
    def half(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if messages[-1]["role"] == "tool":
            body = wire.text("half a pair: HALF").body.replace(b"HALF", b"\\ud800")
        elif tools:
            call = wire.tool_calls(("get_order", '{"order_id": "HALF"}'))
            body = call.body.replace(b"HALF", b"\\ud800")
        else:
            return by_role(messages, tools)
        return wire.Response(body)

    chat_server.behave = half
    shop.tasks()
    model = ("--tau-agent-model=m", f"--tau-base-url={chat_server.url}", "--tau-record=tape")
    result = shop.run("--tau-agent=tool-calling", *model, workers, *outputs(shop))
    assert outcomes_kept(shop, result) == ["scored", "scored"]


def test_what_an_agent_says_can_be_sent_to_a_model_user_and_to_judges(
    shop: Shop, chat_server: ChatServer
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if "Say whose" in messages[0]["content"]:
            return '{"whose": "agent", "why": "It stammers."}'
        return by_role(messages, tools)

    chat_server.behave = behave
    shop.tasks()
    shop.write("shop/tools.py", (shop.path / "shop/tools.py").read_text() + TOOL)
    shop.write("half.py", CALL.format(reply="call('{}')").replace("get_order", "note"))
    url = f"--tau-base-url={chat_server.url}"
    models = ("--tau-user=llm", "--tau-user-model=u", "--tau-attribute=j", url)
    shop.run("--tau-agent=half.py", *models)
    records = shop.records()
    assert [record.outcome for record in records] == ["scored"] * 2
    for record in records:
        assert record.attribution is not None
        assert record.attribution.model is not None
        assert record.attribution.model.whose == "agent"
