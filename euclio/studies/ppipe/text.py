"""What the page says: gains, distances from the optimum, measured instances, how the paper was read, the run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from euclio.analysis.statistics import mean
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import decimals, percent, span
from euclio.papers.published import notes, published_figures
from euclio.report import Block, Heading, KeyNumber, Paragraph, Table
from euclio.studies.ppipe import figures
from euclio.studies.ppipe.cases import MEASURED, timeline_case
from euclio.studies.ppipe.measures import (
    BURSTY,
    KEYS,
    POISSON,
    RESERVATION,
    gains,
    mean_loads,
    more_pipelines,
    of_groups,
    of_study,
    planned,
    proven,
)
from euclio.studies.ppipe.profiles import model_latencies, ratios_along_depth
from euclio.studies.ppipe.systems import DART, LITERAL, MANY, NP, PPIPE, SERVED
from euclio.studies.scorecard import Score, outcomes_text, score_line, tally
from euclio.studies.study import Collected, Text


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    plans, serving, instances = (collected.tables[name] for name in ("plans", "serving", "instances"))
    groups, seed = of_groups(serving), collected.asked.seed
    (fitted, fits), (hit, all_) = tally(scores)["input"], tally(scores)["check"]
    table, figure_12 = figures.plan_and_timeline(timeline_case(seed))
    return Text(
        summary=summary(serving),
        tally=f"The synthetic profiles were drawn within {fits} of the printed numbers (role input; {fitted} "
        f"agree). Nothing was fitted to the other {all_}: {hit} are shown to agree. Times are "
        "those of the machine that the report was made on.",
        sections=[
            Heading("Serving: Figures 6 to 10"),
            figures.figure_6(groups, BURSTY),
            figures.figure_7(groups),
            figures.figure_8(groups),
            figures.figure_9(serving),
            figures.figure_10(groups),
            Heading("One plan from near: Figures 11 and 12"),
            table,
            figure_12,
            Heading("Conditions and planning time: Figures 13 and 14"),
            figures.figure_13(serving),
            figures.figure_14(collected.tables["planning"]),
            *finding_blocks(plans, instances),
            *instance_blocks(instances),
            Heading("Synthetic profiles: Figures 2 and 3"),
            figures.figure_2(model_latencies(seed)),
            figures.figure_3(ratios_along_depth(seed)),
            Heading("How the paper was read"),
            *(Paragraph(reading) for reading in notes("ppipe", "readings")),
        ],
        run=run_blocks(collected),
        headlines=[score_line(score) for score in scores],
        numbers=numbers(scores),
        pictures=[figures.figure_6(groups, POISSON)],
    )


def numbers(scores: Sequence[Score]) -> list[KeyNumber]:
    """What a reader shall see first: how much more load PPipe serves than the other two."""
    by_key = {score.published.key: score for score in scores}
    found = []
    for key, name in (("gain_np_poisson", "whole models (NP)"), ("gain_dart_poisson", "chains of two GPUs (DART-r)")):
        p, m = by_key[key].published, by_key[key].measured
        note = f"published {p.value:g} %; 95 % interval {span(m.low, m.high)} ({m.n} clusters)"
        found.append(
            KeyNumber(f"{m.value:.1f} %", f"more load is served by PPipe than by {name}, Poisson arrivals", note)
        )
    return found


def summary(serving: pd.DataFrame) -> list[Block]:
    """What the run says, plainly."""
    groups = of_groups(serving)
    rows = []
    for arrivals, published in ((POISSON, ("48.0", "32.2")), (BURSTY, ("75.1", "35.8"))):
        loads = mean_loads(groups, arrivals, RESERVATION)
        for base, theirs in zip((NP, DART), published, strict=True):
            m = mean(gains(loads, base))
            row = (arrivals, base, str(m.n), f"{m.value:.1f}", span(m.low or 0, m.high or 0), theirs)
            rows.append(row)
    text = (
        f"On {groups.case.nunique()} clusters of 100 GPUs that serve three models each, all with synthetic layer "
        f"profiles, PPipe's pooled pipelines serve {rows[0][3]} % more Poisson load than whole models (NP) and "
        f"{rows[1][3]} % more than chains of two GPUs (DART-r) with 99 % of the requests within their SLO; the paper "
        "prints 48.0 and 32.2 %."
    )
    return [
        Paragraph(text),
        Table(
            "Synthetic profiles: how much more load PPipe serves with 99 % of the requests in time (higher is better)",
            ("arrivals", "over", "clusters", "mean gain (%)", "95 % interval", "published (%)"),
            tuple(rows),
            frozenset(range(2, 6)),
        ),
        *measured_serving(serving),
    ]


def measured_serving(serving: pd.DataFrame) -> list[Block]:
    """Gains on measured blocks next to the published ones of the same clusters; nothing where none were served."""
    rows = of_study(serving, MEASURED)
    if rows.empty:
        return []
    published = {figure.key: figure.value for figure in published_figures("ppipe")}
    setups = rows.drop_duplicates("case").set_index("case").setup
    lines = []
    for arrivals in (POISSON, BURSTY):
        loads = mean_loads(rows, arrivals, RESERVATION)
        for setup, own in loads.groupby(setups[loads.index]):
            for base in (NP, DART):
                m = mean(gains(own, base))
                theirs = published.get(f"gain_{KEYS[base]}_{arrivals}_{setup}")
                factors = ", ".join(f"{own[system].mean():.2f}" for system in SERVED)
                interval = span(m.low, m.high)
                printed = _rate(theirs)
                lines.append((arrivals, str(setup), str(m.n), factors, base, f"{m.value:.1f}", interval, printed))
    return [
        Table(
            "Blocks that the authors measured, the paper's groups on its own clusters: highest load factors with 99 % "
            "attainment (NP, DART-r, PPipe) and PPipe's gain, means over the groups",
            ("arrivals", "cluster", "groups", "load factors", "over", "gain (%)", "95 % interval", "published (%)"),
            tuple(lines),
            frozenset({2, 3, 5, 6, 7}),
        )
    ]


def finding_blocks(plans: pd.DataFrame, instances: pd.DataFrame) -> list[Block]:
    """The section."""
    tables = {"synthetic groups": of_groups(plans), "measured instances": instances}
    rows = [row for name, table in tables.items() if len(table) for row in _distances(name, table)]
    return [
        Heading("How far the systems are from the optimum"),
        Paragraph(" ".join(_many_text(name, table) for name, table in tables.items() if len(table))),
        Table(
            "Planned throughput below the optimum with any number of pipelines (or its proven bound), before "
            "anything is served (lower is better)",
            ("instances", "system", "n", "mean (%)", "95 % interval", "largest (%)", "at the optimum"),
            tuple(rows),
            frozenset(range(2, 7)),
        ),
    ]


def _distances(name: str, plans: pd.DataFrame) -> list[tuple[str, ...]]:
    values = planned(plans)
    optimum = planned(plans, "bound_rps")[MANY].where(~proven(plans, MANY), values[MANY])
    rows: list[tuple[str, ...]] = []
    for system in (NP, DART, PPIPE):
        below = 100.0 * (1.0 - values[system] / optimum)
        m = mean(below)
        hit = int((below <= 100 * OPTIMALITY_TOLERANCE).sum())
        interval = span(m.low, m.high, 2)
        rows.append((name, system, str(m.n), f"{m.value:.2f}", interval, f"{below.max():.2f}", f"{hit} of {m.n}"))
    return rows


def _many_text(name: str, plans: pd.DataFrame) -> str:
    more = more_pipelines(plans)
    better = more[more > 100 * OPTIMALITY_TOLERANCE]
    size = f", by up to {better.max():.2f} %" if len(better) else ""
    return (
        f"Of {len(more)} {name} proven both ways, several pipelines on one sequence of GPU types, which the paper's "
        f"MILP does not allow, serve more on {len(better)}{size}."
    )


def instance_blocks(instances: pd.DataFrame) -> list[Block]:
    """The section on measured instances."""
    title = Heading("Measured instances")
    if instances.empty:
        text = (
            "No measured instances were found, so this section is empty. Name a folder of clusters with `--instances "
            "DIR` (`euclio reproduce ppipe --help`)."
        )
        return [title, Paragraph(text)]
    status, refused = planned(instances, "status"), int(_refused(instances).sum())
    known = instances.drop_duplicates("case").set_index("case")
    best = planned(instances)[MANY]
    met = best >= known.known.astype(float) * (1 - OPTIMALITY_TOLERANCE)
    text = (
        f"{len(status)} clusters with blocks that the authors measured. Proven optimal: "
        f"{int(proven(instances, MANY).sum())} with many pipelines, {int(proven(instances, PPIPE).sum())} with one per "
        f"sequence. Best known values met or beaten: {int(met[known.known.notna()].sum())} of "
        f"{int(known.known.notna().sum())}. The MILP exactly as printed is infeasible on {refused}, because it makes "
        f"every sequence of GPU types serve; the authors' code lets pipelines go unused.{_beyond(instances, known)}"
    )
    return [title, Paragraph(text), _instance_table(instances, known)]


def _refused(instances: pd.DataFrame) -> pd.Series[bool]:
    """By case whether the MILP exactly as printed is proven to have no plan."""
    return planned(instances, "stat_printed_infeasible")[LITERAL] == 1.0


def _beyond(instances: pd.DataFrame, known: pd.DataFrame) -> str:
    """Where a published plan is better than any with one pipeline per sequence."""
    bound = planned(instances, "bound_rps")[PPIPE]
    over = (known.gurobi.astype(float) / bound - 1).reindex(bound.index)
    found = over[over > OPTIMALITY_TOLERANCE]
    if found.empty:
        return ""
    return (
        f" On {len(found)} ({', '.join(found.index)}) the published plan serves more than the proven optimum with one "
        f"pipeline per sequence of GPU types, by up to {percent(found.max(), 3)}, but no more than many pipelines do: "
        "those runs seem to distinguish sequences by the shares of GPUs too."
    )


def _instance_table(instances: pd.DataFrame, known: pd.DataFrame) -> Table:
    values, walls, status = (planned(instances, c) for c in ("planned_rps", "wall_s", "status"))
    refused = _refused(instances)
    rows = []
    for case in values.index:
        v = values.loc[case]
        rows.append(
            (
                str(case).removeprefix("ppipe-"),
                f"{_rate(v[NP])} ({_rate(known.published_np[case])})",
                f"{_rate(v[DART])} ({_rate(known.published_dart[case])})",
                _rate(known.gurobi[case]),
                _rate(v[PPIPE]) + _open(status[PPIPE][case]),
                _rate(v[MANY]) + _open(status[MANY][case]),
                f"{walls[PPIPE][case]:.2f}",
                f"{walls[MANY][case]:.2f}",
                "no plan" if refused[case] else _rate(v[LITERAL]),
            )
        )
    return Table(
        "Weighted requests per second planned; in brackets and under Gurobi the published values; one: one pipeline "
        "per "
        "sequence of GPU types, proven optimal unless an asterisk says that the limit came first; many: any number; "
        "literal: the MILP exactly as printed, stopped early",
        ("instance", "NP", "DART-r", "Gurobi", "one", "many", "one (s)", "many (s)", "literal"),
        tuple(rows),
        frozenset(range(1, 9)),
    )


_rate = partial(decimals, digits=1, separator="", none="–")
"""A rate, or a gain, next to a published one; a dash where there is none."""


def _open(status: str) -> str:
    return "" if status == "optimal" else "*"


def run_blocks(collected: Collected) -> list[Block]:
    """What was sampled, outcomes without a plan."""
    plans, sampling = collected.tables["plans"], collected.details
    all_plans = pd.concat([plans, collected.tables["planning"]])
    return [
        Heading("Run"),
        Paragraph(
            f"Seed {collected.asked.seed}: {sampling.groups} of 6 groups on each of four clusters, {sampling.models} "
            f"of 18 models for Figures 9 and 13, {sampling.seconds:g} simulated seconds per load (30 in the paper), "
            f"{sampling.columns_limit_s:g} s for columns and {sampling.printed_limit_s:g} s for the printed MILP in "
            f"Figure 14, {sampling.groups_limit_s:g} s for it on the first group of each large cluster; `--full` "
            "simulates 30 s and waits 120 s. "
            f"{len(plans)} plans, {len(collected.tables['serving'])} rows of served load. Without an accepted plan: "
            f"{outcomes_text(all_plans.system, all_plans.status)}."
        ),
    ]
