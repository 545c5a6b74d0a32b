"""The page's text: summary, reasons for differences, readings of the paper, the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent, span
from euclio.report import Block, Heading, KeyNumber, Paragraph, Table
from euclio.report.analysis.statistics import share
from euclio.workloads.session.scrooge_sessions import COMPARED
from euclio.workloads.session.worker_types import PRICE_RATIO
from studies.papers.published import notes, printed_values
from studies.scorecard import Score, outcomes_text, score_line, tally
from studies.scrooge.changing import FRONT_ENDS, NEXUS_SYSTEM, OWN_TURN_OFF_S, SCROOGE_SYSTEM, TURN_OFFS_S
from studies.scrooge.changing_measures import OTHERS, OWN, of_nexus, of_scrooge
from studies.scrooge.example import example_table
from studies.scrooge.figures import (
    figure_2,
    figure_3,
    figure_5,
    figure_6,
    figure_10,
    figure_11,
    figure_12,
    figure_13,
    figure_13_others,
    figure_14,
    figure_applications,
    figure_over_time,
    worker_types_figure,
)
from studies.scrooge.inputs import complexity
from studies.scrooge.measures import (
    BRUTE_FORCE,
    FIVE_APPLICATIONS,
    GREEDY,
    MANY_TYPES,
    MILP,
    OPTIMUM,
    OWN_SESSIONS,
    disagreements,
    drawn_as,
    on_types,
    optima,
    ratio,
    wall,
)
from studies.scrooge.objectives import (
    ALONE,
    SHOWN,
    SPATIAL,
    complete,
    objective_savings,
    of_shown_module,
    spatial_savings,
)
from studies.scrooge.varied_text import varied_blocks, varied_reasons
from studies.sessions import application_of, by_solver
from studies.study import Collected, Text

SUMMARY_CAPTION = (
    "Scrooge's own algorithms against the optimum of their plan space (dispatch at machine rate, no dummies)"
)


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    runs, seed = collected.tables["runs"], collected.asked.seed
    (fitted, fits), (hit, all_) = tally(scores)["input"], tally(scores)["check"]
    return Text(
        summary=summary(runs),
        tally=f"The applications' parameters were set to {fits} of the printed numbers or lie within them (role input: "
        f"the inputs and three modules; {fitted} agree). Nothing was fitted to the other "
        f"{all_} checks: {hit} are shown to agree. Times are those of the machine that made the "
        "report.",
        sections=[
            Heading("Allocation decisions: Figures 10 and 11"),
            figure_11(runs),
            figure_applications(runs),
            Heading("Which inputs move the decisions"),
            *varied_blocks(collected.tables),
            Heading("Changing workloads: Figures 6 to 9 and 14"),
            Paragraph(changing_summary(collected.tables["changing"])),
            figure_6(collected.tables["changing"]),
            *(figure_over_time(collected.tables, name) for name in COMPARED),
            figure_14(collected.tables["changing"]),
            Heading("Latency objectives and spatial multiplexing: Figures 12 and 13"),
            figure_12(collected.tables["objectives"]),
            figure_13(collected.tables),
            figure_13_others(collected.tables),
            Heading("Inputs: Tables 1 and 2, Figures 2, 3 and 5"),
            worker_types_figure(MANY_TYPES, seed),
            figure_2(),
            figure_3(complexity(seed)),
            figure_5(),
            Heading("Worked example"),
            Paragraph(
                "Tables 3 and 4 print throughputs that do not quite follow from the durations next to them. With the "
                "durations alone, the paper's optimal allocation is optimal, and the checker rejects its first one: "
                "two Y<2,1> serve 307.7 of B's 320 requests per second, and the other 12.3 take 162.5 ms to fill a "
                "batch."
            ),
            example_table(),
            Heading("How the paper was read"),
            *(Paragraph(reading) for reading in notes("scrooge", "readings")),
        ],
        run=run_blocks(collected),
        headlines=[score_line(score) for score in scores],
        card=[example_table()],
        numbers=numbers(scores),
        pictures=[figure_10(runs)],
    )


def numbers(scores: Sequence[Score]) -> list[KeyNumber]:
    """The key numbers of the page: shares of decisions with the best allocation, by the MILP and by the greedy."""
    by_key = {score.published.key: score for score in scores}
    found = []
    for key, name in (("milp_same_share", "MILP"), ("greedy_same_share", "greedy")):
        p, m = by_key[key].published, by_key[key].measured
        note = f"published about {p.value:g} %; 95 % interval {span(m.low, m.high)} ({m.n} decisions)"
        found.append(
            KeyNumber(f"{m.value:.1f} %", f"of the allocation decisions: Scrooge's {name} finds the best plan", note)
        )
    return found


def summary(runs: pd.DataFrame) -> list[Block]:
    """The summary of the run."""
    five, own = drawn_as(runs, FIVE_APPLICATIONS), drawn_as(runs, OWN_SESSIONS)
    rows = []
    for solver, name in ((MILP, "MILP, then partial allocations"), (GREEDY, "greedy")):
        for place, chosen in (("decisions of §4.2", own), ("protocol workloads", five)):
            rows.append(_row(f"{name}; {place}, 2 worker types", chosen, solver, OPTIMUM))
            many = (on_types(solver), on_types(OPTIMUM))
            rows.append(_row(f"{name}; {place}, {MANY_TYPES} worker types", chosen, *many))
    return [
        Paragraph(_summary_text(runs)),
        Table(
            SUMMARY_CAPTION,
            (
                "method",
                "workloads",
                "at the optimum",
                "95 % interval",
                "mean extra",
                "largest extra",
                "median (ms)",
                "longest (ms)",
            ),
            tuple(rows),
            frozenset(range(1, 8)),
        ),
    ]


def _row(name: str, runs: pd.DataFrame, solver: str, optimum: str) -> tuple[str, ...]:
    over, seconds = ratio(runs, solver, optimum), wall(runs, solver) * 1000
    same = share(over <= 1 + OPTIMALITY_TOLERANCE)
    return (
        name,
        str(same.n),
        f"{same.value:.1f} %",
        span(same.low, same.high, unit=" %"),
        percent(over.mean() - 1),
        percent(over.max() - 1, 1),
        f"{seconds.median():.1f}",
        f"{seconds.max():.1f}",
    )


def _summary_text(runs: pd.DataFrame) -> str:
    five, own = drawn_as(runs, FIVE_APPLICATIONS), drawn_as(runs, OWN_SESSIONS)
    over = ratio(own, MILP)
    same, within = share(over <= 1 + OPTIMALITY_TOLERANCE), share(over <= 1.03)
    greedy = share(ratio(own, GREEDY) <= 1 + OPTIMALITY_TOLERANCE)
    theirs, theirs_greedy = (share(ratio(five, name) <= 1 + OPTIMALITY_TOLERANCE) for name in (MILP, GREEDY))
    return (
        f"Scrooge's MILP finds the optimal cost on {same.value:.1f} % of {same.n} allocation decisions, "
        "drawn as in the paper's §4.2 (traffic, face and tracker with CPU modules, two worker types with a "
        f"GPU, 400 ms). It costs at most 3 % more on {within.value:.1f} %. The paper prints about 85 % and "
        f"all. Its greedy search finds the optimum on {greedy.value:.1f} %; the paper prints 80 %. The scale of "
        f"execution times follows from Inception's printed throughputs of §4.3. On {theirs.n} protocol workloads, "
        "which are not the paper's, the shares are "
        f"{theirs.value:.1f} and {theirs_greedy.value:.1f} %. The second step was infeasible on "
        f"{int(fell_back(own).sum())} of the {same.n} decisions, where the greedy search replaced it. A decision takes "
        f"{1000 * wall(own, MILP).median():.0f} ms (median; with {MANY_TYPES} worker types "
        f"{1000 * wall(own, on_types(MILP)).median():.0f} ms)."
    )


def run_blocks(collected: Collected) -> list[Block]:
    """Draws, agreement of the references, outcomes without a plan."""
    runs, draws = collected.tables["runs"], collected.details
    under_objectives = collected.tables["objectives"]
    known = optima(runs)
    brute = runs[runs.solver.isin([BRUTE_FORCE, on_types(BRUTE_FORCE)])]
    ended = ", ".join(
        f"{label} on {int((rows.status == 'optimal').sum())} of {len(rows)}" for label, rows in brute.groupby("solver")
    )
    rejected = draws.drawn - len(draws.workloads)
    kept = complete_decisions(under_objectives)
    return [
        Heading("Workloads and run"),
        Paragraph(
            f"Seed {collected.asked.seed}: {draws.drawn} draws of the protocol, of which {rejected} have no "
            f"plan in Scrooge's plan space (proven), and {drawn_as(runs, OWN_SESSIONS).workload.nunique()} feasible "
            f"decisions as in §4.2. The two worker types are P100 and V100; {MANY_TYPES} types are seeded "
            "variations of speed and price within the ratios of Scrooge's Table 1. Optimum proven on "
            f"{int(known[OPTIMUM].notna().sum())} (2 types) and {int(known[on_types(OPTIMUM)].notna().sum())} "
            f"({MANY_TYPES} types) of {len(known)}; brute force ended for {ended}; disagreements of both: "
            f"{disagreements(runs)}. Figures 12 and 13: {kept} of {under_objectives.decision.nunique()} decisions have "
            "a plan under every objective, with and without spatial multiplexing; costs are compared on those. Rows "
            f"without an accepted plan: {outcomes_text(runs.solver, runs.status)}; under objectives: "
            f"{outcomes_text(under_objectives.solver, under_objectives.status)}."
        ),
    ]


def reasons(collected: Collected) -> dict[str, str]:
    """One sentence or two per published number for which the data hold a reason."""
    runs = collected.tables["runs"]
    own, five = drawn_as(runs, OWN_SESSIONS), drawn_as(runs, FIVE_APPLICATIONS)
    varied = varied_reasons(collected.tables)
    return {
        "milp_same_share": (
            f"{varied['milp_same_share']} "
            f"{_fallback(own)} By application: {_by_application(own, MILP)}; on workloads "
            f"of the protocol: {_by_application(five, MILP)}."
        ),
        "milp_extra_max": f"{_spread(own, MILP, 1.03)} {_worst(own)}",
        "greedy_same_share": (
            f"{varied['greedy_same_share']} "
            "The rule counts requests gained per second of latency, not money saved. Modules that serve many "
            "requests per unit of money therefore take the latency first, where savings are small. "
            f"By application: {_by_application(own, GREEDY)}; on workloads of "
            f"the protocol: {_by_application(five, GREEDY)}."
        ),
        "greedy_extra_max": _spread(own, GREEDY, 1.05),
        "milp_time_max": _times(own, MILP),
        "milp_time_max_30": _times(own, on_types(MILP)),
        "bruteforce_time_max": (
            "Our brute force prunes a vector of machines if a known plan costs no more and is no slower than all of "
            f"its extensions. It visits {own[own.solver == BRUTE_FORCE].stat_vectors.median():.0f} vectors per "
            "decision (median). The paper does not describe its brute force."
        ),
        "scaling_window_most": (
            "The widest window of all twelve clients' videos; the paper shows one window of one of three videos."
        ),
        "types_price_ratio": (
            f"Prices of types are drawn within the printed ratio, {PRICE_RATIO:g}, so the extremes of "
            "30 draws lie inside it."
        ),
        **objective_reasons(collected.tables),
        **changing_reasons(collected.tables["changing"]),
    }


def fell_back(runs: pd.DataFrame) -> pd.Series[bool]:
    """The workloads on which the second step was infeasible and the greedy search took over."""
    found: pd.Series[bool] = by_solver(runs, "stat_greedy_fallback")[MILP].eq(1.0)
    return found


def _fallback(runs: pd.DataFrame) -> str:
    over, greedy = ratio(runs, MILP), fell_back(runs)
    hit = over <= 1 + OPTIMALITY_TOLERANCE
    apart = greedy[over.index]
    return (
        f"The second step was infeasible on {int(apart.sum())} of {len(over)} decisions. After the greedy search "
        f"{_share(hit[apart])} of those cost the same, of the others {_share(hit[~apart])}. There the first step "
        "uses latency that the partial allocations then lack."
    )


def _worst(runs: pd.DataFrame) -> str:
    over = ratio(runs, MILP)
    name = str(over.idxmax())
    return f"The largest is {name}'s" + (", after the greedy search." if fell_back(runs)[name] else ".")


def _spread(runs: pd.DataFrame, solver: str, limit: float) -> str:
    over = ratio(runs, solver)
    return (
        f"{_share(over <= limit)} of the decisions are within {percent(limit - 1, 0)}; mean "
        f"{percent(over.mean() - 1)}, 95 % of them below {percent(over.quantile(0.95) - 1, 1)}."
    )


def _times(runs: pd.DataFrame, solver: str) -> str:
    seconds = wall(runs, solver) * 1000
    cpu = 1000 * runs[runs.solver == solver].cpu_s
    modules = runs[runs.solver == solver].set_index("workload").modules
    by = ", ".join(f"{n} modules {values.max():.0f} ms" for n, values in seconds.groupby(modules))
    return (
        f"Median {seconds.median():.0f} ms, 95 % within {seconds.quantile(0.95):.0f} ms. Longest by size: {by}. "
        f"Processor time, the check included: median {cpu.median():.0f} ms, longest {cpu.max():.0f} ms. The paper "
        "solves with Gurobi and does not state its machine."
    )


def _by_application(runs: pd.DataFrame, solver: str) -> str:
    over = ratio(runs, solver)
    application = application_of(runs)[over.index]
    hits = (over <= 1 + OPTIMALITY_TOLERANCE).groupby(application).agg(["mean", "size"])
    return ", ".join(f"{name} {percent(row['mean'], 0)} of {row['size']:.0f}" for name, row in hits.iterrows())


def _share(hits: pd.Series[bool]) -> str:
    """Share of the workloads in per cent."""
    return percent(hits.mean(), 0, none="none")


PROFILES = "Profiles beyond the printed points, and faces and persons per frame, are ours (data/scrooge.json)."


def complete_decisions(runs: pd.DataFrame) -> int:
    """Number of decisions with a plan under every objective, with and without spatial multiplexing."""
    return int(complete(runs).decision.nunique())


def objective_reasons(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """One sentence or two per compared number of Figures 12 and 13."""
    runs = tables["objectives"]
    found = {f"slo_{name}": _saved_by(runs, name) for name in sorted(runs.application.unique())}
    lowest: dict[str, float] = {}
    for name in sorted(runs.application.unique()):
        spatial = [m.value for m in spatial_savings(runs, name)]
        lowest[name] = min(spatial, default=float("nan"))
        by = ", ".join(f"{value:.1f}" for value in spatial)
        text = f"By objective, tightest first: {by} %. Levels of concurrency: 1 to 4. {PROFILES}"
        if any(shown.application == name for shown in SHOWN):
            found |= {f"spatial_{name}_{end}": text for end in ("least", "most")}
    by = ", ".join(f"{name} {value:.1f} %" for name, value in lowest.items())
    found["spatial_least"] = f"Least over the objectives, by application: {by}. {PROFILES}"
    for shown in SHOWN:
        text = _averages(tables, shown.label)
        columns = ("rps", "batch", "concurrency") if shown.label == "Inception" else ("rps",)
        found |= {f"{shown.label.lower()}_{column}_{ms}": text for column in columns for ms in (400, 1000)}
    return {**found, "traffic_day": f"Mean over 1 to 12 clients, drawn evenly. {PROFILES}"}


def _saved_by(runs: pd.DataFrame, application: str) -> str:
    """The growth of savings with the objective, and the part of the cost that no objective changes."""
    savings = ", ".join(f"{m.value:.1f}" for m in objective_savings(runs, application)[1:])
    costs = runs[(runs.application == application) & (runs.solver == SPATIAL)].groupby("slo_s").cost_per_h.mean()
    dollars = f"{costs.iloc[0]:.1f}" if len(costs) else "none"
    return (
        f"Against the tightest objective (on average {dollars} dollars per hour) the looser ones save {savings} %. "
        f"{PROFILES}"
    )


def _averages(tables: Mapping[str, pd.DataFrame], label: str) -> str:
    """Average throughput of a shown module's machines at either end, with and without spatial multiplexing."""
    shown = next(s for s in SHOWN if s.label == label)
    rates = {solver: of_shown_module(tables, shown, solver).rps for solver in (SPATIAL, ALONE)}
    if any(rate.empty for rate in rates.values()):
        return PROFILES
    text = "; ".join(f"{solver} {rate.iloc[0]:.1f} to {rate.iloc[-1]:.1f}" for solver, rate in rates.items())
    gain = percent(rates[SPATIAL].iloc[-1] / rates[SPATIAL].iloc[0] - 1, 1)
    return f"Requests per second of a machine, tightest to loosest objective: {text} ({gain} more). {PROFILES}"


