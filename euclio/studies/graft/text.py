"""The study's part of its page: key numbers, the picture, Table III, figures, what is not reproduced, readings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pandas as pd

from euclio.analysis.statistics import Measured, mean
from euclio.core.data_files import data_dir
from euclio.core.words import span
from euclio.report import Block, Heading, KeyNumber, Paragraph, Table
from euclio.studies.graft.cases import NETWORKS, SCALES
from euclio.studies.graft.figures import (
    figure_7,
    figure_11,
    figure_13,
    figure_15,
    figure_16,
    figure_17,
    figure_18,
    figure_19,
    figure_20,
    over_optimum_figure,
)
from euclio.studies.graft.input_figures import figure_2, figure_4, figure_6, figure_12
from euclio.studies.graft.measures import of, over_optimum, table_iii
from euclio.studies.graft.sweeps import RANGES, movements
from euclio.studies.graft.systems import GRAFT, GSLICE, GSLICE_PLUS, STATIC
from euclio.studies.scorecard import Score, outcomes_text, score_line, tally
from euclio.studies.study import Collected, Text
from euclio.studies.verdicts import Verdict

NOT_RUN = (
    (
        "Figure 5",
        "the architecture, which is no measurement",
    ),
    (
        "Figures 8, 9 and 10",
        "distributions of latencies on a testbed, of which the text prints no number; `euclio simulate` follows the "
        "requests of a plan",
    ),
    (
        "Figure 21",
        "energy: it takes a power model of the GPU, of which the paper prints nothing",
    ),
)
READINGS = (
    "Edges of Graft's graph weigh minus the distance of their ends. As printed, with the distance itself and heavy "
    "edges kept inside of groups, unlike fragments come together (graft:literal).",
    "A re-partition point that a fragment begins at leaves it on the shared stage; line 7 of Algorithm 1 leaves it "
    "out, and would realign it forever at the first point.",
    "Optimal is printed to enumerate 252 groupings of ten fragments: the choices of five of ten, so the best "
    "division into two balanced groups, each realigned by Graft. That is an optimum of Graft's own plans. "
    "The least share of all plans, with any sets, is what the picture shows.",
    "The margin of a part is what its cheapest instances could do at the best batch size in time, over what it has "
    "to, less 1. A part is closed at the threshold; one that then leaves little over can still take more per "
    "request than a larger part would, and so threshold 0.01 at massive scale merges less than GSLICE+ does.",
    "At most five instances are allowed of a stage at 20 Nano clients. No plan of ours needs more, so that the bound, "
    "which makes Res worse than GSLICE in the paper, changes nothing here.",
    "Static plans the fleet of the same clients at their mean bandwidth, as GSLICE; it is charged for that plan alone.",
    "Figure 17's amounts of resources are those that GSLICE takes for some clients; the paper does not print them.",
)


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    tables = collected.tables
    printed = {score.published.key: score.published.value for score in scores}
    (fitted, fits), (hit, all_) = tally(scores)["fit"], tally(scores)["check"]
    return Text(
        summary=[Paragraph(summary_text(collected)), table_iii_block(tables["shares"], printed), optimum_block(tables)],
        tally=f"{fits} of the printed figures are what goes in (role fit; {fitted} without visible difference: "
        "networks, devices, rates and options are the printed ones, the three margins were fitted). Nothing was fitted "
        f"to the other {all_} that count: {hit} are without visible difference. Layers' latencies by share and batch, "
        "outputs' sizes and uplinks are ours.",
        sections=[
            Heading("What goes in: Figures 2, 4, 6 and 12"),
            figure_2(tables["figure_2"]),
            figure_4(),
            figure_6(tables["fragments"]),
            figure_12(tables["figure_12"]),
            Heading("Shares and throughput: Figures 7, 17, 18 and 20"),
            figure_7(tables),
            figure_17(tables, printed),
            figure_18(tables, printed),
            figure_20(tables),
            Heading("What each step is worth: Figures 11, 13 to 16 and 19"),
            figure_11(tables, printed),
            figure_13(tables, printed),
            figure_15(tables),
            figure_16(tables),
            figure_19(tables),
            Heading("What is not printed, and what it moves"),
            *parameter_blocks(tables["swept"], scores),
            Heading("What is not reproduced"),
            not_reproduced_block(),
            Heading("How the paper was read"),
            *(Paragraph(reading) for reading in READINGS),
        ],
        run=run_blocks(collected),
        headlines=[score_line(score) for score in scores if score.counted and score.published.role == "check"],
        card=[not_reproduced_block()],
        numbers=numbers(tables, scores),
        pictures=[over_optimum_figure(tables)],
    )


def numbers(tables: Mapping[str, pd.DataFrame], scores: Sequence[Score]) -> list[KeyNumber]:
    """What a reader shall see first: the distance from the optimum, what is saved, what planning takes."""
    gap, saved = gap_at(tables, "large_homo"), saved_over_gslice_plus(tables["shares"])
    times = {score.published.key: score for score in scores}["time_saved"]
    balanced = tables["balanced"]
    best = mean(100.0 * (balanced.share / balanced.best - 1.0))
    return [
        KeyNumber(
            f"{gap.value:.0f} %",
            "Graft's share above the least possible, 20 clients",
            f"published: within 4 % of its Optimal; here {best.value:.1f} % above the best balanced grouping of ten",
        ),
        KeyNumber(
            f"{saved.value:.0f} %",
            "share saved over GSLICE+, 20 clients",
            "mean of the networks; published 18.7 and 33.5 % (homogeneous, heterogeneous)",
        ),
        KeyNumber(
            f"{times.measured.value:.1f} %",
            "planning time saved over all balanced groupings",
            "ten fragments; published up to 99.6 % (ten to fifty)",
        ),
    ]


def gap_at(tables: Mapping[str, pd.DataFrame], scale: str) -> Measured:
    """Graft's share above the optimum in per cent at a scale, over all networks."""
    return mean(of(over_optimum(tables), scale=scale)[GRAFT])


