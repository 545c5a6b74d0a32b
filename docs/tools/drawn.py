"""The sessions that findings are about: the 1131 workloads, those of accepted settings, random and measured ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pasting import ROOT

from euclio import load
from euclio.core.progress import progress_bar
from euclio.problems.session import Session
from euclio.workloads.session.kinds import PROTOCOL_SEED
from euclio.workloads.session.protocol import PUBLISHED_WORKLOADS
from euclio.workloads.session.random_sessions import random_session
from studies.drawn_workloads import protocol_draws
from studies.inference.reference import reference_setting
from studies.inference.store import accepted_settings

RANDOM = 1000
SETTINGS = 10
PAPER = "harpagon"
MEASURED = tuple(
    ROOT.parent / "shared" / "instances" / name for name in ("sessions", "sessions_large", "sessions_hard")
)
"""Folders of measured sessions, next to the tree where there are any."""


def of_folder(folder: Path) -> list[Session]:
    """The sessions of a folder, by name; none where there is no such folder."""
    return [load(path) for path in sorted(folder.glob("*.json"))]


@cache
def the_workloads(count: int = PUBLISHED_WORKLOADS) -> tuple[Session, ...]:
    """The 1131 workloads: those of Harpagon's reference setting, as `euclio reproduce harpagon` draws them."""
    draws = protocol_draws(PAPER, reference_setting(PAPER), PROTOCOL_SEED, count)
    return tuple(workload.session for workload in draws.workloads)


@cache
def of_settings(count: int) -> tuple[tuple[Session, ...], ...]:
    """Workloads of ten accepted settings of Harpagon's posterior, from the nearest to the farthest, `count` of each.

    A setting of which too few candidates have a plan from every system is left out.
    """
    settings = accepted_settings(PAPER, SETTINGS)
    found = []
    with progress_bar("workloads of accepted settings", len(settings)) as advance:
        for setting in settings:
            found.append(tuple(w.session for w in protocol_draws(PAPER, setting, PROTOCOL_SEED, count).workloads))
            advance()
    return tuple(sessions for sessions in found if sessions)


@cache
def random_sessions(count: int = RANDOM) -> tuple[Session, ...]:
    """Random sessions of up to three hardware types."""
    return tuple(random_session(seed, 3) for seed in range(count))
