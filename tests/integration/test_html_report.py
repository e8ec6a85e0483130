"""The HTML report in a real browser, opened from a file, with no network."""

import json
import os
import shutil
import time

import pytest

from pytest_taubench.metrics.gate_syntax import parse_gate
from pytest_taubench.report.baseline import Baseline
from pytest_taubench.report.html import embedded_json, render_html
from pytest_taubench.run_gates import decide_all
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
    TrialRecord,
)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>\u2028"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1200,900",
)


def trial(task, number, reward, *, text="hello", suite="shop", ending=Ending.USER_STOP):
    return TrialRecord(
        nodeid=f"tasks/{suite}/a.tau.yaml::{task}[trial-{number}]",
        suite=suite,
        domain=suite,
        task_id=task,
        trial=number,
        outcome="unscored" if reward is None else "scored",
        reward=reward,
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


@pytest.fixture(scope="module")
def browser():
    if not (CHROMIUM and DRIVER):
        if os.environ.get("CI"):
            pytest.fail("chromium and chromedriver must be installed in CI")
        pytest.skip("chromium and chromedriver are not installed")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, tmp_path):
    """Return a function that opens a report and gives the browser."""

    def opened(records, baseline=None, fragment="", **more):
        path = tmp_path / "run.html"
        path.write_text(render_html(info(), records, baseline=baseline, **more), encoding="utf-8")
        browser.get("about:blank")
        browser.get(path.as_uri() + fragment)
        return browser

    yield opened
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


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


def test_a_hostile_transcript_stays_text_wherever_it_stands(page):
    driver = page(RECORDS)
    for details in driver.find_elements("css selector", "details.trial"):
        details.find_element("css selector", "summary").click()
    assert driver.execute_script("return window.hacked") is None
    assert driver.execute_script("return document.images.length") == 0
    assert "window.hacked=1</script>" in driver.find_element("tag name", "h1").text

    def hostile_messages():
        return [text for text in texts(driver, ".message.assistant") if "onerror" in text]

    assert eventually(lambda: len(hostile_messages()) == 4)


def test_the_figures_are_in_the_page_itself(page):
    driver = page(RECORDS)
    figures = driver.find_element("css selector", ".figures").text
    # pass^1: task a passes 1 of 2, task b 0 of 1 scored: their mean is a quarter.
    assert "0.250" in figures
    assert "unscored\n1" in figures
    assert driver.find_element("id", "legend").text.split() == [
        *("passed", "1"),
        *("failed", "2"),
        *("unscored", "1"),
    ]
    assert len(driver.find_elements("css selector", "#map .cell")) == 4
    assert len(driver.find_elements("css selector", "#map .cell.unscored")) == 1


def test_the_decided_gates_are_in_the_page_with_their_reasons(page):
    gates = [parse_gate("pass^1 >= 0.8"), parse_gate("unscored <= 1")]
    planned = {f"tasks/shop/a.tau.yaml::{task}": 2 for task in "ab"}
    # Even if the unscored trial had passed, pass^1 would be a half.
    driver = page(RECORDS, gates=decide_all(gates, RECORDS, planned))
    assert texts(driver, ".decision") == ["fails", "holds"]
    assert "unscored <= 1" in driver.find_element("css selector", ".gates").text


def test_trials_are_filtered_by_result_and_found_by_what_was_said(page):
    driver = page(RECORDS)
    assert shows(driver, "4 of 4")
    choose(driver, "result", "failed")
    assert shows(driver, "2 of 4")
    assert len(driver.find_elements("css selector", "details.trial")) == 2
    choose(driver, "result", "")
    driver.find_element("id", "search").send_keys("BLUE kettle")
    assert shows(driver, "1 of 4")
    driver.find_element("id", "search").clear()


