"""A browser that opens the page of a run."""

import os
import shutil

import pytest
from report_page import info

from pytest_taubench.report.figures import run_figures
from pytest_taubench.report.html import render_html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
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


@pytest.fixture(scope="session")
def browser():
    if not (CHROMIUM and DRIVER):
        if os.environ.get("CI"):
            pytest.fail("chromium and chromedriver must be installed in CI")
        pytest.skip(
            "needs chromium and chromedriver on the PATH (Debian: apt install chromium-driver)"
        )
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

    def opened(records, baseline=None, fragment="", gates=()):
        path = tmp_path / "run.html"
        figures = run_figures(records, info(), baseline)
        path.write_text(render_html(info(), figures, records, gates), encoding="utf-8")
        browser.get("about:blank")
        browser.get(path.as_uri() + fragment)
        return browser

    yield opened
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
