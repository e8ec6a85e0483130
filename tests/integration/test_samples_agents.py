"""What may plan a sample: functions of users, models, and what becomes of bad answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
import rouge_score.rouge_scorer  # noqa: F401  (numpy bears no second import inside a test)
from chat_server import ChatServer
from test_samples_items import NOTE, TALK, plan_of, write_samples

if TYPE_CHECKING:
    from conftest import Shop

ANSWER = json.dumps(plan_of(NOTE))
PLANNERS = {
    "plan(request, tools)": f"def plan(request, tools):\n    return json.loads({ANSWER!r})",
    "text": f"def plan(request, tools):\n    return 'Sure!\\n```json\\n' + {ANSWER!r} + '\\n```'",
    "async": f"async def plan(request, tools):\n    return json.loads({ANSWER!r})",
    "with format": (
        "def plan(request, tools, answer_format):\n"
        f"    assert 'task_nodes' in answer_format\n    return {ANSWER!r}"
    ),
    "conversation": (
        "def plan(messages, tools):\n"
        "    assert [m['role'] for m in messages] == ['system', 'user'] and tools == []\n"
        f"    return {{'role': 'assistant', 'content': {ANSWER!r}}}"
    ),
    "object": (
        "class Planner:\n"
        f"    async def __call__(self, request, tools):\n        return {ANSWER!r}\n"
        "plan = Planner()"
    ),
    "sees tools": (
        "def plan(request, tools):\n"
        "    names = {tool['name'] for tool in tools}\n"
        "    assert len(names) == 40 and request.startswith('Shorten')\n"
        f"    return {ANSWER!r}"
    ),
}


@pytest.mark.parametrize("shape", PLANNERS)
def test_a_function_of_request_and_tools_plans(shop: Shop, shape: str) -> None:
    write_samples(shop, NOTE)
    shop.write("my_planner.py", "import json\n" + PLANNERS[shape])
    shop.run("--tau-agent=my_planner.py:plan", "plans").assert_outcomes(passed=1)
    assert shop.records()[0].agent == "my_planner.py:plan"


def test_a_fixture_may_supply_the_planner(shop: Shop) -> None:
    write_samples(shop, NOTE)
    shop.write(
        "conftest.py",
        "import pytest\n@pytest.fixture\ndef tau_agent():\n"
        f"    def plan(request, tools):\n        return {ANSWER!r}\n    return plan\n",
    )
    shop.run("plans").assert_outcomes(passed=1)


def test_a_planner_cannot_play_a_task_and_a_class_cannot_plan(shop: Shop) -> None:
    shop.tasks()
    write_samples(shop, NOTE)
    shop.write(
        "my_planner.py",
        f"def plan(request, tools):\n    return {ANSWER!r}\n"
        "class Stepper:\n"
        "    def __init__(self, context): pass\n"
        "    def step(self, messages): return 'Cancelled. The total is 7.'\n",
    )
    result = shop.run("--tau-agent=my_planner.py:plan")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["agent 'my_planner.py:plan' is a planner*expected agent(messages*"]
    )
    result = shop.run("--tau-agent=my_planner.py:Stepper")
    result.stdout.fnmatch_lines(["*Stepper' cannot plan TaskBench samples; expected plan(request*"])
    assert {record.kind for record in shop.records()} == {"tau"}


@pytest.mark.parametrize(
    ("body", "ending", "said"),
    [
        ("raise KeyError('zip')", "agent_error", "KeyError: 'zip'"),
        ("return 7", "agent_error", "gave a int; expected a dict with task_nodes, or text"),
        ("import time; time.sleep(20)", "agent_timeout", "no answer within"),
    ],
)
def test_a_fault_of_the_planner_scores_zero(shop: Shop, body: str, ending: str, said: str) -> None:
    write_samples(shop, NOTE)
    shop.write("my_planner.py", f"def plan(request, tools):\n    {body}\n")
    args = ["--tau-timeout=0.5"] if "timeout" in ending else []
    result = shop.run("--tau-agent=my_planner.py:plan", "plans", *args)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{said}*"])
    record = shop.records()[0]
    assert (record.outcome, record.reward, record.ending) == ("scored", 0, ending)
    result.stdout.fnmatch_lines(["1 sample, 1 with a graph scored, 1 without a prediction*"])


NODE = NOTE["task_nodes"][0]
MALFORMED: dict[str, Any] = {
    "answer-empty": "",
    "answer-not-json": "{'task_nodes': [broken",
    "steps-missing": {"task_nodes": [NODE], "task_links": []},
    "steps-empty": plan_of(NOTE, task_steps=[]),
    "steps-not-list": plan_of(NOTE, task_steps=7),
    "step-not-text": plan_of(NOTE, task_steps=["first", 2]),
    "nodes-missing": {"task_steps": ["x"], "task_links": []},
    "nodes-not-list": plan_of(NOTE, task_nodes={"task": "Text Summarizer"}),
    "node-not-object": plan_of(NOTE, task_nodes=["Text Summarizer"]),
    "task-missing": plan_of(NOTE, task_nodes=[{"arguments": ["a long note"]}]),
    "task-not-text": plan_of(NOTE, task_nodes=[{**NODE, "task": 3}]),
    "unknown-tool": plan_of(NOTE, task_nodes=[{**NODE, "task": "Poem Writer"}]),
    "arguments-missing": plan_of(NOTE, task_nodes=[{"task": "Text Summarizer"}]),
    "arguments-not-list": plan_of(NOTE, task_nodes=[{**NODE, "arguments": 5}]),
    "argument-not-text": plan_of(NOTE, task_nodes=[{**NODE, "arguments": [None]}]),
    "argument-empty": plan_of(NOTE, task_nodes=[{**NODE, "arguments": [{}]}]),
    "reference-broken": plan_of(NOTE, task_nodes=[{**NODE, "arguments": ["<node-one>"]}]),
    "reference-out-of-range": plan_of(NOTE, task_nodes=[{**NODE, "arguments": ["<node-7>"]}]),
    "reference-to-itself": plan_of(NOTE, task_nodes=[{**NODE, "arguments": ["<node-0>"]}]),
}


def test_malformed_plans_are_counted_and_named_and_nothing_breaks(shop: Shop) -> None:
    samples = [{**NOTE, "id": kind, "user_request": kind} for kind in MALFORMED]
    write_samples(shop, *samples, TALK)
    shop.write("answers.json", json.dumps({**MALFORMED, TALK["user_request"]: plan_of(TALK)}))
    shop.write(
        "my_planner.py",
        "import json, pathlib\n"
        "ANSWERS = json.loads((pathlib.Path(__file__).parent / 'answers.json').read_text())\n"
        "def plan(request, tools):\n    return ANSWERS[request]\n",
    )
    result = shop.run("--tau-agent=my_planner.py:plan", "plans", "-n2")
    outcomes = result.parseoutcomes()
    records = {record.task_id: record for record in shop.records()}
    assert len(records) == len(MALFORMED) + 1
    assert {record.outcome for record in records.values()} == {"scored"}
    for kind in MALFORMED:
        graph = records[kind].graph
        assert graph is not None
        assert kind in [fault.partition(":")[0] for fault in graph["faults"]], kind
    # Steps are no part of the graph, so that only those plans pass.
    passed = {"steps-missing", "steps-empty", "steps-not-list", "step-not-text", "talk"}
    assert {name for name, record in records.items() if record.reward == 1} == passed
    assert outcomes == {"passed": len(passed), "failed": len(records) - len(passed)}
    named = result.stdout.str().rpartition("faults in predictions: ")[2].splitlines()[0]
    for kind in MALFORMED:
        assert f"{kind} " in named, kind


def planner(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Plans as a chatty model does: prose, then the answer in a fence."""
    sample = TALK if "talk.mp3" in messages[-1]["content"] else NOTE
    return f"Here is the plan.\n```json\n{json.dumps(plan_of(sample), indent=1)}\n```\nDone."


