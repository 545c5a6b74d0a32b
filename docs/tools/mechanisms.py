"""The worth of each mechanism of Harpagon: `python docs/tools/mechanisms.py [FOLDER] [--try N]`.

The tool plans every combination of components on some of the 1131 workloads, on sessions over NVIDIA's published
profiles and on the sessions of a folder (default: `../shared/instances/sessions`). It writes the tables of
`docs/findings/mechanisms.md` and `docs/findings/mechanisms-tables.md`, and `docs/figures/mechanisms.svg`. The same
code gives the same bytes. `--try N` tests the tool in a minute: it takes N sessions of each population and writes pages
and figure into `build/mechanisms/`. `notebooks/mechanisms.toml` is the same crossing as an experiment.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from drawn import MEASURED, of_folder
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, ROOT, draw_styled, paste, table

from euclio import solve
from euclio.core.errors import InapplicableError
from euclio.core.figures import MUTED, PALETTE, grid
from euclio.core.progress import progress_bar
from euclio.core.words import percent
from euclio.problems.session import DummyRule, Policy, Session, evaluate
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.dispatch import configuration_latency, path_times
from euclio.report.analysis.shapley import first_and_last, pair_effects, shapley_values, shares, worth_of_costs
from euclio.report.analysis.statistics import Measured, Values, means
from euclio.workloads import identify, population
from euclio.workloads.populations import PROTOCOL_SEED
from heuristics.session.dummy_generator import generator_of
from heuristics.session.solver import hardware_choices, plan_arrays
from heuristics.session.systems import HARPAGON, Hetero, Splitter, System

PAGE, TABLES, FIGURE = FINDINGS / "mechanisms.md", FINDINGS / "mechanisms-tables.md", FIGURES / "mechanisms.svg"
TRIED = ROOT / "build" / "mechanisms"
DRAWN = 150
"""Sessions of each population that is drawn: the first of its seed."""
CHECKED, CHECK_SEED = 200, 1131
LIMIT_S = 10.0

GREEDY = tuple(
    {"splitter": splitter, "merge": merge, "direct": direct}
    for splitter in (Splitter.LATENCY_COST, Splitter.THROUGHPUT)
    for merge in (True, False)
    for direct in (True, False)
)
OTHERS: tuple[dict[str, Any], ...] = (
    {"splitter": Splitter.EVEN, "merge": False, "direct": False},
    {"splitter": Splitter.QUANTIZED, "quantum_s": 0.01, "merge": False, "direct": False},
)
AXES: tuple[tuple[str, tuple[dict[str, Any], ...]], ...] = (
    (
        "dispatch",
        tuple(
            {"dispatch": policy}
            for policy in (Policy.TC, Policy.RR_EVEN, Policy.RR, Policy.MACHINE_RATE, Policy.MACHINE_RATE_EVEN)
        ),
    ),
    ("configurations", tuple({"allocations": most} for most in (None, 1, 2))),
    ("dummies", ({"dummy": DummyRule.MACHINE}, {"dummy": DummyRule.NONE})),
    ("reassigner", ({"reassignments": None}, {"reassignments": 0})),
    ("split", (*GREEDY, *OTHERS)),
    ("hardware types", ({"hetero": Hetero.ALL}, {"hetero": Hetero.ONE})),
    ("concurrency", ({"concurrency": True}, {"concurrency": False})),
    ("batching", ({"batching": True}, {"batching": False})),
)
"""Components of a row of Table III, each with the cells that the tool tries, Harpagon's first."""
PLAYERS = (
    "dispatch `tc`",
    "several configurations",
    "dummies",
    "latency reassigner",
    "latency-cost splitter",
    "node merger",
    "cost-direct",
    "hardware types",
    "concurrency",
    "batching",
)
EVEN, QUANTIZED = len(GREEDY), len(GREEDY) + 1


