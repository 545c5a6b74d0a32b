"""The cost of whole machines, and the loss by rounding up: `python docs/tools/whole.py [FOLDER]`.

The 1131 workloads, some of ten other settings, and the sessions of a folder (default: `../shared/instances/sessions`),
each planned by `exact` for machines by share, that plan bought whole, and planned for whole machines. It writes the
tables of `docs/findings/whole-machines.md` and `docs/figures/whole-machines.svg`; the same code gives the same bytes,
but for sessions that the limit stops, which the first table counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drawn import MEASURED, of_folder, of_settings, the_workloads
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, OPEN, draw_plain, paste, spread, table

from euclio import solve
from euclio.core.result import Status
from euclio.core.words import percent
from euclio.problems.session import Charging, Configuration, Hardware, Module, Session, evaluate
from euclio.problems.session.space import PlanSpace

SHARE, WHOLE = PlanSpace(), PlanSpace(charging=Charging.WHOLE)
LIMIT_S = 10.0
OF_A_SETTING = 100
"""Workloads of each of the other settings."""
EDGES = (1, 2, 3, 5, 9, 17, 33, 65, 1 << 20)
"""Groups of sessions by the machines that their plan by share starts: from each number to before the next."""


class Costs(NamedTuple):
    """Costs per hour of one session.

    Attributes:
        started: machines that the cheapest plan by share starts, parts counted as one.
        share: its cost as it is charged, that of the best plan known where the limit ended before a proof.
        rounded: its cost bought whole.
        harpagon: that of Harpagon's plan bought whole; None if it finds none.
        heuristic: that of the plan of `whole-greedy`; None if it finds none.
        whole: the cheapest plan of whole machines.
        proven: whether both plans, by share and whole, are proven the cheapest.
    """

    started: int
    share: float
    rounded: float
    harpagon: float | None
    heuristic: float | None
    whole: float
    proven: bool


def costs(session: Session) -> Costs | None:
    """The costs of a session; None if it has no plan."""
    share = solve(session, "exact", time_limit_s=LIMIT_S)
    whole = solve(session, "exact", space=WHOLE, time_limit_s=LIMIT_S)
    if share.value is None or share.plan is None or whole.value is None:
        return None
    rounded = evaluate(session, share.plan, WHOLE).cost_per_h
    assert rounded is not None
    started = sum(a.machines + bool(a.partial_rps) for module in share.plan.modules for a in module.allocations)
    others = [solve(session, name, space=WHOLE).value for name in ("harpagon", "whole-greedy")]
    proven = share.status is Status.OPTIMAL and whole.status is Status.OPTIMAL
    return Costs(started, float(share.value), float(rounded), *map(_known, others), float(whole.value), proven)


def _known(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def by_machines(found: Sequence[Costs]) -> str:
    """A row per group of machines: sessions, medians and worst."""
    header = ("machines started", "sessions", "whole / share", "rounded up / whole", "worst")
    rows = []
    for label, group in [*groups(found), ("all", found)]:
        lost = [_lost(c) for c in group]
        own = [c.heuristic / c.whole for c in group if c.heuristic is not None]
        figures = (np.median([_extra(c) for c in group]), np.median(lost), max(lost), np.median(own), max(own))
        rows.append((label, str(len(group)), *(_more(float(figure)) for figure in figures)))
    return table((*header, "`whole-greedy` / whole", "worst"), rows)


def in_short(sets: dict[str, list[Sequence[Costs]]]) -> str:
    """A row per set of sessions, or of settings, whose means are given as a range."""
    header = (
        "sessions",
        "proven",
        "whole / share, mean",
        "rounded up / whole, mean",
        "largest",
        "rounded up is the best whole plan",
        "`whole-greedy` is",
    )
    rows = []
    for name, some in sets.items():
        proven = sum(c.proven for found in some for c in found)
        measures = (
            (lambda found: float(np.mean([_extra(c) for c in found])) - 1, "+"),
            (lambda found: float(np.mean([_lost(c) for c in found])) - 1, "+"),
            (lambda found: max(_lost(c) for c in found) - 1, "+"),
            (lambda found: _best(found, [c.rounded for c in found]), ""),
            (lambda found: _best(found, [c.heuristic for c in found]), ""),
        )
        cells = [sign + spread([100 * measure(found) for found in some], 1, " %") for measure, sign in measures]
        rows.append((name, f"{proven} of {sum(map(len, some))}", *cells))
    return table(header, rows)


def _best(found: Sequence[Costs], own: Sequence[float | None]) -> float:
    """Share of the sessions on which a cost is that of the best whole plan."""
    pairs = zip(found, own, strict=True)
    return sum(cost is not None and cost <= c.whole * (1 + 1e-9) for c, cost in pairs) / len(found)


def _extra(c: Costs) -> float:
    return c.whole / c.share


def _lost(c: Costs) -> float:
    return c.rounded / c.whole


def _more(ratio: float) -> str:
    return f"+{percent(float(ratio) - 1, 1)}"


def groups(found: Sequence[Costs]) -> list[tuple[str, list[Costs]]]:
    """The sessions by machines started, groups without any left out."""
    named = []
    for low, high in pairwise(EDGES):
        group = [c for c in found if low <= c.started < high]
        label = str(low) if high == low + 1 else f"{low}+" if high == EDGES[-1] else f"{low} to {high - 1}"
        named += [(label, group)] if group else []
    return named


def draw(found: list[Costs]) -> Figure:
    """The extra cost of whole machines, and the loss by rounding up, by machines started."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    shade(left, found, _extra, "whole machines, over shares", "#2f6fb5")
    shade(right, found, _lost, "shares rounded up, over the best whole plan", "#d9822b")
    left.set_ylabel("cost over the other's (%)")
    return figure


