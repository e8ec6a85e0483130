"""The page of a run, as a browser shows it: figures, trials, conversations, two runs."""

import pytest
from report_page import HOSTILE, RECORDS, choose, eventually, info, node, shows, texts, trial

from pytest_taubench.gates.outcome import decide_all
from pytest_taubench.gates.syntax import parse_gate
from pytest_taubench.metrics.comparison import Baseline
from pytest_taubench.report.html import embedded_json


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
        "counts": {"n_tools": 2, "answered": True},
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


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "\u2028", "\ud800", "]]>"])
def test_embedded_json_cannot_end_its_element(text):
    written = embedded_json({"text": text})
    assert "<" not in written
    assert "\u2028" not in written
    written.encode("utf-8")