class Without(NamedTuple):
    """The baseline cells of a game, in place of Harpagon's: places in `AXES`.

    Attributes:
        dispatch: the dispatch policy.
        configurations: the limit of configurations.
        split: the split; for a throughput-based one the first, since merger and cost-direct are players.
    """

    dispatch: int = 1
    configurations: int = 1
    split: int = EVEN


CLIPPER = Without()
"""Clipper's cells, the least of each column of Table III, which has no system without batches."""
READINGS = {
    "Clipper's cells: `rr-even`, one configuration, even split": CLIPPER,
    "dispatch `rr` (Harp-2d)": CLIPPER._replace(dispatch=2),
    "dispatch `machine-rate` (Harp-dt)": CLIPPER._replace(dispatch=3),
    "dispatch `machine-rate-even` (Scrooge)": CLIPPER._replace(dispatch=4),
    "two configurations (Harp-2c, Nexus, Scrooge)": CLIPPER._replace(configurations=2),
    "throughput-based split (Harp-tb, InferLine)": CLIPPER._replace(split=4),
    "split in steps of 0.01 s (Harp-q0.01, Nexus)": CLIPPER._replace(split=QUANTIZED),
    "ablations' cells: `rr`, one configuration, throughput": Without(2, 1, 4),
}


class Planned(NamedTuple):
    """The plans of all combinations for a session.

    Attributes:
        session: the session.
        optimum: cost per hour of the cheapest plan of Harpagon's plan space, proven.
        costs: cost per hour of each combination, shape as `AXES`; infinity means no plan.
        rate: the largest rate of the session's first modules, requests per second.
        tightness: objective over the least latency that Algorithm 2 can count, without dummies.
    """

    session: Session
    optimum: float
    costs: Values
    rate: float
    tightness: float

    @property
    def harpagon(self) -> float:
        """Harpagon's own cost; infinity means no plan."""
        return float(self.costs.reshape(-1)[0])


class Games(NamedTuple):
    """A population's games.

    Attributes:
        costs: cost of each set of mechanisms, shape (sessions, 2, ..., 2); infinity means no plan.
        optima: cost of each session's optimum.
        worst: cost of the most expensive plan of any combination, by session; the optimum where none has a plan.
    """

    costs: Values
    optima: Values
    worst: Values

    @property
    def plans(self) -> Values:
        """Whether each set of mechanisms has a plan, as a game."""
        return np.isfinite(self.costs).astype(np.float64)

    def worth(self, without: str = "worst") -> Values:
        """Minus the logarithm of the cost; a missing plan counts as one of `FALLBACKS`."""
        return worth_of_costs(self.costs, FALLBACKS[without](self))


FALLBACKS = {
    "worst": lambda games: games.worst,
    "twice the worst": lambda games: 2 * games.worst,
    "10 × optimum": lambda games: 10 * games.optima,
    "100 × optimum": lambda games: 100 * games.optima,
}


def populations(folder: Path) -> Iterator[tuple[str, Iterable[Session]]]:
    """The three populations, by name; only two if the folder does not exist."""
    yield "reference", islice(population("harpagon"), DRAWN)
    yield "NVIDIA", islice(population("nvidia"), DRAWN)
    if folder.is_dir():
        yield "measured", of_folder(folder)


def who(drawn: dict[str, list[Session]]) -> str:
    """The identity of the sessions: seed and hash where they are drawn."""
    known = {"reference": ("harpagon", PROTOCOL_SEED), "NVIDIA": ("nvidia", PROTOCOL_SEED)}
    named = {name: identify(some, *known.get(name, (name, None))) for name, some in drawn.items()}
    return "\n".join(f"- *{name}*: {identity.text}" for name, identity in named.items())


def row_of(cells: Iterable[dict[str, Any]]) -> System:
    """A row of Table III with these cells."""
    return replace(HARPAGON, **{cell: value for some in cells for cell, value in some.items()})


