"""A headless Chromium for the tests of pages. It and its driver come from the system, nothing is downloaded.

Where there is none, the tests are skipped, but never where RESPUBLICA_ENV_BROWSER is set (as in CI).
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS, DRIVERS = ("chromium", "chromium-browser", "google-chrome"), ("chromedriver",)
DESKTOP, PHONE = (1400, 900), (390, 844)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser whose console every test may ask for, with `console(browser)`."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = next(filter(None, map(shutil.which, DRIVERS)), None)
    if not (program and driver):
        if os.environ.get("RESPUBLICA_ENV_BROWSER"):
            pytest.fail(f"none of {BROWSERS} with {DRIVERS} is installed")
        pytest.skip("no Chromium with its driver is installed")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    # Without a sandbox because CI runs as root, where Chromium refuses one; the pages are our own.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=Service(driver))
    opened.set_script_timeout(300)  # a page is stepped through in one script, on machines that may be busy
    yield opened
    opened.quit()


def resize(browser: Any, size: tuple[int, int], scheme: str = "light", motion: str = "no-preference") -> None:
    """The window's size, the colours and the motion that the person prefers."""
    values = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", values)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": motion},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def show(browser: Any, path: Path, text: str, place: str = "") -> None:
    """Open a page from a file; `place` is what follows # in its address."""
    path.write_text(text, encoding="utf-8")
    browser.get("about:blank")
    console(browser)
    browser.get(f"{path.as_uri()}{place}")


def console(browser: Any) -> list[str]:
    """What the browser has complained about since it was last asked."""
    return [entry["message"] for entry in browser.get_log("browser")]
