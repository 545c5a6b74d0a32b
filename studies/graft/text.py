"""The study's part of its page: key numbers, the picture, Table III, figures, missing numbers, readings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pandas as pd

from euclio.core.folders import data_dir
from euclio.core.words import span
from euclio.report import Block, Heading, KeyNumber, Paragraph, Table
from euclio.report.analysis.statistics import Measured, mean
from studies.agreement import Verdict, agreement
from studies.graft.cases import NETWORKS, SCALES, fitted_once
from studies.graft.energy import energy_block, energy_text
from studies.graft.figures import (
    figure_2,
    figure_4,
    figure_6,
    figure_7,
    figure_8,
    figure_11,
    figure_12,
    figure_13,
    figure_15,
    figure_16,
    figure_17,
    figure_18,
    figure_19,
    figure_20,
    over_optimum_figure,
)
from studies.graft.measures import above_grouping, of, over_optimum, table_iii, table_iii_key
from studies.graft.memory import memory_block
from studies.graft.sweeps import RANGES, movements, readings
from studies.graft.systems import GRAFT, GSLICE, GSLICE_PLUS, REGROUP, STATIC
from studies.papers.published import notes
from studies.scorecard import Score, outcomes_text, score_line, tally
from studies.study import Collected, Text


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    tables = collected.tables
    printed = {score.published.key: score.published.value for score in scores}
    (_, inputs), (_, fits), (hit, all_) = (tally(scores)[role] for role in ("input", "fit", "check"))
    return Text(
        summary=[
            Paragraph(summary_text(collected)),
            table_iii_block(tables["shares"], printed),
            memory_block(tables["memory"], _saved_at_large(tables["shares"])),
            optimum_block(tables),
            larger_block(tables),
        ],
        tally=f"{inputs} of the printed numbers are inputs (role input): networks, devices, rates, options. To "
        f"{fits} a parameter was fitted (role fit). Row 1 of Table III, whose largest number is the headline, alone "
        "determined the fixed cost of a batch, a value per network. The three "
        "resource margins determined the part of launches that no share shortens, one value for all networks, while "
        "the fixed cost was the same for all. Nothing was fitted to "
        f"the {all_} checks, which include rows 2 to 4 of Table III: {hit} are shown to agree. Latencies of layers by "
        "share and batch, output sizes and uplinks are ours.",
        sections=[
            Heading("Inputs: Figures 2, 4, 6 and 12"),
            figure_2(tables["figure_2"]),
            figure_4(),
            figure_6(tables["fragments"]),
            figure_12(tables["figure_12"]),
            Heading("Shares and throughput: Figures 7, 17, 18 and 20"),
            figure_7(tables),
            figure_17(tables, printed),
            figure_18(tables, printed),
            figure_20(tables),
            Heading("End-to-end latency: Figures 8, 9 and 10"),
            figure_8(tables),
            Paragraph(latency_text(tables["latencies"])),
            Heading("Energy: Figure 21"),
            energy_text(tables["energy"]),
            energy_block(tables["energy"]),
            Heading("The worth of each step: Figures 11, 13 to 16 and 19"),
            figure_11(tables, printed),
            figure_13(tables, printed),
            figure_15(tables),
            figure_16(tables),
            figure_19(tables),
            Heading("Unprinted parameters and their effect"),
            *parameter_blocks(tables["swept"], scores),
            Paragraph(fitted_text(tables["shares"], printed)),
            readings_block(collected, scores),
            Heading("Numbers that no reading and no parameter reaches"),
            Paragraph(unreached_text(collected, scores)),
            Heading("Numbers not reproduced"),
            not_reproduced_block(),
            Heading("How the paper was read"),
            *(Paragraph(reading) for reading in notes("graft", "readings")),
        ],
        run=run_blocks(collected),
        headlines=[score_line(score) for score in scores if score.published.role == "check"],
        card=[not_reproduced_block()],
        numbers=numbers(tables),
        pictures=[over_optimum_figure(tables)],
    )


def numbers(tables: Mapping[str, pd.DataFrame]) -> list[KeyNumber]:
    """The key numbers: the distance from the optimum, Graft's and ours, and the savings."""
    gap, saved = gap_at(tables, "large_homo"), saved_over_gslice_plus(tables["shares"])
    by = gaps_by_network(tables, "large_homo")
    worst = max(by, key=lambda key: by[key])
    ours, many = gap_at(tables, "large_homo", REGROUP), tables["bounded"]
    own, ten = (above_grouping(tables[name]) for name in ("optimal", "balanced"))
    above = {system: 100.0 * (many[system] / many.bound - 1.0) for system in (GRAFT, "value")}
    clients = ", ".join(str(number) for number in sorted(many.clients.unique()))
    return [
        KeyNumber(
            f"{gap.value:.0f} %",
            "is Graft's GPU share above the least possible one, 20 clients, mean of the networks",
            f"{NETWORKS[worst]}, the worst network: {by[worst]:.1f} %; above the paper's own Optimal (“within 4 %”), "
            f"the best grouping of Graft's merged fragments: {own.mean():.1f} % (10 clients: "
            f"{ten.mean():.1f} %)",
        ),
        KeyNumber(
            f"{ours.value:.1f} %",
            f"is the GPU share of {REGROUP} (ours) above the least possible one, 20 clients",
            f"with {clients} clients at most {above['value'].max():.1f} % above a proven bound, Graft "
            f"{above[GRAFT].min():.0f} to {above[GRAFT].max():.0f} %",
        ),
        KeyNumber(
            f"{saved.value:.0f} %",
            "of GSLICE+'s GPU share is saved by Graft, 20 clients",
            "mean of the networks; published 18.7 and 33.5 % (homogeneous, heterogeneous)",
        ),
    ]