def cost_of(session: Session, row: System) -> float:
    """Cost per hour of a row's plan; infinity if it finds none or refuses the session's DAG."""
    best = np.inf
    for space in hardware_choices(session, row.space):
        arrays = session_arrays(session, space)
        if (arrays.first[1:] > arrays.first[:-1]).all():
            try:
                best = min(best, plan_arrays(row, arrays, generator_of(space.dummy))[1])
            except InapplicableError:
                return float(np.inf)
    return float(best)


def planned(name: str, sessions: Iterable[Session]) -> list[Planned]:
    """All combinations on the sessions that have a plan."""
    found, given = [], list(sessions)
    rows = [row_of(cells) for cells in product(*(cells for _, cells in AXES))]
    shape = tuple(len(cells) for _, cells in AXES)
    with progress_bar(f"combinations of components, {name}", len(given)) as advance:
        for session in given:
            optimum = solve(session, "exact", time_limit_s=LIMIT_S)
            if optimum.value is not None:
                costs = np.array([cost_of(session, row) for row in rows]).reshape(shape)
                found.append(Planned(session, float(optimum.value), costs, *conditions(session)))
            advance()
    return found


def conditions(session: Session) -> tuple[float, float]:
    """The rate and the tightness of a session."""
    firsts = [m for m, parents in zip(session.modules, session.parents(), strict=True) if not parents]
    return max(float(module.rate_rps) for module in firsts), 1 / least_latency(session, filled=False)


def least_latency(session: Session, filled: bool) -> float:
    """The least latency from end to end of one configuration per module, as a share of the objective.

    Args:
        session: the session.
        filled: whether dummies raise the rate of every module to that of a machine at least.
    """
    s = session_arrays(session, HARPAGON.space)
    latency = np.zeros(s.rate.size)
    for m in range(s.rate.size):
        own = range(s.first[m], s.first[m + 1])
        rates = [max(s.rate[m], s.throughput[k]) if filled else s.rate[m] for k in own]
        latency[m] = min(configuration_latency(s, k, rate) for k, rate in zip(own, rates, strict=True))
    return float(path_times(s, latency, np.zeros(latency.size), np.zeros(latency.size)) / s.slo)


def games(found: Sequence[Planned], without: Without = CLIPPER) -> Games:
    """The games of some sessions: each mechanism is Harpagon's cell or a baseline cell."""
    costs = np.stack([one.costs for one in found])
    known = np.where(np.isfinite(costs), costs, -np.inf).reshape(len(found), -1).max(axis=1)
    optima = np.array([one.optimum for one in found])
    chosen = costs[:, [without.dispatch, 0]][:, :, [without.configurations, 0]][:, :, :, ::-1, ::-1]
    chosen = chosen[..., ::-1, ::-1, ::-1]
    greedy = np.moveaxis(chosen, 5, 0)
    other = greedy[4:8] if without.split == 4 else np.repeat(greedy[without.split : without.split + 1], 4, axis=0)
    # `GREEDY` has merger and cost-direct first with, then without; a split without both is the same in all four.
    pair = np.stack((other, greedy[:4])).reshape(2, 2, 2, *greedy.shape[1:])[:, ::-1, ::-1]
    whole = np.moveaxis(pair, (0, 1, 2), (5, 6, 7))
    return Games(whole, optima, np.where(np.isfinite(known), known, optima))


def checked(found: Sequence[Planned]) -> str:
    """The number of drawn combinations for which the checker finds the same cost."""
    generator = np.random.default_rng(CHECK_SEED)
    shape, agree, plans = found[0].costs.shape, 0, 0
    for _ in range(CHECKED):
        one = found[int(generator.integers(len(found)))]
        place = tuple(int(generator.integers(size)) for size in shape)
        row = row_of(cells[k] for (_, cells), k in zip(AXES, place, strict=True))
        try:
            value = solve(one.session, row.as_solver()).value
        except InapplicableError:
            value = None
        cost = one.costs[place]
        plans += value is not None
        agree += (not np.isfinite(cost)) if value is None else bool(abs(cost / float(value) - 1) < 1e-9)
    return f"{agree} of {CHECKED}, {plans} of them with a plan"