def test_a_trial_opens_on_its_conversation_with_calls_folded_and_both_changes(page):
    driver = page(RECORDS)
    card = driver.find_elements("css selector", "details.trial")[1]
    card.find_element("css selector", "summary").click()
    assert eventually(lambda: "conversation (4 messages)" in card.text)
    assert "calls look" in card.text
    assert [
        folded.is_displayed() for folded in card.find_elements("css selector", ".call pre")
    ] == [
        False,
        False,
    ]
    cells = [cell.text for cell in card.find_elements("css selector", "td")]
    assert cells == ["orders/#1", "status", '"pending"', '"cancelled"', "✗ no change"]


def test_a_link_opens_its_trial(page):
    driver = page(RECORDS)
    driver.find_elements("css selector", "#map .cell")[3].click()
    assert eventually(lambda: driver.find_elements("css selector", "details.trial[open]"))
    opened = driver.find_elements("css selector", "details.trial[open]")
    assert [card.get_attribute("id") for card in opened] == [f"trial={RECORDS[3].nodeid}"]


def test_the_theme_follows_the_system_and_the_button(page):
    driver = page(RECORDS)

    def ground():
        return driver.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = ground()
    driver.find_element("id", "theme").click()
    assert driver.execute_script("return document.documentElement.dataset.theme") == "dark"
    assert ground() != light
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    dark_page = page(RECORDS)
    assert dark_page.execute_script("return document.documentElement.dataset.theme") == "dark"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_two_runs_are_compared(page):
    before = [trial("a", n, 1.0) for n in (1, 2)] + [trial("b", n, 0.0) for n in (1, 2)]
    driver = page(RECORDS, Baseline("main", before, info()))
    headings = texts(driver, "h2")
    assert any(heading.startswith("against main") for heading in headings)
    heading = driver.find_element("css selector", "#comparison .verdict")
    assert heading.text == "cannot tell"
    tasks = driver.find_elements("css selector", "#comparison details")[-1]
    assert "flicker: 1 task" in tasks.text
    tasks.find_element("css selector", "summary").click()
    tasks.find_element("css selector", "a").click()
    # The first trial of the task that failed.
    assert eventually(lambda: driver.find_elements("css selector", "details.trial[open]"))
    opened = driver.find_element("css selector", "details.trial[open]")
    assert opened.get_attribute("id") == f"trial={RECORDS[1].nodeid}"
    choose(driver, "change", "flicker")
    assert shows(driver, "2 of 4")
    assert "baseline 2 of 2" in driver.find_element("css selector", "details.trial").text


def test_a_plan_stands_beside_gold_with_what_is_missing_and_its_figures(page):
    gold = {"task_nodes": [node("Read", "a.txt"), node("Cut", "<node-0>")], "task_steps": []}
    graph = {
        "request": "Read it and cut it.",
        "dependency": "resource",
        "gold": gold,
        "prediction": {"task_nodes": [node("Read", HOSTILE), "no node"], "task_links": 7},
        "faults": [HOSTILE],
    }
    record = trial("plan", 1, 0.0).model_copy(
        update={"kind": "graph", "graph": graph, "metrics": {"node_f1": 2 / 3}}
    )
    driver = page([record])
    card = driver.find_element("css selector", "details.trial")
    card.find_element("css selector", "summary").click()
    assert eventually(lambda: "Read it and cut it." in card.text)
    assert "missing Cut" in card.text
    assert "node f1\n0.6667" in card.text
    rows = [row.text for row in card.find_elements("css selector", ".plan tr")]
    assert "Read ✓ Read" in rows
    assert "Cut ✗ missing" in rows
    assert driver.execute_script("return window.hacked") is None
    assert not card.find_element("css selector", "pre").is_displayed()  # the plans as data


def node(tool, argument):
    return {"task": tool, "arguments": [argument]}


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
    graph = {"request": endless, "gold": {"task_nodes": [node(endless, endless)]}}
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


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "\u2028", "\ud800", "]]>"])
def test_embedded_json_cannot_end_its_element(text):
    written = embedded_json({"text": text})
    assert "<" not in written
    assert "\u2028" not in written
    written.encode("utf-8")