def shade(axes: Axes, found: list[Costs], ratio: Callable[[Costs], float], title: str, colour: str) -> None:
    """Median, and the ranges that hold 50 and 80 % of the sessions, by machines started."""
    named = groups(found)
    places = np.arange(len(named))
    shares = [100 * (np.quantile([ratio(c) for c in group], (0.1, 0.25, 0.5, 0.75, 0.9)) - 1) for _, group in named]
    low, quarter, middle, third, high = np.array(shares).T
    axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0, label="80 % of the sessions")
    axes.fill_between(places, quarter, third, color=colour, alpha=0.3, linewidth=0, label="50 %")
    axes.plot(places, middle, marker="o", color=colour, label="median")
    axes.set_xticks(places, [label for label, _ in named])
    axes.set(title=title, xlabel="machines that the plan by share starts")
    axes.set_ylim(bottom=0)
    axes.title.set_fontsize(10)
    axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
    axes.legend(fontsize=8, frameon=False)


PROFILES = {
    "A100": (Fraction("3.67"), Fraction("0.0030"), Fraction("0.00015")),
    "L4": (Fraction("0.71"), Fraction("0.0055"), Fraction("0.0013")),
    "T4": (Fraction("0.35"), Fraction("0.0080"), Fraction("0.0026")),
    "cpu": (Fraction("0.10"), Fraction("0.0100"), Fraction("0.0180")),
}
"""Made-up machines of the planner's example: price, seconds per batch, seconds per request."""
MODELS = {"decode": "0.4", "detect": "2.0", "track": "0.8", "plate": "1.1", "person": "1.6", "caption": "3.0"}
"""Its models: how much longer they take than the machines' seconds say."""
SHARES = {"decode": "1", "detect": "1", "track": "0.8", "plate": "0.5", "person": "0.7", "caption": "0.3"}
"""Requests per request that enters."""
FLOW = (("decode", "detect"), ("detect", "track"), ("detect", "plate"), ("detect", "person"), ("person", "caption"))


def planner(rate: int, slo: str, a100: int | None = None) -> Session:
    """The planner's example: six models in a DAG on four kinds of machines."""
    modules = []
    for name, longer in MODELS.items():
        profile = [
            Configuration(hardware, b, 1, (fixed + b * each) * Fraction(longer))
            for hardware, (_, fixed, each) in PROFILES.items()
            for b in (1, 2, 4, 8, 16, 32)
        ]
        modules.append(Module(name, rate * Fraction(SHARES[name]), profile))
    hardware = [Hardware(name, price, a100 if name == "A100" else None) for name, (price, _, _) in PROFILES.items()]
    return Session(f"planner-{rate}-{slo}", slo, hardware, modules, FLOW)


def planner_table() -> str:
    """The planner's table: 3 rates by 3 objectives, by charging and stock of A100."""
    header = (
        "requests per second",
        "SLO (s)",
        "share",
        "rounded up",
        "best whole",
        "packed",
        "with 4 A100",
        "without A100",
        "A100 by share",
        "A100 whole",
    )
    rows = []
    for rate in (100, 300, 900):
        for slo in ("0.15", "0.3", "0.6"):
            free = planner(rate, slo)
            share, whole = solve(free, "exact"), solve(free, "exact", space=WHOLE, time_limit_s=LIMIT_S)
            packed = solve(free, "whole-greedy", charging=Charging.PACKED)
            few = [solve(planner(rate, slo, count), "exact", space=WHOLE, time_limit_s=LIMIT_S) for count in (4, 0)]
            rounded = None if share.plan is None else evaluate(free, share.plan, WHOLE).cost_per_h
            found = [share.value, rounded, whole.value, packed.value, *(one.value for one in few)]
            cells = ["-" if value is None else f"{float(value):.2f}" for value in found]
            rows.append((str(rate), slo, *cells, *(str(_a100(one.plan)) for one in (share, whole))))
    return table(header, rows)


def _a100(plan: object) -> int:
    modules = getattr(plan, "modules", ())
    own = [a for module in modules for a in module.allocations if a.configuration.hardware == "A100"]
    return sum(a.machines + bool(a.partial_rps) for a in own)


def all_costs(sessions: Iterable[Session]) -> list[Costs]:
    """The costs of all sessions that have a plan."""
    return [found for session in sessions if (found := costs(session)) is not None]


def write(folder: Path, figures: Path = FIGURES) -> None:
    """Write all tables and the figure."""
    found = all_costs(the_workloads())
    settings = [all_costs(sessions) for sessions in of_settings(OF_A_SETTING)]
    measured = all_costs(of_folder(folder))
    sets: dict[str, list[Sequence[Costs]]] = {"the 1131 workloads": [found]}
    sets[f"{OF_A_SETTING} of each of {len(settings)} accepted settings"] = list(settings)
    if measured:
        sets["measured sessions"] = [measured]
    tables = {"in short": in_short(sets), "workloads": by_machines(found), "planner": planner_table()}
    paste(FINDINGS / "whole-machines.md", tables | ({"measured": by_machines(measured)} if measured else {}))
    draw_plain(figures / "whole-machines.svg", lambda: draw(found), OPEN, salt="whole")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else MEASURED[0])