def changing_reasons(runs: pd.DataFrame) -> dict[str, str]:
    """One sentence or two per number of Figures 6 to 9 and 14."""
    found = dict(_compared(runs))
    for seconds in TURN_OFFS_S:
        for suffix, names in (("", COMPARED), ("_others", OTHERS)):
            text = _finish_rates(runs, names, seconds)
            found |= {f"turn_off_{seconds}{suffix}{end}": text for end in ("", "_least", "_most")}
    printed = printed_values("scrooge")
    return {key: text for key, text in found.items() if key in printed}


def changing_summary(runs: pd.DataFrame) -> str:
    """The summary of the runs."""
    own = {name: of_scrooge(runs, name, OWN).mean(numeric_only=True) for name in COMPARED}
    traffic = of_nexus(runs, "traffic", 0, OWN).mean(numeric_only=True)
    finish = ", ".join(f"{percent(means[OWN.finish], 1)} ({name})" for name, means in own.items())
    ratios = [traffic[key] / own["traffic"][key] for key in ("used_cost", "cost", "planned_cost")]
    cold, warm = (of_scrooge(runs, "traffic", OWN, s).mean(numeric_only=True)[OWN.finish] for s in (0, OWN_TURN_OFF_S))
    return (
        f"Over 1000 s in which twelve clients come and go, Scrooge answers {finish} of the frames in time. Nexus, "
        f"without spatial multiplexing and turn-off delay, answers {percent(traffic[OWN.finish], 1)} of traffic's at "
        f"{ratios[0]:.2f} times the cost of the workers in use. For rented workers the ratio is {ratios[1]:.2f}, for "
        f"the shares in the plans {ratios[2]:.2f}. Frames are lost while workers load a module: without a "
        f"turn-off delay Scrooge answers {percent(cold, 1)} of traffic's in time, with one of 30 s {percent(warm, 1)}. "
        "For face Nexus costs more than the paper prints, as the paper's own Figure 13 implies. With too few "
        "front-ends the finish rate depends on the time that a worker expects of later modules when it drops frames. "
        "Agreement within a tenth means little for finish rates near 100 %: Scrooge misses "
        f"{percent(1 - own['traffic'][OWN.finish], 1)} of traffic's frames where the paper prints 2.3 %."
    )


