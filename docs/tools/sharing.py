"""Shared machines: their savings by rate, and their price in attainment.

`python docs/tools/sharing.py [FOLDER] [--solver NAME] [--attained N] [--answers FILE]`. The sessions of a folder
(default: `../shared/instances/sessions`) are planned at four shares of their rates: on whole machines by `exact`, and
packed by a solver (default: `exact`, 10 s for a plan for even requests). Each plan is served Poisson requests. N of
the sessions (default: 6) are planned to keep 95 % too, and played again at a fresh seed and ten times the length. It
writes the tables of `docs/findings/sharing.md` and `docs/figures/sharing.svg`; the same code gives the same bytes, but
for times. It takes ten minutes of a core. Answers that a file holds are not made again, and those made are added.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from answers import keep_answers, known_answers
from drawn import MEASURED, of_folder
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, OPEN, draw_plain, paste, table

from euclio import solve
from euclio.core.progress import progress_bar
from euclio.core.result import AnyResult
from euclio.core.words import percent
from euclio.problems.session import Charging, Module, PlanSpace, Session
from euclio.problems.session.bought_whole import LIMIT_S, packed_bound
from euclio.problems.session.services import request_rate
from euclio.serving.attainment import setup_of, solve_attaining
from euclio.serving.session import Setup, simulate
from euclio.serving.session.service import DEPLOYED
from euclio.serving.units import Ints

SHARES = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2), Fraction(1))
"""Of the measured rates."""
WHOLE, PACKED = PlanSpace(charging=Charging.WHOLE), PlanSpace(charging=Charging.PACKED)
PACKED_S = 10.0
"""Limit of a packed plan for even requests, in seconds."""
TARGET = 0.95
REQUESTS, SEED = 10_000, 71
"""That each plan for evenly spaced requests is served, and their seed."""
LONGER, MOST_REQUESTS = 10, 2_000_000
"""A plan of an attainment is played so many times as long as it was judged, up to so many requests."""
ASIDE = 0.1
"""By how much marks of one rate stand apart in the figure."""
SAME = 1e-9
"""Costs that differ by no more than this share are the same."""
COLOURS = {"whole": "#2f6fb5", "packed": "#d9822b"}


class Costs(NamedTuple):
    """Whole and packed plans: costs per hour, the bound on packed ones, shares in time, seconds of the packed plan."""

    whole: float
    packed: float
    bound: float
    whole_kept: float
    packed_kept: float
    seconds: float

    @property
    def saved(self) -> float:
        """Share of the cost of whole machines."""
        return 1 - self.packed / self.whole


Found = dict[Fraction, list[Costs]]
"""By share of the rates."""
Measure = Callable[[Session, str], Costs | None]


def at(session: Session, share: Fraction) -> Session:
    """The session at a share of its rates."""
    modules = tuple(Module(module.name, module.rate_rps * share, module.profile) for module in session.modules)
    return replace(session, modules=modules)


def evenly(session: Session, solver: str) -> Costs | None:
    """Plans for evenly spaced requests, served Poisson ones. None means that one is missing."""
    whole = solve(session, "exact", space=WHOLE)
    began = time.process_time()
    packed = solve(session, solver, space=PACKED, time_limit_s=PACKED_S)
    seconds = time.process_time() - began
    if whole.value is None or packed.value is None:
        return None
    setup = Setup(**DEPLOYED, seconds=REQUESTS / float(request_rate(session)), seed=SEED)
    kept = played(session, whole, setup), played(session, packed, setup)
    bound = packed.bound or packed_bound(session, PACKED, LIMIT_S) or 0.0
    return Costs(float(whole.value), float(packed.value), bound, kept[0], kept[1], seconds)


def keeping(session: Session, solver: str) -> Costs | None:
    """Plans that keep the target, played again at a fresh seed, ten times as long. None means that one is missing."""
    whole = solve_attaining(session, "exact", TARGET, charging=Charging.WHOLE)
    began = time.process_time()
    packed = solve_attaining(session, solver, TARGET, charging=Charging.PACKED)
    seconds = time.process_time() - began
    if whole.value is None or packed.value is None:
        return None
    most = MOST_REQUESTS / float(request_rate(session))
    setups = (
        replace(own, seed=SEED, seconds=min(LONGER * own.seconds, most)) for own in map(setup_of, (whole, packed))
    )
    kept = [played(session, own, setup) for own, setup in zip((whole, packed), setups, strict=True)]
    return Costs(float(whole.value), float(packed.value), packed.bound or 0.0, kept[0], kept[1], seconds)


def played(session: Session, result: AnyResult, setup: Setup) -> float:
    """Share of the requests of a setup that the plan of a result answers in time."""
    assert result.plan is not None
    return simulate(session, result.plan, setup, result.space).attainment or 0.0


def measured(sessions: Sequence[Session], solver: str, measure: Measure, known: Path | None) -> Found:
    """All sessions at all shares of their rates; those that a file holds are not measured again."""
    found: Found = {share: [] for share in SHARES}
    held = {tuple(row["case"]): row["costs"] for row in known_answers(known)}
    with progress_bar("sessions", len(SHARES) * len(sessions)) as done:
        for share, session in product(SHARES, sessions):
            case = measure.__name__, solver, session.name, float(share)
            if case not in held:
                held[case] = measure(at(session, share), solver)
                keep_answers(known, {"case": case, "costs": held[case]})
            found[share] += [] if held[case] is None else [Costs(*held[case])]
            done()
    return found


def table_of_costs(found: Found) -> str:
    """A row per share of the rates."""
    header = (
        "rates",
        "sessions",
        "packed costs less",
        "saved: mean, most",
        "gap: median, most",
        "of those that save, in time: whole, packed (median)",
        "packed, least",
        "seconds, median",
    )
    rows = []
    for share, some in found.items():
        savers, gaps = [c for c in some if c.saved > SAME], [1 - c.bound / c.packed for c in some]
        saved = [c.saved for c in some]
        middle = [float(np.median(own)) for own in zip(*((c.whole_kept, c.packed_kept) for c in savers), strict=True)]
        rows.append(
            (
                percent(float(share), 0),
                str(len(some)),
                str(len(savers)),
                f"{percent(float(np.mean(saved)), 1)}, {percent(max(saved), 0)}",
                f"{percent(float(np.median(gaps)), 1)}, {percent(max(gaps), 0)}",
                ", ".join(percent(one, 1) for one in middle),
                percent(min(c.packed_kept for c in savers), 1),
                f"{np.median([c.seconds for c in some]):.2f}",
            )
        )
    return table(header, rows)


def table_of_kept(found: Found, evenly_spaced: Found) -> str:
    """A row per share of the rates."""
    header = (
        "rates",
        "sessions",
        "packed costs less, as much, more",
        "saved: mean, most",
        "saved for even requests: mean",
        "gap: median",
        "kept when played again: whole, packed",
        "seconds, median",
    )
    rows = []
    for share, some in found.items():
        saved, of = [k.saved for k in some], f"of {len(some)}"
        less, more = sum(one > SAME for one in saved), sum(one < -SAME for one in saved)
        held = [
            sum(one >= TARGET for one in own)
            for own in zip(*((k.whole_kept, k.packed_kept) for k in some), strict=True)
        ]
        rows.append(
            (
                percent(float(share), 0),
                str(len(some)),
                f"{less}, {len(some) - less - more}, {more}",
                f"{percent(float(np.mean(saved)), 1)}, {percent(max(saved), 0)}",
                percent(float(np.mean([own.saved for own in evenly_spaced[share]])), 1),
                percent(float(np.median([1 - k.bound / k.packed for k in some])), 1),
                ", ".join(f"{one} {of}" for one in held),
                f"{np.median([k.seconds for k in some]):.0f}",
            )
        )
    return table(header, rows)


def draw(found: Found, same: Found, held: Found) -> Figure:
    """Savings by rate, for evenly spaced requests and at the target; shares in time of plans for evenly spaced ones."""
    figure = Figure(figsize=(7.6, 3.7), layout="constrained")
    left, right = figure.subplots(1, 2)
    places = np.arange(len(SHARES))
    lines = ((found, "even requests", "-o", "#656b73"), (same, "even requests", "--s", "#656b73"))
    for rows, label, style, colour in (*lines, (held, f"{TARGET:.0%} of Poisson", "-s", COLOURS["packed"])):
        count = max(map(len, rows.values()))
        left.plot(places, _means(rows), style, color=colour, label=f"{label}, {count} sessions")
    left.set(title="mean saving by sharing", ylabel="share of the cost of whole machines (%)")
    left.set_ylim(0, 1.5 * max(map(max, map(_means, (found, same, held)))))
    for aside, (name, colour) in zip((-ASIDE, ASIDE), COLOURS.items(), strict=True):
        shares = [[getattr(own, f"{name}_kept") for own in some if own.saved > SAME] for some in found.values()]
        low, middle, high = 100 * np.array([np.quantile(row, (0.1, 0.5, 0.9)) for row in shares]).T
        right.vlines(places + aside, low, high, color=colour, linewidth=5, alpha=0.3)
        right.plot(places + aside, middle, "o", color=colour, label=f"{name}: median, and 80 % of them")
    right.set(title="attainment of plans for even requests", ylabel="Poisson requests in time (%)")
    right.set_ylim(0, 135)
    right.set_yticks(range(0, 101, 20))
    for axes in (left, right):
        _finish(axes, places)
    return figure


def _means(found: Found) -> list[float]:
    return [100 * float(np.mean([own.saved for own in some])) for some in found.values()]


def _finish(axes: Axes, places: Ints) -> None:
    axes.set_xticks(places, [f"{float(100 * share):.0f}" for share in SHARES])
    axes.set_xlabel("requests per second, share of the measured (%)")
    axes.title.set_fontsize(10)
    axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
    axes.legend(fontsize=8, frameon=False, loc="upper center")


def chosen(sessions: Sequence[Session], number: int) -> Iterator[Session]:
    """So many of the sessions of several modules, evenly spaced."""
    several = [session for session in sessions if len(session.modules) > 1]
    yield from (several[round(k * (len(several) - 1) / max(1, number - 1))] for k in range(number))


def write(folder: Path, solver: str, attained: int, known: Path | None) -> None:
    """Write both tables and the figure."""
    sessions = of_folder(folder)
    found = measured(sessions, solver, evenly, known)
    few = list(chosen(sessions, attained))
    same, held = measured(few, solver, evenly, known), measured(few, solver, keeping, known)
    paste(FINDINGS / "sharing.md", {"sharing": table_of_costs(found), "sharing-kept": table_of_kept(held, same)})
    draw_plain(FIGURES / "sharing.svg", lambda: draw(found, same, held), OPEN)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Savings of shared machines by rate.")
    parser.add_argument("folder", nargs="?", type=Path, default=MEASURED[0])
    parser.add_argument("--solver", default="exact")
    parser.add_argument("--attained", type=int, default=6)
    parser.add_argument("--answers", type=Path)
    given = parser.parse_args()
    write(given.folder, given.solver, given.attained, given.answers)