def shown(m: Measured, digits: int = 0, unit: str = " %") -> str:
    """A number with its interval."""
    if not np.isfinite(m.value):
        return "-"
    low, high = (m.value if end is None else end for end in (m.low, m.high))
    return f"{m.value:.{digits}f}{unit} ({low:.{digits}f} to {high:.{digits}f})"


def shares_table(sets: dict[str, list[Planned]]) -> str:
    """Each mechanism's part of the cost factor, with intervals, and the whole."""
    values = {name: shapley_values(games(found).worth()) for name, found in sets.items()}
    parts = {name: shares(own) for name, own in values.items()}
    rows = [[player, *(shown(parts[name][k]) for name in sets)] for k, player in enumerate(PLAYERS)]
    whole = [f"{np.exp(own.sum(axis=1).mean()):.2f} ×" for own in values.values()]
    rows.append(["all together, geometric mean", *whole])
    return table(("part of what all save", *(f"{name}, {len(sets[name])}" for name in sets)), rows)


def plans_table(sets: dict[str, list[Planned]]) -> str:
    """The sessions of a hundred that have a plan only with a mechanism."""
    played = {name: games(found).plans for name, found in sets.items()}
    found = {name: means(100 * shapley_values(own)) for name, own in played.items()}
    rows = [[player, *(shown(found[name][k], 1, "") for name in sets)] for k, player in enumerate(PLAYERS)]
    ends = [own.reshape(len(own), -1) for own in played.values()]
    rows.append(["with none of them", *(percent(float(own[:, 0].mean()), 0, sign="") for own in ends)])
    rows.append(["with all, Harpagon", *(percent(float(own[:, -1].mean()), 0, sign="") for own in ends)])
    rows.append(["with some set of them", *(percent(float(own.max(axis=1).mean()), 0, sign="") for own in ends)])
    return table(("sessions of 100 with a plan", *sets), rows)


def ends_table(sets: dict[str, list[Planned]]) -> str:
    """The factor of each mechanism: added first, on average, and added last."""
    header = ["factor of the cost"]
    columns = []
    for name, found in sets.items():
        worth = games(found).worth()
        first, last = first_and_last(worth)
        columns += [first.mean(axis=0), shapley_values(worth).mean(axis=0), last.mean(axis=0)]
        header += [f"{name}: first", "average", "last"]
    rows = [[player, *(f"{np.exp(own[k]):.2f}" for own in columns)] for k, player in enumerate(PLAYERS)]
    return table(header, rows)


def pairs_table(sets: dict[str, list[Planned]], most: int = 5) -> str:
    """The largest effects of pairs in each population."""
    rows = []
    for name, found in sets.items():
        effects = pair_effects(games(found).worth())
        places = list(zip(*np.triu_indices(len(PLAYERS), 1), strict=True))
        measured = means(np.stack([effects[:, i, j] for i, j in places], axis=1))
        order = sorted(range(len(places)), key=lambda k: -abs(measured[k].value))
        for k in order[:most]:
            i, j = places[k]
            told = "need each other" if measured[k].value > 0 else "make up for each other"
            rows.append([name, f"{PLAYERS[i]}, {PLAYERS[j]}", shown(measured[k], 2, ""), told])
    return table(("population", "pair", "effect (log of the cost factor)", "they"), rows)


def conditions_table(sets: dict[str, list[Planned]]) -> str:
    """Shares by rate and by tightness, each half of a population."""
    rows = []
    for name, found in sets.items():
        rate, tight = (float(np.median([getattr(one, field) for one in found])) for field in ("rate", "tightness"))
        halves = {
            f"at most {rate:.0f} requests/s": [one for one in found if one.rate <= rate],
            f"above {rate:.0f} requests/s": [one for one in found if one.rate > rate],
            f"SLO at most {tight:.2f} × least": [one for one in found if one.tightness <= tight],
            f"SLO above {tight:.2f} × least": [one for one in found if one.tightness > tight],
        }
        for label, half in halves.items():
            parts = shares(shapley_values(games(half).worth()))
            rows.append([f"{name}, {label} ({len(half)})", *(f"{part.value:.0f}" for part in parts)])
    return table(("share (%)", *PLAYERS), rows)


