"""Settings of all tests; what they share is in `helpers/`, which is on the import path (`pyproject.toml`)."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Generator
from pathlib import Path

# Before anything is imported: tests run compiled, and so do the processes that they start, unless one says otherwise.
os.environ.setdefault("EUCLIO_KERNELS", "compiled")

import durations
import made_meanwhile
import pytest
from hypothesis import settings
from tiers import COLLECTED, FIFTHS, TIERS, VARIABLE, Fifth, by_seed, chosen_fifth, in_tier, refuse_addresses

from euclio.core import progress

# Shells start commands in the background with Ctrl-C ignored, and the programs that tests interrupt would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Progress appears after two seconds, which a busy machine may always need; tests of progress set their own time.
progress.AFTER_S = 600.0

# Tables have the default width of a pipe in any terminal.
os.environ.pop("COLUMNS", None)

FIFTH = pytest.StashKey[Fifth]()
STARTED_S = pytest.StashKey[float]()
MACHINE_CODE = pytest.StashKey[frozenset[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--tier quick` is what `make test` runs, `rest` what it leaves out, `all` what there is."""
    parser.addoption("--tier", choices=TIERS, default="all", help="quick: no slow tests, a fifth of the seeds")
    parser.addoption("--within", type=float, metavar="S", help="skip what has not begun in so many seconds")
    parser.addoption("--keep-durations", type=Path, metavar="FILE", help="write what tests take as a table")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the fifth once, for all worker processes; what hypothesis draws is the same in each quick run."""
    tier = config.getoption("--tier")
    settings.register_profile("euclio", deadline=None, derandomize=tier == "quick")
    settings.load_profile("euclio")
    config.pluginmanager.register(durations.Clock())
    config.stash[STARTED_S] = time.monotonic()
    if config.getoption("dist", "no") == "no" or hasattr(config, "workerinput"):
        # Collected tests stay to the end; searching them for garbage again and again takes a third of the time.
        gc.disable()
    if tier != "all":
        config.stash[FIFTH] = chosen_fifth()
        os.environ[VARIABLE] = str(config.stash[FIFTH].number)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say which fifth is tried; the header of pytest is not shown with `-q`."""
    config = session.config
    config.stash[MACHINE_CODE] = made_meanwhile.kept()
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if FIFTH in config.stash and terminal is not None and not hasattr(config, "workerinput"):
        fifth = config.stash[FIFTH]
        said = (
            f"tier {config.getoption('--tier')}: fifth {fifth.number} of 0 to {FIFTHS - 1} of all seeds, by {fifth.by}"
        )
        terminal.write_line(said if fifth.by == VARIABLE else f"{said}; {VARIABLE}={fifth.number} repeats it")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Leave out what is not in the tier, and bring the cases of a seed together."""
    refuse_addresses(items)
    config.stash[COLLECTED] = list(items)
    kept = by_seed(in_tier(config.getoption("--tier"), items, config.stash.get(FIFTH, Fifth(0, "")).number))
    if len(kept) < len(items):
        ids = {id(item) for item in kept}
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in ids])
    items[:] = kept
    yield


def pytest_collection_finish() -> None:
    """Garbage is looked for again, and not in what is collected; processes that tests fork share its memory then."""
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what there is no time left for, where a limit was given."""
    within = item.config.getoption("--within")
    if within is not None and time.monotonic() > item.config.stash[STARTED_S] + within:
        pytest.skip(f"not begun within {within:g} s")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what had to be compiled, and keep what tests take, where a file is named."""
    made = made_meanwhile.line(terminalreporter.config.stash[MACHINE_CODE])
    if made:
        terminalreporter.write_line(made)
    path = terminalreporter.config.getoption("--keep-durations")
    if path is not None:
        reports = [report for own in terminalreporter.stats.values() for report in own if hasattr(report, "cpu_s")]
        path.write_text(durations.table(reports), encoding="utf-8")
