"""--tau-rpm and --tau-max-cost over all workers, and endpoints that can never answer."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import chat_server as wire
import pytest
from chat_server import ChatServer
from test_llm_plugin import by_role

if TYPE_CHECKING:
    from conftest import Shop

SHORT_MINUTE = """
import pytest_taubench.llm.limits as limits
limits._WINDOW = 2.0
"""

LOADED_CLIENT = """
from pytest_taubench.llm.endpoint import Endpoint
Endpoint("http://127.0.0.1:9/v1", None).client()  # which takes seconds on a busy machine
"""

PENNY_A_CALL = """
from types import SimpleNamespace
import genai_prices
PENNY = SimpleNamespace(input_price=0.008, output_price=0.002, total_price=0.01)
genai_prices.calc_price = lambda usage, model, **keys: PENNY
"""


@pytest.fixture(autouse=True)
def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back what a conftest above sets, which in-process runs share with later tests."""
    import genai_prices

    from pytest_taubench.llm import limits as shared_limits

    monkeypatch.setattr(genai_prices, "calc_price", genai_prices.calc_price)
    monkeypatch.setattr(shared_limits, "_WINDOW", shared_limits._WINDOW)


@pytest.fixture
def args(chat_server: ChatServer) -> tuple[str, ...]:
    chat_server.behave = by_role
    return (
        "--tau-agent=tool-calling",
        "--tau-agent-model=m",
        f"--tau-base-url={chat_server.url}",
        "--tau-concurrency=4",
        "-n2",
    )


def test_requests_a_minute_hold_over_all_workers_and_no_trial_is_lost(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    times: list[float] = []

    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        times.append(time.monotonic())
        return by_role(messages, tools)

    chat_server.behave = behave
    shop.write("conftest.py", SHORT_MINUTE)
    shop.many_tasks(6)
    shop.run(*args, "--tau-rpm=4").assert_outcomes(passed=6)
    assert len(times) == 12
    # Four in two seconds are one each half a second; what a request takes on its way to the
    # server may shift it a little.
    gaps = [later - earlier for earlier, later in zip(times, times[4:], strict=False)]
    assert min(gaps) > 1.0
    assert times[3] - times[0] > 1.0, "the first four are spread as well"


def test_waiting_for_the_rate_is_no_time_of_the_agent(shop: Shop, args: tuple[str, ...]) -> None:
    shop.write("conftest.py", SHORT_MINUTE + LOADED_CLIENT)
    shop.many_tasks(4)
    shop.run(*args, "--tau-rpm=1", "--tau-timeout=5").assert_outcomes(passed=4)


def test_no_more_is_spent_than_allowed_by_all_workers_together(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    shop.write("conftest.py", PENNY_A_CALL)
    shop.many_tasks(30)
    result = shop.run(*args, "--tau-max-cost=0.085")
    assert result.ret != 0
    assert len(chat_server.requests) == 8
    result.stdout.fnmatch_lines(["*no trial can succeed: --tau-max-cost: $0.0800 of $0.085*"])
    scored = [record for record in shop.records() if record.outcome == "scored"]
    assert scored, "what was paid for counts"
    assert sum(record.usage["agent"].cost or 0 for record in scored) <= 0.08 + 1e-9
    result.stdout.no_fnmatch_line("*(partial)*")  # each call of a trial that is kept was counted


def test_a_run_within_its_budget_is_a_whole_run(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    shop.write("conftest.py", PENNY_A_CALL)
    shop.many_tasks(4)
    shop.run(*args, "--tau-max-cost=$0.08").assert_outcomes(passed=4)
    assert len(chat_server.requests) == 8


@pytest.mark.parametrize("status", [401, 404])
def test_a_refused_key_or_unknown_model_ends_the_run_of_all_workers(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...], status: int
) -> None:
    chat_server.behave = lambda messages, tools: wire.error(status, "you shall not pass")
    shop.many_tasks(40)
    result = shop.run(*args, "--tau-concurrency=1")
    assert result.ret != 0
    assert len(chat_server.requests) <= 2, "one a worker"
    shown = [line for line in result.outlines if "no trial can succeed" in line]
    assert len(shown) == 1
    assert "you shall not pass" in shown[0]
    assert "check" in shown[0]


def test_trials_that_were_done_when_the_budget_ran_out_are_reported(
    shop: Shop, chat_server: ChatServer, args: tuple[str, ...]
) -> None:
    def behave(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        if "slowly" in messages[1]["content"] and len(messages) == 2:
            time.sleep(1.5)
        return by_role(messages, tools)

    chat_server.behave = behave
    shop.write("conftest.py", PENNY_A_CALL + LOADED_CLIENT)
    tasks = [{"id": f"t{n}", "domain": "../shop", "instruction": "Cancel A1."} for n in range(6)]
    tasks[0]["instruction"] = "Cancel A1 slowly."
    shop.tasks(json.dumps(tasks), "tasks/six.tau.json")
    # The first task's first call is under way while others are played to their end.
    shop.run(*args, "-n0", "--tau-concurrency=2", "--tau-max-cost=0.055")
    outcomes = {record.task_id: record.outcome for record in shop.records()}
    assert outcomes["t0"] == "unscored"
    assert "scored" in outcomes.values()
