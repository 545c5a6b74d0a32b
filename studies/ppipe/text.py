"""The page's text: gains, distances from the optimum, measured instances, readings of the paper, the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import decimals, percent, span, with_unit
from euclio.report import Block, Figure, Fold, Heading, KeyNumber, Paragraph, Table
from euclio.report.analysis.statistics import Measured, mean
from studies.agreement import agreement
from studies.papers.published import CHECK, Published, notes
from studies.ppipe import figures, inputs
from studies.ppipe.cases import LARGE, timeline_case
from studies.ppipe.inputs import model_latencies, ratios_along_depth
from studies.ppipe.measures import (
    BURSTY,
    POISSON,
    RESERVATION,
    first_input,
    gains,
    mean_loads,
    more_pipelines,
    of_groups,
    on_synthetic,
    planned,
    proven,
)
from studies.ppipe.serving import FITTED_ON, fitted_cv, printed_reductions, reductions
from studies.ppipe.systems import DART, LITERAL, MANY, NP, PPIPE
from studies.scorecard import Score, ends, outcomes_text, score_line, tally
from studies.study import Collected, Text

SYNTHETIC = "Synthetic layers."
BLOCKS = "Blocks that the authors measured."
Tables = Mapping[str, pd.DataFrame]


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    tables = first_input(collected.tables)
    (fitted, fits), (hit, all_) = tally(scores)["input"], tally(scores)["check"]
    on_blocks = bool(inputs.on_measured(collected.tables))
    return Text(
        summary=[*summary(tables, on_blocks), *(side_by_side(collected, scores) if on_blocks else ())],
        tally=f"The synthetic profiles were drawn within {fits} of the printed numbers (role input; {fitted} "
        f"agree). Nothing was fitted to the other {all_}: {hit} are shown to agree. {_intervals(on_blocks)} Times are "
        "those of the machine that made the report.",
        sections=[
            *figure_sections(collected, on_blocks),
            *finding_blocks(collected.tables, on_blocks),
            *instance_blocks(collected.tables["instances"]),
            *profile_sections(collected, on_blocks),
            Heading("How the paper was read"),
            *(Paragraph(reading) for reading in notes("ppipe", "readings")),
        ],
        run=run_blocks(collected),
        headlines=[score_line(score) for score in scores],
        numbers=numbers(scores, on_blocks),
        pictures=[figures.figure_6(of_groups(tables["serving"]), POISSON)],
    )


def _intervals(on_blocks: bool) -> str:
    """The source of an interval's variation."""
    if not on_blocks:
        return "Intervals are those over groups of models."
    return (
        "Groups and models on measured blocks are all of the paper's, so intervals are over seeds of "
        "arrivals. They cover the paper's own arrivals if these are of the same kind."
    )


def figure_sections(collected: Collected, on_blocks: bool) -> list[Block]:
    """Figures 6 to 14 on the first input, those on synthetic layers behind a fold below it."""
    tables, seed = first_input(collected.tables), collected.asked.seed
    found: list[Block] = [
        Heading("Serving: Figures 6 to 10"),
        *served_figures(tables),
        *([_folded(collected.tables, served_figures)] if on_blocks else []),
        *(burst_blocks(tables) if on_blocks else []),
        Heading("One plan in detail: Figures 11 and 12"),
        figures.plan_table(tables["partitions"], BLOCKS if on_blocks else SYNTHETIC),
        figures.figure_12(timeline_case(seed)),
        Heading("Conditions and planning time: Figures 13 and 14"),
        *condition_figures(tables),
        *([_folded(collected.tables, condition_figures)] if on_blocks else []),
    ]
    return found


def burst_blocks(tables: Tables) -> list[Block]:
    """Bursty arrivals on measured blocks: the fit, and its results on the other clusters."""
    bursts, printed = tables["bursts"], printed_reductions()
    cv, others = fitted_cv(bursts), tuple(setup for setup in LARGE if setup not in FITTED_ON)
    fitted = bursts[bursts.cv == cv].set_index("system").reduction
    served = reductions(tables["serving"], others)
    rows = tuple(
        (system, percent(printed[system], 1), percent(fitted[system], 1), percent(served[system], 1))
        for system in printed
    )
    least, most = bursts.cv.min(), bursts.cv.max()
    text = (
        "The paper replays a trace of 2021 that is not available. Gamma gaps replace it here. Their coefficient of "
        f"variation is {cv:g} (Poisson arrivals: 1; tried: {bursts.cv.nunique()} from {least:g} to {most:g}). At this "
        f"value the loads, relative to Poisson arrivals, are nearest to the printed ones on {' and '.join(FITTED_ON)}. "
        f"On {' and '.join(others)} nothing was fitted."
    )
    return [
        Heading("Bursty arrivals"),
        Paragraph(text),
        Table(
            "Blocks that the authors measured: mean highest load under bursts over that under Poisson arrivals",
            ("system", "published", f"fitted, {' and '.join(FITTED_ON)}", f"not fitted, {' and '.join(others)}"),
            rows,
            frozenset({1, 2, 3}),
        ),
    ]