def test_a_model_plans_and_its_use_is_counted(
    shop: Shop, chat_server: ChatServer, plugin_args: tuple[str, ...]
) -> None:
    chat_server.behave = planner
    write_samples(shop, TALK, NOTE)
    args = (f"--tau-base-url={chat_server.url}", "--tau-agent-model=m")
    shop.run("--tau-agent=tool-calling", *args, "plans", *plugin_args).assert_outcomes(passed=2)
    assert {record.usage["agent"].calls for record in shop.records()} == {1}
    assert {request["model"] for request in chat_server.requests} == {"m"}
    assert [len(request["messages"]) for request in chat_server.requests] == [2, 2]


def test_a_url_is_a_planner(shop: Shop, chat_server: ChatServer) -> None:
    chat_server.behave = planner
    write_samples(shop, NOTE)
    shop.run(f"--tau-agent={chat_server.url}", "plans").assert_outcomes(passed=1)


def test_an_endpoint_that_is_down_leaves_the_sample_unscored(
    shop: Shop, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda messages, tools: wire.error(401, "Incorrect API key provided")
    write_samples(shop, TALK, NOTE)
    result = shop.run(f"--tau-agent={chat_server.url}", "plans")
    assert result.ret != 0
    assert [(r.kind, r.outcome, r.reward) for r in shop.records()] == [("graph", "unscored", None)]


def test_shots_are_solved_samples_that_are_not_scored(shop: Shop, chat_server: ChatServer) -> None:
    chat_server.behave = planner
    write_samples(shop, TALK)
    copy = {**TALK, "id": "a copy of the scored one"}
    write_samples(shop, copy, NOTE, name="demos.tau.jsonl")
    args = (f"--tau-base-url={chat_server.url}", "--tau-agent=react", "--tau-demos=demos.tau.jsonl")
    shop.run(*args, "--tau-shots=1", "plans").assert_outcomes(passed=1)
    (request,) = chat_server.requests
    _system, question, answer, last = request["messages"]
    assert question["content"] == NOTE["user_request"]
    assert json.loads(answer["content"]) == plan_of(NOTE)
    assert last["content"] == TALK["user_request"]
    graph = shop.records()[0].graph
    assert graph is not None
    assert graph["demonstrations"] == ["note"]


def test_too_few_demonstrations_end_the_run_with_the_option_to_pass(
    shop: Shop, chat_server: ChatServer
) -> None:
    write_samples(shop, TALK, NOTE)
    write_samples(shop, NOTE, name="demos.tau.jsonl")
    result = shop.run(
        f"--tau-agent={chat_server.url}", "--tau-shots=1", "--tau-demos=demos.tau.jsonl", "plans"
    )
    assert result.ret != 0
    assert chat_server.requests == []
    result.stdout.fnmatch_lines(["*--tau-shots=1: *only 0 of 1*--tau-demos=FILE*"])


def test_the_bundled_samples_are_the_shots_of_ones_own(shop: Shop, chat_server: ChatServer) -> None:
    chat_server.behave = planner
    write_samples(shop, NOTE)
    shop.run(f"--tau-agent={chat_server.url}", "--tau-shots=3", "plans").assert_outcomes(passed=1)
    assert len(chat_server.requests[0]["messages"]) == 2 + 2 * 3


def test_a_file_of_demonstrations_that_is_not_there_is_refused_at_once(shop: Shop) -> None:
    write_samples(shop, NOTE)
    result = shop.run("--tau-agent=oracle", "--tau-shots=1", "--tau-demos=none.tau.jsonl", "plans")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tau-demos: *none.tau.jsonl*"])