def saved_over_gslice_plus(shares: pd.DataFrame) -> Measured:
    """Share that Graft saves over GSLICE+ in per cent with 20 clients, over all networks."""
    own = shares[shares.scale.str.startswith("large")]
    return mean(100.0 * (1.0 - own[GRAFT] / own[GSLICE_PLUS]))


def summary_text(collected: Collected) -> str:
    """What the run says, plainly."""
    tables = collected.tables
    shares, balanced = tables["shares"], tables["balanced"]
    small = shares[shares.scale.str.startswith("small")]
    over_gslice = mean(100.0 * (1.0 - small[GRAFT] / small[GSLICE]))
    best = mean(100.0 * (balanced.share / balanced.best - 1.0))
    gaps = {scale.words: gap_at(tables, scale.key) for scale in SCALES}
    by = ", ".join(f"{words} {m.value:.0f} %" for words, m in gaps.items())
    cheaper = (shares[STATIC] < shares[GRAFT]).groupby(shares.network).mean()
    static = ", ".join(f"{NETWORKS[str(key)]} {100 * value:.0f} %" for key, value in cheaper.items() if value > 0)
    return (
        f"Realigning saves share at every scale that was run: {over_gslice.value:.0f} % of GSLICE's with 4 and 6 "
        f"clients and {saved_over_gslice_plus(shares).value:.0f} % of GSLICE+'s with 20, averaged over the networks. "
        f"But Graft is not near the least share that is possible: {by} above it, on average. The paper's Optimal, "
        "within 4 % of which it prints Graft, is the best of all balanced groupings of what Graft has merged; of that "
        f"optimum, with ten fragments, Graft is {best.value:.1f} % away. The rest lies in sets that no balanced "
        "grouping of five makes. Fleets on which Static's plan for the mean bandwidth takes less than Graft's for the "
        f"moment: {static}."
    )