def ranges_table(sets: dict[str, list[Planned]]) -> str:
    """The ranges of shares over fallbacks and over baseline cells, and the largest mechanism under each."""
    header = ["share (%)"]
    columns: list[list[str]] = []
    for name, found in sets.items():
        own = games(found)
        fallbacks = [shares(shapley_values(own.worth(fallback))) for fallback in FALLBACKS]
        cells = [shares(shapley_values(games(found, without).worth())) for without in READINGS.values()]
        for some, label in ((fallbacks, "by fallback"), (cells, "by what is there without")):
            header.append(f"{name}, {label}")
            values = np.array([[part.value for part in one] for one in some])
            lows, highs = values.min(axis=0), values.max(axis=0)
            largest = [PLAYERS[k] for k in values.argmax(axis=1)]
            counts = {player: largest.count(player) for player in dict.fromkeys(largest)}
            first = ", ".join(f"{player} in {times} of {len(largest)}" for player, times in counts.items())
            columns.append([*(f"{low:.0f} to {high:.0f}" for low, high in zip(lows, highs, strict=True)), first])
    rows = [[label, *(column[k] for column in columns)] for k, label in enumerate((*PLAYERS, "the largest"))]
    return table(header, rows)


LEVELS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("dispatch", "`rr-even`", {"dispatch": Policy.RR_EVEN}),
    ("dispatch", "`rr`", {"dispatch": Policy.RR}),
    ("dispatch", "`machine-rate`", {"dispatch": Policy.MACHINE_RATE}),
    ("dispatch", "`machine-rate-even`", {"dispatch": Policy.MACHINE_RATE_EVEN}),
    ("configurations", "1", {"allocations": 1}),
    ("configurations", "2", {"allocations": 2}),
    ("dummies", "none", {"dummy": DummyRule.NONE}),
    ("reassigner", "none", {"reassignments": 0}),
    ("split", "throughput-based", {"splitter": Splitter.THROUGHPUT, "merge": True, "direct": True}),
    ("split", "even", OTHERS[0]),
    ("split", "in steps of 0.01 s", OTHERS[1]),
    ("split", "no node merger", {"splitter": Splitter.LATENCY_COST, "merge": False, "direct": True}),
    ("split", "no cost-direct", {"splitter": Splitter.LATENCY_COST, "merge": True, "direct": False}),
    ("hardware types", "one per session", {"hetero": Hetero.ONE}),
    ("concurrency", "1", {"concurrency": False}),
    ("batching", "batch 1", {"batching": False}),
)
"""Cells that replace Harpagon's, one at a time."""


def levels_table(sets: dict[str, list[Planned]]) -> str:
    """Each cell in place of Harpagon's: in Harpagon, and on average over all combinations of the other components."""
    header = ["component", "in its place"]
    for name in sets:
        header += [f"{name}: extra cost, in Harpagon", "plans lost", "over all combinations", "plans lost"]
    rows = []
    for component, label, cells in LEVELS:
        row = [component, label]
        for found in sets.values():
            row += level(found, component, cells)
        rows.append(row)
    return table(header, rows)