def _folded(tables: Tables, make: Callable[[Tables], Sequence[Figure]]) -> Fold:
    """The same figures on synthetic layers, behind a line."""
    return Fold("The same on synthetic layers", tuple(figures.on_synthetic(figure) for figure in make(tables)))


def served_figures(tables: Tables) -> list[Figure]:
    """Figures 6 to 10 except for the first, which opens the page."""
    groups = of_groups(tables["serving"])
    return [
        figures.figure_6(groups, BURSTY),
        figures.figure_7(groups),
        figures.figure_8(groups),
        figures.figure_9(tables["serving"]),
        figures.figure_10(tables["serving"]),
    ]


def condition_figures(tables: Tables) -> list[Figure]:
    """Figures 13 and 14."""
    return [figures.figure_13(tables["serving"]), figures.figure_14(tables["planning"])]


def profile_sections(collected: Collected, on_blocks: bool) -> list[Block]:
    """Figures 2 and 3."""
    seed = collected.asked.seed
    synthetic = figures.figure_2(model_latencies(seed), SYNTHETIC)
    along = figures.figure_3(ratios_along_depth(seed))
    if not on_blocks:
        return [Heading("Synthetic profiles: Figures 2 and 3"), synthetic, along]
    models = inputs.on_measured(collected.tables)["models"].set_index("model")
    return [
        Heading("Profiles: Figures 2 and 3"),
        figures.figure_2(models, BLOCKS),
        Fold("The same on synthetic layers", (figures.on_synthetic(synthetic),)),
        along,
    ]


def side_by_side(collected: Collected, scores: Sequence[Score]) -> list[Block]:
    """Every number on measured blocks, next to that on synthetic layers and the printed one."""
    layers = on_synthetic(collected)
    rows = []
    for score in scores:
        one = score.published
        if score.artifact and one.role == CHECK:
            judged = (*_judged(one, score.measured), *_judged(one, layers[one.key]))
            rows.append((one.what, with_unit(one.value, one.unit), *judged))
    return [
        Table(
            "Printed numbers on the two inputs: blocks that the authors measured, and synthetic layers. Agreement: the "
            "whole 95 % interval lies within the tolerance",
            (
                "number",
                "published",
                "measured blocks",
                "95 % interval",
                "agreement",
                "synthetic layers",
                "95 % interval",
                "agreement",
            ),
            tuple(rows),
            frozenset({1, 2, 3, 5, 6}),
        )
    ]


def _judged(one: Published, measured: Measured) -> tuple[str, str, str]:
    """A measure, its interval, and the result of the test of equivalence."""
    found = agreement(one.value, measured, one.kind)
    return with_unit(measured.value, one.unit), ends(measured.low, measured.high, one.unit), str(found)


def numbers(scores: Sequence[Score], on_blocks: bool) -> list[KeyNumber]:
    """The key numbers of the page: the extra load that PPipe serves over the other two."""
    by_key = {score.published.key: score for score in scores}
    found = []
    for key, name in (("gain_np_poisson", "whole models (NP)"), ("gain_dart_poisson", "chains of two GPUs (DART-r)")):
        p, m = by_key[key].published, by_key[key].measured
        of = "seeds of arrivals" if on_blocks else "clusters"
        note = f"published {p.value:g} %; 95 % interval {span(m.low, m.high)} ({m.n} {of})"
        found.append(KeyNumber(f"{m.value:.1f} %", f"more load: PPipe against {name}, Poisson arrivals", note))
    return found


def summary(tables: Tables, on_blocks: bool) -> list[Block]:
    """The summary of the run."""
    groups = of_groups(tables["serving"])
    rows = []
    for arrivals, published in ((POISSON, ("48.0", "32.2")), (BURSTY, ("75.1", "35.8"))):
        loads = mean_loads(groups, arrivals, RESERVATION)
        for base, theirs in zip((NP, DART), published, strict=True):
            m = mean(gains(loads, base))
            row = (arrivals, base, str(m.n), f"{m.value:.1f}", span(m.low or 0, m.high or 0), theirs)
            rows.append(row)
    of = "the blocks that the authors measured" if on_blocks else "synthetic layer profiles"
    head = (
        f"We plan {groups.case.nunique()} clusters of 100 GPUs that serve three models each, with {of}. PPipe's pooled "
        f"pipelines serve {rows[0][3]} % more Poisson load than whole models (NP) and {rows[1][3]} % more than chains "
        "of two GPUs (DART-r), with 99 % of the requests within their SLO. The paper prints 48.0 and 32.2 %."
    )
    return [
        Paragraph(head),
        Table(
            f"{BLOCKS if on_blocks else SYNTHETIC} How much more load PPipe serves with 99 % of the requests in time "
            "(higher is better); intervals over the clusters",
            ("arrivals", "over", "clusters", "mean gain (%)", "95 % interval", "published (%)"),
            tuple(rows),
            frozenset(range(2, 6)),
        ),
    ]


