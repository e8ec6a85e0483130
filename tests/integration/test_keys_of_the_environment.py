"""A key of the environment is in nothing that the plugin writes, wherever an agent puts it."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

KEY = "pw/4+7 äé%zQ9"
NAMES = ("SHOP_API_KEY", "SHOP_TOKEN", "CLIENT_SECRET", "DB_PASSWORD")

PLACES = {
    "said": "return KEY",
    "said in base64 after a name": "return base64.b64encode(('me:' + KEY).encode()).decode()",
    "said in a URL": "return 'http://x/?q=' + quote(KEY, safe='')",
    "said as JSON": "return json.dumps({'k': KEY})",
    "raised": "raise ValueError(KEY)",
    "raised with its headers": "raise ValueError({'Authorization': 'Bearer ' + KEY})",
    "raised from another": "raise ValueError('x') from KeyError(KEY)",
    "noted on an exception": "e = ValueError('x'); e.add_note(KEY); raise e",
    "an argument": "return call('get_order', {'order_id': KEY})",
    "an argument's name": "return call('get_order', {KEY: 'A1'})",
    "a tool's name": "return call(KEY, {})",
    "an argument in a list": "return call('get_order', {'order_id': [[KEY]]})",
    "a call's id": "return call('get_order', {'order_id': 'A1'}, KEY)",
    "broken arguments": "return call('get_order', '{' + KEY)",
    "printed": "print(KEY); raise ValueError(KEY)",
    "printed to stderr": "print(KEY, file=sys.stderr); raise ValueError(KEY)",
    "logged": "logging.warning(KEY); raise ValueError(KEY)",
    "a role": "return {'role': KEY, 'content': 'x'}",
    "a wrong field": "return {KEY: 'x'}",
}

AGENT = """
import base64, json, logging, os, sys
from urllib.parse import quote
KEY = os.environ["{name}"]

def call(name, arguments, id="c1"):
    return {{"role": "assistant", "content": None, "tool_calls": [{{"id": id, "type": "function",
        "function": {{"name": name, "arguments": arguments if isinstance(arguments, str)
        else json.dumps(arguments)}}}}]}}

def agent(messages, tools):
    {body}
"""


def forms():
    text = base64.b64encode(("me:" + KEY).encode()).decode()
    return (KEY, quote(KEY, safe=""), text, *(KEY.encode("unicode_escape").decode(),))


@pytest.mark.parametrize("place", PLACES)
def test_a_key_is_in_no_file_of_the_run_and_not_on_the_terminal(shop, monkeypatch, place):
    name = NAMES[list(PLACES).index(place) % len(NAMES)]
    monkeypatch.setenv(name, KEY)
    shop.tasks()
    shop.write("secret_agent.py", AGENT.format(name=name, body=PLACES[place]))
    result = shop.run(
        "--tau-agent=secret_agent.py:agent",
        "--tau-max-steps=2",
        *("--tau-report=r.html", "--tau-report=r.md", "--tau-report=r.json"),
        *("--junitxml=junit.xml", "-vv", "--showlocals", "-k", "cancel-a1"),
    )
    files = [path for path in shop.path.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    written = {path.name: path.read_text("utf-8", "replace") for path in files}
    written["terminal"] = result.stdout.str() + result.stderr.str()
    assert {"trials.jsonl", "junit.xml", "r.html", "r.md", "r.json"} <= written.keys()
    for form in forms():
        assert [name for name, text in written.items() if form in text] == []
    assert "***" in written["trials.jsonl"]


def test_a_password_that_is_a_word_of_the_record_breaks_none(shop, monkeypatch):
    monkeypatch.setenv("DB_PASSWORD", "assistant")
    monkeypatch.setenv("APP_SECRET", "database")
    shop.tasks()
    shop.run("--tau-agent=my_agent.py").assert_outcomes(passed=2)
    assert [r.reward for r in shop.records()] == [1, 1]
    assert {"database"} <= {each.name for r in shop.records() for each in r.components}