def _compared(runs: pd.DataFrame) -> Iterator[tuple[str, str]]:
    for name in COMPARED:
        own = of_scrooge(runs, name, OWN)
        yield f"finish_{name}", _run(SCROOGE_SYSTEM, own)
        for front_ends in FRONT_ENDS[name]:
            theirs = of_nexus(runs, name, front_ends, OWN)
            key = f"{name}_{front_ends}" if front_ends else name
            yield f"nexus_finish_{key}", _run(NEXUS_SYSTEM, theirs)
            yield f"nexus_cost_{key}", _costs(own, theirs)
    saved = _costs(of_scrooge(runs, "traffic", OWN), of_nexus(runs, "traffic", 0, OWN))
    yield from ((key, saved) for key in ("saved_traffic", "saved_traffic_year", "saved_traffic_year_large"))


def _run(system: str, own: pd.DataFrame) -> str:
    """Events of a system's run."""
    means = own.mean(numeric_only=True)
    return (
        f"{system} allocates {means.allocations:.0f} times and starts {means.workers_started:.0f} workers; a type is "
        f"sold out {means.sold_out:.0f} times. Of all frames {percent(means.attainment, 1)} are answered in time."
    )


def _costs(own: pd.DataFrame, theirs: pd.DataFrame) -> str:
    """Costs of both systems, counted in three ways."""
    ours, nexus = own.mean(numeric_only=True), theirs.mean(numeric_only=True)
    words = {"used_cost": "in use", "cost": "rented", "planned_cost": "by share"}
    text = ", ".join(f"{word} {ours[key]:.2f} and {nexus[key]:.2f}" for key, word in words.items())
    return f"Dollars of Scrooge and Nexus for the run: {text}."


def _finish_rates(runs: pd.DataFrame, names: tuple[str, ...], seconds: int) -> str:
    rates = {name: of_scrooge(runs, name, OWN, seconds)[OWN.finish].mean() for name in names}
    sold = {name: of_scrooge(runs, name, OWN, seconds).sold_out.mean() for name in names}
    text = ", ".join(f"{name} {percent(rate, 1)}" for name, rate in rates.items())
    out = ", ".join(f"{name} {count:.0f}" for name, count in sold.items() if count)
    return f"By application: {text}." + (f" A worker type is sold out for {out} times." if out else "")
