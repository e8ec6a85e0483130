"""The page of a run fits the window, opens soon, and can be read."""

import json
import time

import pytest
from report_page import RECORDS, eventually, info, node, shows, trial

from pytest_taubench.metrics.comparison import Baseline
from pytest_taubench.schema import (
    ErrorInfo,
    FunctionCall,
    Message,
    RecordChange,
    ToolCall,
)


@pytest.mark.parametrize("width", [400, 1200])
def test_nothing_an_agent_writes_makes_the_page_wider_than_the_window(page, width):
    endless = "x" * 5000
    record = trial("endless", 1, None, text=endless).model_copy(
        update={
            "notes": [endless],
            "error": ErrorInfo(type="AgentError", message=endless, traceback=endless),
            "actual_changes": {"orders": {endless: RecordChange(before=None, after=endless)}},
        }
    )
    many = [trial("often", number, 1.0) for number in range(1, 33)]
    counts = {"n_tools": 1, "answered": False}
    graph = {
        "request": endless,
        "counts": counts,
        "faults": [],
        "gold": {"task_nodes": [node(endless, endless)]},
    }
    plan = trial("plan", 1, 0.0).model_copy(update={"kind": "graph", "graph": graph})
    driver = page([record, plan, *many], Baseline(endless, many, info()))
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    for card in driver.find_elements("css selector", "details.trial")[:2]:
        card.find_element("css selector", "summary").click()
    driver.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert eventually(lambda: "conversation" in driver.find_element("id", "trials").text)
    widest = driver.execute_script("return document.documentElement.scrollWidth")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert widest <= width


def conversation(turns):
    """Return a conversation as long as those of a real run: calls, and answers of a kilobyte."""
    order = json.dumps({"order_id": "#W1", "items": [{"name": "Kettle", "price": 54.04}] * 25})
    messages = [Message(role="user", content="I would like to return my kettle. " * 5)]
    for turn in range(turns):
        function = FunctionCall(name="get_order_details", arguments='{"order_id": "#W1"}')
        call = ToolCall(id=f"c{turn}", function=function)
        messages += [
            Message(role="assistant", tool_calls=[call]),
            Message(role="tool", name="get_order_details", tool_call_id=call.id, content=order),
            Message(role="assistant", content="I found your order. Is that the one? " * 8),
            Message(role="user", content="Yes, that is the one, please go on. " * 4),
        ]
    return messages


def test_a_thousand_trials_open_in_under_three_seconds(page):
    talk = conversation(12)
    records = [
        trial(f"t{task}", number, float(task % 3 == 0)).model_copy(update={"trajectory": talk})
        for task in range(250)
        for number in range(1, 5)
    ]
    start = time.perf_counter()
    driver = page(records)
    assert shows(driver, "1000 of 1000")
    elapsed = driver.execute_script(
        "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd"
    )
    assert elapsed < 3000, (
        f"{elapsed} ms in the browser, {time.perf_counter() - start:.1f} s in all"
    )


def luminance(color):
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_colour_of_text_has_the_contrast_that_wcag_asks_for(page, dark):
    driver = page(RECORDS)
    driver.execute_script(
        f"document.documentElement.dataset.theme = '{'dark' if dark else 'light'}'"
    )

    def color(name):
        value = driver.execute_script(
            "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0])",
            f"--{name}",
        ).strip()
        return value if len(value) == 7 else "#" + "".join(digit * 2 for digit in value[1:])

    for text in ("ink", "quiet", "pass", "fail", "none", "accent"):
        for behind in ("ground", "card") + (("code",) if text in ("ink", "quiet") else ()):
            light, deep = sorted(map(luminance, (color(text), color(behind))), reverse=True)
            assert (light + 0.05) / (deep + 0.05) >= 4.5, f"{text} on {behind}"
