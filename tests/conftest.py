"""Settings of all tests; what they share is in `helpers/`, which is on the import path (`pyproject.toml`)."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

# Before anything is imported: tests run compiled, and so do the processes that they start, unless one says otherwise.
os.environ.setdefault("EUCLIO_KERNELS", "compiled")

import pytest
from hypothesis import settings
from tiers import COLLECTED, FIFTHS, VARIABLE, Fifth, by_seed, chosen_fifth, quick

from euclio.core import progress

# Shells start commands in the background with Ctrl-C ignored, and the programs that tests interrupt would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What takes long is shown after two seconds, which a busy machine needs for anything; tests that want it say so.
progress.AFTER_S = 600.0

# Tables are as wide as a pipe's by default, whatever window the tests are started in.
os.environ.pop("COLUMNS", None)

FIFTH = pytest.StashKey[Fifth]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--tier quick` is what `make test` runs, `--tier all` what there is."""
    parser.addoption(
        "--tier", choices=("quick", "all"), default="all", help="quick: no slow tests, a fifth of the seeds"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose the fifth once, for all worker processes; what hypothesis draws is the same in each quick run."""
    is_quick = config.getoption("--tier") == "quick"
    settings.register_profile("euclio", deadline=None, derandomize=is_quick)
    settings.load_profile("euclio")
    if is_quick:
        config.stash[FIFTH] = chosen_fifth()
        os.environ[VARIABLE] = str(config.stash[FIFTH].number)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say which fifth is tried; the header of pytest is not shown with `-q`."""
    config = session.config
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if FIFTH in config.stash and terminal is not None and not hasattr(config, "workerinput"):
        fifth = config.stash[FIFTH]
        repeat = "" if fifth.by == VARIABLE else f"; {VARIABLE}={fifth.number} repeats it"
        terminal.write_line(
            f"quick tier: fifth {fifth.number} of 0 to {FIFTHS - 1} of the seeds, by {fifth.by}{repeat}"
        )


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Leave out what is not in the tier, and bring the cases of a seed together."""
    config.stash[COLLECTED] = list(items)
    kept = by_seed(quick(items, config.stash[FIFTH].number) if FIFTH in config.stash else items)
    if len(kept) < len(items):
        ids = {id(item) for item in kept}
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in ids])
    items[:] = kept
    yield