def gap_at(tables: Mapping[str, pd.DataFrame], scale: str, system: str = GRAFT) -> Measured:
    """A system's share above the optimum in per cent at a scale, over all networks."""
    return mean(of(over_optimum(tables), scale=scale)[system])


def gaps_by_network(tables: Mapping[str, pd.DataFrame], scale: str) -> dict[str, float]:
    """Graft's mean share above the optimum in per cent at a scale, by key of the network."""
    means = of(over_optimum(tables), scale=scale).groupby("network")[GRAFT].mean()
    return {str(key): float(value) for key, value in means.items()}


def saved_over_gslice_plus(shares: pd.DataFrame) -> Measured:
    """Share that Graft saves over GSLICE+ in per cent with 20 clients, over all networks."""
    own = shares[shares.scale.str.startswith("large")]
    return mean(100.0 * (1.0 - own[GRAFT] / own[GSLICE_PLUS]))


def summary_text(collected: Collected) -> str:
    """The summary of the run."""
    tables = collected.tables
    shares = tables["shares"]
    small = shares[shares.scale.str.startswith("small")]
    over_gslice = mean(100.0 * (1.0 - small[GRAFT] / small[GSLICE]))
    own, ten = (above_grouping(tables[name]) for name in ("optimal", "balanced"))
    own_worst = own.groupby("network").mean()
    some = tables["optima_25"]
    grouped = 100.0 * (some[GRAFT] / some.grouped - 1.0)
    gaps = {scale.words: gap_at(tables, scale.key) for scale in SCALES}
    by = ", ".join(f"{m.value:.0f} % ({words})" for words, m in gaps.items())
    cheaper = (shares[STATIC] < shares[GRAFT]).groupby(shares.network).mean()
    static = ", ".join(f"{NETWORKS[str(key)]} {100 * value:.0f} %" for key, value in cheaper.items() if value > 0)
    by_network = gaps_by_network(tables, "large_homo")
    worst = max(by_network, key=lambda key: by_network[key])
    mean_gap, ours = gap_at(tables, "large_homo").value, gap_at(tables, "large_homo", REGROUP).value
    return (
        "There are two optima. The paper's Optimal is the best of all groupings of Graft's merged fragments, "
        f"each realigned by Graft. With 20 Nano, Graft takes {own.mean():.1f} % more share than this optimum (mean of "
        f"the networks; {NETWORKS[str(own_worst.idxmax())]} {own_worst.max():.1f} %; printed: within 4 %), with ten "
        f"{ten.mean():.1f} %. The claim is compared with this optimum. "
        "The other optimum is the least share of all plans, with any sets. With 20 Nano, Graft takes "
        f"{mean_gap:.0f} % (mean of the networks) to {by_network[worst]:.0f} % ({NETWORKS[worst]}) more. "
        f"By scale it takes {by} more. With 25 clients Graft takes "
        f"{grouped.mean():.1f} % more than the best sets of at most five of its merged fragments. The rest is lost in "
        f"merging and by sets that are too small: regroup, ours, takes {ours:.1f} % more than the least share with "
        f"20 Nano. Realignment saves at every scale: Graft takes "
        f"{over_gslice.value:.0f} % less than GSLICE with 4 and 6 clients and "
        f"{saved_over_gslice_plus(shares).value:.0f} % less than GSLICE+ with 20, averaged over the networks. Static "
        "plans for the mean bandwidth, Graft for the moment. Static takes less than Graft on this part of the "
        f"fleets: {static}."
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
        "Table III: share that Graft saves in per cent (higher is better), measured and in brackets as published",
        ("clients", "over", *NETWORKS.values()),
        tuple(rows),
        frozenset(range(2, 7)),
    )