def table_iii_block(shares: pd.DataFrame, printed: Mapping[str, float]) -> Table:
    """Table III, measured and printed."""
    found = table_iii(shares)
    rows = []
    for scale in SCALES:
        name = "gslice" if scale.key.startswith("small") else "gslice_plus"
        keys = [f"{scale.key}_{name}_{key}" for key in NETWORKS]
        measured = tuple(f"{found[key].value:.1f} ({printed[key]:g})" for key in keys)
        rows.append((scale.words, "GSLICE" if name == "gslice" else "GSLICE+", *measured))
    return Table(
        "Table III: share saved in per cent, measured and in brackets as published",
        ("clients", "over", *NETWORKS.values()),
        tuple(rows),
        frozenset(range(2, 7)),
    )


def optimum_block(tables: Mapping[str, pd.DataFrame]) -> Table:
    """Distance from the optimum by scale and system."""
    over = over_optimum(tables)
    rows = []
    for scale in SCALES:
        own = of(over, scale=scale.key)
        gap = mean(own[GRAFT])
        others = tuple(f"{own[system].mean():.0f}" for system in (GSLICE_PLUS, GSLICE, STATIC))
        proven = f"{int((own.status == 'optimal').sum())} of {len(own)}"
        rows.append((scale.words, f"{gap.value:.1f}", span(gap.low, gap.high), *others, proven))
    return Table(
        "Share above the least possible in per cent, mean over networks and fleets",
        ("clients", GRAFT, "95 % interval", GSLICE_PLUS, GSLICE, STATIC, "proven"),
        tuple(rows),
        frozenset(range(1, 7)),
    )


def parameter_blocks(swept: pd.DataFrame, scores: Sequence[Score]) -> list[Block]:
    """What varying each parameter does to the figures, and which verdicts rest on it."""
    if swept.empty:
        return [Paragraph("Parameters were not varied in this run.")]
    differing = [s for s in scores if s.published.role == "check" and s.differs]
    rows = []
    for words, values in RANGES.values():
        prefix = f"{words} ("
        reached = [
            s.published.key
            for s in differing
            for moved in movements(swept, s.published.key, s.measured.value)
            if moved.parameter.startswith(prefix) and moved.across(s.published.value)
        ]
        rested = [
            s.published.key for s in differing if s.judged.verdict is Verdict.PROFILES and words in s.judged.because
        ]
        rows.append((words, f"{values[0]:g} to {values[-1]:g}", f"{values[1]:g}", str(len(reached)), str(len(rested))))
    return [
        Paragraph(
            "Each parameter was varied alone, on few draws; what that changes is added to the scorecard's figure, "
            f"which has the verdict “{Verdict.PROFILES}” only where one of them moves it across the printed value; of "
            "several the one that moves it most steadily is named."
        ),
        Table(
            f"Of {len(differing)} figures that differ: how many each parameter moves across the printed value, and of "
            "how many it is named",
            ("parameter", "varied", "fitted or set", "reaches", "named"),
            tuple(rows),
            frozenset(range(1, 5)),
        ),
    ]


def not_reproduced_block() -> Table:
    """Figures that were not measured, with the reason."""
    published = json.loads((data_dir() / "published" / "graft.json").read_text(encoding="utf-8"))
    single = [(f"{entry['what']}: {entry['value']:g}", entry["why"]) for entry in published["not_reproduced"]]
    return Table("Not reproduced", ("what", "why"), (*NOT_RUN, *single))


def run_blocks(collected: Collected) -> list[Block]:
    """How much was run, and what ended without a proof."""
    sampling = collected.details.sampling
    optima = pd.concat([collected.tables["optima"], collected.tables["ratios"]])
    labels = pd.Series(collected.details.exact, index=optima.index)
    return [
        Heading("Run"),
        Paragraph(
            f"Seed {collected.asked.seed}: {sampling.draws} fleets per network and number of clients, {sampling.steps} "
            f"for the studies of steps; the optimum of {sampling.proven} of them by {collected.details.exact} within "
            f"{sampling.limit_s:g} s each: {int((optima.status == 'optimal').sum())} of {len(optima)} proven. Where it "
            "is not, its bound stands for it. Without an accepted plan: "
            f"{outcomes_text(labels, optima.status)}. Every plan is checked in fractions. `--full` draws 50 fleets and "
            "proves 10, as the paper does. Planning times are processor times of one process."
        ),
    ]