def level(found: Sequence[Planned], component: str, cells: dict[str, Any]) -> list[str]:
    """Extra cost where both have a plan, and sessions of a hundred that lose their plan with the cell."""
    axis = [name for name, _ in AXES].index(component)
    place = AXES[axis][1].index(cells)
    costs = np.stack([one.costs for one in found])
    with_it, without = np.take(costs, 0, axis + 1), np.take(costs, place, axis + 1)
    row = []
    for own, other in (
        (with_it.reshape(len(found), -1)[:, 0], without.reshape(len(found), -1)[:, 0]),
        (with_it, without),
    ):
        both = np.isfinite(own) & np.isfinite(other)
        extra = float(np.exp(np.log(other[both] / own[both]).mean()) - 1) if both.any() else float("nan")
        lost = 100 * (np.isfinite(own).mean() - np.isfinite(other).mean())
        row += [percent(extra, 1), f"{lost:.0f}".replace("-0", "0")]
    return row


def missed_table(found: Sequence[Planned]) -> str:
    """The plans of each change of one cell for the sessions that Harpagon misses."""
    missed = [one for one in found if not np.isfinite(one.harpagon)]
    rows = []
    for component, label, cells in LEVELS:
        own = [cost for one in missed if (cost := in_harpagons_space(one.session, row_of([cells]))) is not None]
        rows.append([f"{component}: {label}", *gaps_of(own, missed)])
    for name in ("split-bruteforce:breakpoints", "piccolo", "nexus", "scrooge", "inferline", "clipper"):
        own = [cost for one in missed if (cost := in_harpagons_space(one.session, name)) is not None]
        rows.append([f"`{name}`", *gaps_of(own, missed)])
    return table(("in place of Harpagon's", f"plans, of {len(missed)}", "over the optimum: least", "most"), rows)


def in_harpagons_space(session: Session, solver: System | str) -> tuple[str, float] | None:
    """Cost of a solver's plan in Harpagon's plan space; None if there is no plan or this space refuses it."""
    try:
        result = solve(session, solver if isinstance(solver, str) else solver.as_solver(), time_limit_s=LIMIT_S)
    except InapplicableError:
        return None
    if result.plan is None:
        return None
    found = evaluate(session, result.plan, HARPAGON.space)
    return (session.name, float(found.cost_per_h)) if found.feasible and found.cost_per_h is not None else None


def gaps_of(costs: Sequence[tuple[str, float]], found: Sequence[Planned]) -> list[str]:
    """The number of plans, and the least and largest gap to the optimum."""
    optima = {one.session.name: one.optimum for one in found}
    gaps = [cost / optima[name] - 1 for name, cost in costs]
    return [str(len(gaps)), *((percent(min(gaps), 0), percent(max(gaps), 0)) if gaps else ("", ""))]


def reasons_table(sets: dict[str, list[Planned]]) -> str:
    """The least latency that Algorithm 2 counts, on sessions that Harpagon plans and misses."""
    rows = []
    for name, found in sets.items():
        for label, some in (
            ("with a plan", [one for one in found if np.isfinite(one.harpagon)]),
            ("without", [one for one in found if not np.isfinite(one.harpagon)]),
        ):
            if some:
                bare = [1 / one.tightness for one in some]
                filled = [least_latency(one.session, filled=True) for one in some]
                rows.append(
                    [
                        name,
                        label,
                        str(len(some)),
                        *(f"{x:.2f}" for x in (min(bare), max(bare))),
                        str(sum(x > 1 for x in bare)),
                        f"{min(filled):.2f}",
                        f"{max(filled):.2f}",
                    ]
                )
    header = ("population", "Harpagon", "sessions", "least latency it can count / SLO: least", "most", "above 1")
    return table((*header, "the same with filled machines: least", "most"), rows)


def worst_table(found: Sequence[Planned], above: float = 0.01) -> str:
    """The cost of single changes on the sessions where Harpagon is more than 1 % off."""
    off = sorted(
        (one for one in found if above < one.harpagon / one.optimum - 1 < np.inf),
        key=lambda one: -one.harpagon / one.optimum,
    )
    changes: dict[str, System | str] = {
        "best split": "split-bruteforce:breakpoints",
        "one configuration": row_of([{"allocations": 1}]),
        "even split": row_of([OTHERS[0]]),
        "steps of 0.01 s": row_of([OTHERS[1]]),
        "dispatch `rr`": row_of([{"dispatch": Policy.RR}]),
    }
    rows = []
    for one in off:
        cells = []
        for solver in changes.values():
            cost = in_harpagons_space(one.session, solver)
            cells.append("no plan" if cost is None else percent(cost[1] / one.optimum - 1, 1))
        rows.append([one.session.name, percent(one.harpagon / one.optimum - 1, 1), *cells])
    return table(("session", "Harpagon over the optimum", *changes), rows)