def finding_blocks(given: Tables, on_blocks: bool) -> list[Block]:
    """The section."""
    tables = {"synthetic groups": of_groups(given["plans"]), "measured instances": given["instances"]}
    if on_blocks:
        tables = {"groups on measured blocks": of_groups(inputs.on_measured(given)["plans"]), **tables}
    rows = [row for name, table in tables.items() if len(table) for row in _distances(name, table)]
    return [
        Heading("Gaps of the systems to the optimum"),
        Paragraph(" ".join(_many_text(name, table) for name, table in tables.items() if len(table))),
        Table(
            "Planned throughput below the optimum with any number of pipelines (or its proven bound), without "
            "serving (lower is better)",
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
        f"The paper's MILP does not allow several pipelines on one sequence of GPU types. Of {len(more)} {name} proven "
        f"both ways, they serve more on {len(better)}{size}."
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
        f"{int(known.known.notna().sum())}. The MILP exactly as printed is infeasible on {refused}, because it "
        "requires every sequence of GPU types to serve; the authors' code allows unused "
        f"pipelines.{_beyond(instances, known)}"
    )
    return [title, Paragraph(text), _instance_table(instances, known)]


def _refused(instances: pd.DataFrame) -> pd.Series[bool]:
    """By case, whether the MILP exactly as printed is proven infeasible."""
    return planned(instances, "stat_printed_infeasible")[LITERAL] == 1.0


def _beyond(instances: pd.DataFrame, known: pd.DataFrame) -> str:
    """The cases in which a published plan is better than any with one pipeline per sequence."""
    bound = planned(instances, "bound_rps")[PPIPE]
    over = (known.gurobi.astype(float) / bound - 1).reindex(bound.index)
    found = over[over > OPTIMALITY_TOLERANCE]
    if found.empty:
        return ""
    return (
        f" On {len(found)} ({', '.join(found.index)}) the published plan serves more than the proven optimum with one "
        f"pipeline per sequence of GPU types, by up to {percent(found.max(), 3)}, but no more than many pipelines. "
        "Those runs seem to distinguish sequences by the shares of GPUs too."
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
        "Planned weighted requests per second; published values in brackets and under Gurobi. One: one pipeline "
        "per sequence of GPU types, proven optimal unless an asterisk marks a time limit. Many: any number. "
        "Literal: the MILP exactly as printed, stopped early",
        ("instance", "NP", "DART-r", "Gurobi", "one", "many", "one (s)", "many (s)", "literal"),
        tuple(rows),
        frozenset(range(1, 9)),
    )


_rate = partial(decimals, digits=1, separator="", none="–")
"""A rate, or a gain, next to a published one; a dash if there is none."""


def _open(status: str) -> str:
    return "" if status == "optimal" else "*"


def run_blocks(collected: Collected) -> list[Block]:
    """The sample, and outcomes without a plan."""
    plans, sampling = collected.tables["plans"], collected.details
    all_plans = pd.concat([plans, collected.tables["planning"]])
    return [
        Heading("Run"),
        *([Paragraph(stored_text(collected))] if inputs.on_measured(collected.tables) else []),
        Paragraph(
            f"Seed {collected.asked.seed}: {sampling.groups} of 6 groups on each of four clusters, {sampling.models} "
            f"of 18 models for Figures 9, 10 and 13. {sampling.seconds:g} simulated seconds per load of synthetic "
            f"layers ({sampling.measured_seconds:g} of measured blocks where served now, as in the paper). Limits are "
            f"{sampling.columns_limit_s:g} s for columns and {sampling.printed_limit_s:g} s for the printed MILP in "
            f"Figure 14, {sampling.groups_limit_s:g} s for it on the first group of each large cluster. `--full` "
            "simulates 30 s and waits 120 s. "
            f"{len(plans)} plans, {len(collected.tables['serving'])} rows of served load. Without an accepted plan: "
            f"{outcomes_text(all_plans.system, all_plans.status)}."
        ),
    ]


def stored_text(collected: Collected) -> str:
    """Whether the rows on measured blocks were made now, and the size of the run."""
    serving = inputs.on_measured(collected.tables)["serving"]
    seeds = serving[inputs.ARRIVAL_SEED].nunique()
    size = (
        f"{len(serving)} rows of served load, {seeds} seeds of arrivals, {of_groups(serving).case.nunique()} clusters "
        "with groups of models"
    )
    if collected.asked.artifact is not None:
        return f"Measured blocks: made now from the given artifact: {size}."
    return (
        f"Measured blocks: stored rows ({size}), since the artifact has no licence and is not included. `euclio "
        "reproduce ppipe --artifact DIR` makes them anew from a checkout of the artifact, or from a table of its "
        "blocks."
    )