def fitted_text(shares: pd.DataFrame, printed: Mapping[str, float]) -> str:
    """The rows of Table III that parameters were fitted to, and the distance of the other rows."""
    found, once = table_iii(shares), fitted_once()
    values = ", ".join(f"{name} {once[key]:g}" for key, name in NETWORKS.items())
    off = []
    for scale in SCALES:
        keys = [table_iii_key(scale.key, key)[0] for key in NETWORKS]
        off.append(sum(abs(found[name].value - printed[name]) for name in keys) / len(keys))
    others = ", ".join(f"{points:.1f} in row {row}" for row, points in enumerate(off[1:], 2))
    return (
        f"The fixed cost of a batch, as a part of a network's work, is none of these parameters. It is {values}: the "
        "value per network, in steps of 0.05, at which row 1 of Table III is nearest to the printed row over 50 draws "
        "(`docs/tools/graft_once.py`). No other number was used. The measured savings differ from the printed ones "
        f"by {off[0]:.1f} points on average in row 1, which was fitted, and by {others}, which were not."
    )


def _saved_at_large(shares: pd.DataFrame) -> dict[str, float]:
    """Share that Graft saves over GSLICE+ with 20 Nano, by network."""
    found = table_iii(shares)
    return {key: found[f"large_homo_gslice_plus_{key}"].value for key in NETWORKS}


def optimum_block(tables: Mapping[str, pd.DataFrame]) -> Table:
    """Distance from the optimum by scale and system."""
    over = over_optimum(tables)
    rows = []
    for scale in SCALES:
        own = of(over, scale=scale.key)
        gap = mean(own[GRAFT])
        ours = f"{own[REGROUP].mean():.1f}"
        others = (ours, *(f"{own[system].mean():.0f}" for system in (GSLICE_PLUS, GSLICE, STATIC)))
        proven = f"{int((own.status == 'optimal').sum())} of {len(own)}"
        rows.append((scale.words, f"{gap.value:.1f}", span(gap.low, gap.high), *others, proven))
    return Table(
        "Share above the least possible one in per cent, mean over networks and fleets (lower is better, 0 is optimal)",
        ("clients", GRAFT, "95 % interval", f"{REGROUP} (ours)", GSLICE_PLUS, GSLICE, STATIC, "proven"),
        tuple(rows),
        frozenset(range(1, 8)),
    )