def draw(sets: dict[str, list[Planned]]) -> Figure:
    """Shares of the cost and plans, by mechanism and population."""
    figure = Figure(figsize=(7, 5.6))
    left, right = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(PLAYERS))[::-1]
    for number, (name, found) in enumerate(sets.items()):
        own, colour = games(found), PALETTE[number]
        for axes, numbers in (
            (left, shares(shapley_values(own.worth()))),
            (right, means(100 * shapley_values(own.plans))),
        ):
            y = places + 0.25 * (1 - number)
            axes.hlines(y, [m.low for m in numbers], [m.high for m in numbers], color=colour, linewidth=2.4, alpha=0.55)
            axes.plot([m.value for m in numbers], y, "osD"[number], color=colour, markersize=6, label=name)
    for axes, title, label in (
        (left, "Cost: part of all saved", "% of log cost"),
        (right, "Plans found", "more sessions of 100"),
    ):
        axes.axvline(0, color=MUTED, linewidth=1)
        axes.set_title(title, fontsize=13)
        axes.set_xlabel(label, fontsize=12)
        axes.tick_params(labelsize=12)
        grid(axes, "x")
    left.set_yticks(places, [player.replace("`", "") for player in PLAYERS], fontsize=12)
    right.legend(loc="center right", bbox_to_anchor=(1.02, 0.36), fontsize=11, handletextpad=0.2)
    return figure


def main() -> None:
    """Plan by all combinations, write tables and figure."""
    parser = argparse.ArgumentParser(description="The worth of each mechanism of Harpagon.")
    parser.add_argument("folder", type=Path, nargs="?", default=MEASURED[0], help="measured sessions")
    parser.add_argument("--try", type=int, dest="few", metavar="N", help="N sessions of each population; into build/")
    asked = parser.parse_args()
    if asked.few is not None and asked.few < 2:
        parser.error("--try: give 2 or more, as the sessions of a population are divided into halves")
    page, further, figure = (PAGE, TABLES, FIGURE) if asked.few is None else _elsewhere()
    drawn = {name: list(islice(sessions, asked.few)) for name, sessions in populations(asked.folder)}
    sets = {name: planned(name, sessions) for name, sessions in drawn.items()}
    draw_styled(figure, lambda: draw(sets))
    every = [one for found in sets.values() for one in found]
    tables = {
        "who": who(drawn),
        "shares": shares_table(sets),
        "plans": plans_table(sets),
        "ends": ends_table(sets),
        "pairs": pairs_table(sets),
        "checked": f"Priced the same by the checker: {checked(every)}.",
    }
    more = {
        "conditions": conditions_table(sets),
        "ranges": ranges_table(sets),
        "levels": levels_table(sets),
        "reasons": reasons_table(sets),
    }
    if "measured" in sets:
        more |= {"missed": missed_table(sets["measured"]), "worst": worst_table(sets["measured"])}
    paste(page, tables)
    paste(further, more)


def _elsewhere() -> tuple[Path, Path, Path]:
    """Copies of the pages, and the path of the figure, for `--try`."""
    TRIED.mkdir(parents=True, exist_ok=True)
    pages = [TRIED / page.name for page in (PAGE, TABLES)]
    for page in pages:
        page.write_text((FINDINGS / page.name).read_text(encoding="utf-8"), encoding="utf-8")
    return pages[0], pages[1], TRIED / FIGURE.name


if __name__ == "__main__":
    mpl.use("agg")
    main()
