"""An installed Chromium for tests of pages, opened from files and cut off from the network."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """Path of an installed Chromium that runs: some systems have a mere stub of that name."""
    return next((path for name in NAMES if (path := shutil.which(name)) and runs(path)), None)


def runs(path: str) -> bool:
    """Whether a browser can say its version."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


@contextmanager
def chromium() -> Iterator[Any]:
    """A running headless Chromium; the test is skipped where none is installed."""
    path = find_chromium()
    if path is None:
        pytest.skip(f"no Chromium that runs is installed (looked for {', '.join(NAMES)})")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@dataclass
class Heard:
    """What a page said and asked for while it was open."""

    console: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Any, file: Path, *, width: int = 1200, theme: str = "light", scripts: bool = True
) -> Iterator[tuple[Any, Heard]]:
    """A page in a context of its own that is offline.

    Args:
        browser: from `chromium`.
        file: the HTML file.
        width: of the window in CSS pixels.
        theme: the system's theme.
        scripts: whether scripts run.
    """
    context = browser.new_context(
        offline=True,
        color_scheme=theme,
        viewport={"width": width, "height": 900},
        reduced_motion="reduce",
        java_script_enabled=scripts,
    )
    heard = Heard()
    page = context.new_page()
    page.on("console", lambda message: heard.console.append(message.text))
    page.on("pageerror", lambda error: heard.console.append(str(error)))
    page.on("request", lambda request: heard.outside.extend([request.url] if request.url != file.as_uri() else []))
    page.goto(file.as_uri())
    yield page, heard
    context.close()