def larger_block(tables: Mapping[str, pd.DataFrame]) -> Table:
    """Distance from the optimum of 25 fragments, and from a bound of hundreds, by network."""
    some, many = tables["optima_25"], tables["bounded"]
    rows = []
    for key, name in NETWORKS.items():
        if of(some, network=key).empty:
            continue
        own = [(str(number), found) for number, found in of(many, network=key).groupby("clients")]
        for words, found in (("25", of(some, network=key)), *own):
            over = [f"{100.0 * (found[what] / found.bound - 1.0).mean():.1f}" for what in (GRAFT, "value")]
            rows.append((name, words, *over))
    return Table(
        "More clients: share above the proven bound in per cent (lower is better)",
        ("network", "clients", GRAFT, "best plan of ours"),
        tuple(rows),
        frozenset(range(1, 4)),
    )


def latency_text(rows: pd.DataFrame) -> str:
    """The simulation's results next to the paper's sentences on Figures 8 to 10."""
    late = 100.0 * (1.0 - rows.groupby(["scale", "device", "system", "network"]).kept.mean())
    own = late["small_heter", "tx2", GRAFT]
    by = ", ".join(f"{NETWORKS[key]} {own[key]:.1f} %" for key in NETWORKS if key in own)
    worst = late.groupby("system").max()
    median = of(rows, scale="small_homo").groupby(["system", "network"])["median"].mean()
    slower = [name for key, name in NETWORKS.items() if median[GRAFT].get(key, 0.0) > median[GSLICE].get(key, 0.0)]
    return (
        "In the paper Graft keeps the objectives except for VGG on TX2, and GSLICE is faster with four Nano except for "
        f"Mob. Here these shares of TX2's requests, next to Nano, are late under Graft: {by}. The largest late share "
        f"in any panel is {worst[GRAFT]:.1f} % under Graft, {worst[REGROUP]:.1f} % under regroup, "
        f"{worst[GSLICE_PLUS]:.1f} % under GSLICE+ and {worst[GSLICE]:.1f} % under GSLICE. Where clients share a "
        "stage, their requests may coincide and wait longer than the plan assumes. With four Nano the median "
        f"latency is longer under Graft than under GSLICE for {', '.join(slower) or 'none'}."
    )


def parameter_blocks(swept: pd.DataFrame, scores: Sequence[Score]) -> list[Block]:
    """The effects of each parameter on the numbers that are off."""
    if swept.empty:
        return [Paragraph("Parameters were not varied in this run.")]
    off = [s for s in scores if s.published.role == "check" and s.verdict == Verdict.OFF]
    across = [
        (moved.parameter, s.published.key)
        for s in off
        for moved in movements(swept, s.published.key, s.measured.value)
        if moved.across(s.published.value)
    ]
    rows = []
    for words, values in RANGES.values():
        reached = sum(parameter.startswith(f"{words} (") for parameter, _ in across)
        rows.append((words, f"{values[0]:g} to {values[-1]:g}", f"{values[1]:g}", str(reached)))
    return [
        Paragraph(
            "We varied each parameter alone, on few draws. The change is added to the scorecard's number; the reason "
            "of each number that moves states it."
        ),
        Table(
            f"How many of the {len(off)} check numbers that are off each parameter moves across the printed value",
            ("parameter", "varied", "fitted or set", "reaches"),
            tuple(rows),
            frozenset(range(1, 4)),
        ),
    ]


