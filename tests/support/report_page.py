"""Trials for the page of a run, and what a browser shows of it."""

import time

from record_factory import record

from pytest_taubench.schema import (
    Component,
    Ending,
    ErrorInfo,
    FunctionCall,
    Message,
    RecordChange,
    RunInfo,
    RunSettings,
    ToolCall,
)

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>\u2028"


def trial(task, number, reward, *, text="hello", suite="shop", ending=Ending.USER_STOP):
    return record(
        task,
        number,
        reward,
        suite=suite,
        domain=suite,
        ending=ending,
        steps=2,
        components=[Component(name="outputs", value=reward or 0, detail={"missing": [HOSTILE]})],
        error=ErrorInfo(type="AgentError", message=HOSTILE) if reward is None else None,
        notes=[HOSTILE],
        expected_changes={
            "orders": {
                "#1": RecordChange(before={"status": "pending"}, after={"status": "cancelled"})
            }
        },
        actual_changes={},
        trajectory=[
            Message(role="user", content=text),
            Message(
                role="assistant",
                tool_calls=[
                    ToolCall(id="c", function=FunctionCall(name="look", arguments='{"id": "#1"}'))
                ],
            ),
            Message(role="tool", name="look", tool_call_id="c", content='{"status": "pending"}'),
            Message(role="assistant", content=HOSTILE),
        ],
    )


def info():
    return RunInfo(run_id="r1", started="2026-01-01T00:00:00Z", settings=RunSettings(agent=HOSTILE))


def eventually(condition, seconds=5.0):
    """Wait for what the page does after its event, and say whether it did."""
    deadline = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return met


def shows(driver, count):
    return eventually(lambda: driver.find_element("id", "shown").text == count)


def choose(driver, name, value):
    from selenium.webdriver.support.select import Select

    Select(driver.find_element("id", name)).select_by_value(value)


def texts(page, selector):
    return [found.text for found in page.find_elements("css selector", selector)]


RECORDS = [
    trial("a", 1, 1.0, text="find the blue kettle"),
    trial("a", 2, 0.0),
    trial("b", 1, 0.0, ending=Ending.MAX_STEPS),
    trial("b", 2, None, ending=Ending.MODEL_ERROR),
]


def node(tool, argument):
    return {"task": tool, "arguments": [argument]}