def readings_block(collected: Collected, scores: Sequence[Score]) -> Table:
    """For each other reading: the count of measured numbers, those that it brings to agree, and those that it loses."""
    score_of = {score.published.key: score for score in scores}
    tried: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for key, found in readings(collected).items():
        if key in score_of:
            for own in found:
                value = score_of[key].published.value
                kind = score_of[key].published.kind
                own_agrees, other_agrees = (
                    agreement(value, m, kind) == Verdict.AGREES for m in (score_of[key].measured, own.measured)
                )
                tried.setdefault((own.question, own.answer), []).append((own_agrees, other_agrees))
    rows = [
        (question, answer, str(len(all_)), str(all_.count((False, True))), str(all_.count((True, False))))
        for (question, answer), all_ in tried.items()
    ]
    return Table(
        "Other readings, each for all numbers that it affects: how many differing numbers it makes agree, and how many "
        "agreeing numbers it would lose",
        ("open question", "the other answer", "numbers", "reached", "lost"),
        tuple(rows),
        frozenset(range(2, 5)),
    )


GAINS = ("small_", "large_", "repartition_", "throughput_", "massive_")
"""Prefixes of the keys of Graft's gains over other systems."""


def unreached_text(collected: Collected, scores: Sequence[Score]) -> str:
    """Common features of the numbers that no other reading and no parameter brings to agree."""
    by_key, swept = readings(collected), collected.tables["swept"]

    def reached(score: Score) -> bool:
        p = score.published
        by_reading = (agreement(p.value, one.measured, p.kind) for one in by_key.get(p.key, ()))
        by_parameter = (one.across(p.value) for one in movements(swept, p.key, score.measured.value))
        return Verdict.AGREES in by_reading or any(by_parameter)

    left = [score for score in scores if score.verdict == Verdict.OFF and not reached(score)]
    gains = [s for s in left if s.published.key.startswith(GAINS)]
    larger = [s for s in gains if s.measured.value > s.published.value]
    by = {name: sum(s.published.key.endswith(f"_{key}") for s in larger) for key, name in NETWORKS.items()}
    words = ", ".join(f"{name} {count}" for name, count in by.items() if count)
    others = "; ".join(s.published.what for s in left if s not in gains)
    return (
        f"Neither another reading nor a single parameter reaches {len(left)} numbers. {len(gains)} of them are gains "
        f"of Graft over another system, and in {len(larger)} of these ours is larger than printed "
        f"({words}). The paper's instances take memory, the bottleneck of Res and ViT by its account. It prints "
        "no memory limit except at most five instances of a fragment. Here that limit never binds, and only its time "
        "budget limits the batches of a stage. ViT sends one request per second, so all its "
        "clients fit on a few instances, and each saved instance is a large part of them. None of our parameters "
        f"limits sharing. The others are: {others or 'none'}."
    )


def not_reproduced_block() -> Table:
    """Numbers that were not measured, with the reason."""
    published = json.loads((data_dir() / "published" / "graft.json").read_text(encoding="utf-8"))
    single = [(f"{entry['what']}: {entry['value']:g}", entry["why"]) for entry in published["not_reproduced"]]
    return Table("Not reproduced", ("what", "why"), (*map(tuple, notes("graft", "not_run")), *single))


def run_blocks(collected: Collected) -> list[Block]:
    """The sizes of the samples, and the runs that ended without a proof."""
    sampling = collected.details.sampling
    optima = pd.concat([collected.tables["optima"], collected.tables["ratios"]])
    labels = pd.Series(collected.details.exact, index=optima.index)
    return [
        Heading("Run"),
        Paragraph(
            f"Seed {collected.asked.seed}: {sampling.draws} fleets per network and number of clients, {sampling.steps} "
            f"for the studies of steps. {sampling.proven} of them get an optimum by {collected.details.exact} within "
            f"{sampling.limit_s:g} s each: {int((optima.status == 'optimal').sum())} of {len(optima)} proven. An "
            "unproven optimum is replaced by its bound. Without an accepted plan: "
            f"{outcomes_text(labels, optima.status)}. The checker checks every plan in fractions. `--full` draws 50 "
            "fleets and proves 10, as the paper does. Planning times are processor times of one process."
        ),
    ]
