"""What the plans alone say: distance from the optimum, gain of many pipelines, the literal MILP, measured instances."""

from __future__ import annotations

import pandas as pd

from euclio.analysis.statistics import mean
from euclio.report import Block, Heading, Paragraph, Table
from euclio.studies.ppipe.collection import of_groups
from euclio.studies.ppipe.systems import DART, LITERAL, MANY, NP, PPIPE

SAME = 1e-6
"""Throughputs within this share of each other are the same."""


def planned(plans: pd.DataFrame, column: str = "planned_rps") -> pd.DataFrame:
    """A column of the plans, one row per case and one column per system."""
    return plans.pivot(index="case", columns="system", values=column)


def proven(plans: pd.DataFrame, system: str) -> pd.Series[bool]:
    """Which cases a system has solved to proven optimality."""
    found: pd.Series[bool] = planned(plans, "status")[system].eq("optimal")
    return found


def more_pipelines(plans: pd.DataFrame) -> pd.Series[float]:
    """What many pipelines per sequence of GPU types serve more than one, in per cent, where both are proven."""
    values = planned(plans)[proven(plans, MANY) & proven(plans, PPIPE)]
    found: pd.Series[float] = 100.0 * (values[MANY] / values[PPIPE] - 1.0)
    return found


def finding_blocks(plans: pd.DataFrame, instances: pd.DataFrame) -> list[Block]:
    """The section."""
    tables = {"synthetic groups": of_groups(plans), "measured instances": instances}
    rows = [row for name, table in tables.items() if len(table) for row in _distances(name, table)]
    return [
        Heading("How far the systems are from the optimum"),
        Paragraph(" ".join(_many_text(name, table) for name, table in tables.items() if len(table))),
        Table(
            "Planned throughput below the optimum with any number of pipelines (or its proven bound), before "
            "anything is served",
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
        hit = int((below <= 100 * SAME).sum())
        span = f"{m.low:.2f} to {m.high:.2f}"
        rows.append((name, system, str(m.n), f"{m.value:.2f}", span, f"{below.max():.2f}", f"{hit} of {m.n}"))
    return rows


def _many_text(name: str, plans: pd.DataFrame) -> str:
    more = more_pipelines(plans)
    better = more[more > 100 * SAME]
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
    status = planned(instances, "status")
    refused = int((status[LITERAL] == "infeasible").sum())
    known = instances.drop_duplicates("case").set_index("case")
    best = planned(instances)[MANY]
    met = best >= known.known.astype(float) * (1 - SAME)
    text = (
        f"{len(status)} clusters with blocks that the authors measured. Proven optimal: "
        f"{int(proven(instances, MANY).sum())} with many pipelines, {int(proven(instances, PPIPE).sum())} with one per "
        f"sequence. Best known values met or beaten: {int(met[known.known.notna()].sum())} of "
        f"{int(known.known.notna().sum())}. The MILP exactly as printed is infeasible on {refused}, because it makes "
        f"every sequence of GPU types serve; the authors' code lets pipelines go unused.{_beyond(instances, known)}"
    )
    return [title, Paragraph(text), _instance_table(instances, known)]


def _beyond(instances: pd.DataFrame, known: pd.DataFrame) -> str:
    """Where a published plan is better than any with one pipeline per sequence."""
    bound = planned(instances, "bound_rps")[PPIPE]
    over = (known.gurobi.astype(float) / bound - 1).reindex(bound.index)
    found = over[over > SAME]
    if found.empty:
        return ""
    return (
        f" On {len(found)} ({', '.join(found.index)}) the published plan serves more than the proven optimum with one "
        f"pipeline per sequence of GPU types, by up to {100 * found.max():.3f} %, but no more than many pipelines do: "
        "those runs seem to tell sequences apart by the shares of GPUs too."
    )


def _instance_table(instances: pd.DataFrame, known: pd.DataFrame) -> Table:
    values, walls, status = (planned(instances, c) for c in ("planned_rps", "wall_s", "status"))
    rows = []
    for case in values.index:
        v = values.loc[case]
        rows.append(
            (
                str(case).removeprefix("ppipe-"),
                f"{_number(v[NP])} ({_number(known.published_np[case])})",
                f"{_number(v[DART])} ({_number(known.published_dart[case])})",
                _number(known.gurobi[case]),
                _number(v[PPIPE]) + _open(status[PPIPE][case]),
                _number(v[MANY]) + _open(status[MANY][case]),
                f"{walls[PPIPE][case]:.2f}",
                f"{walls[MANY][case]:.2f}",
                "no plan" if status[LITERAL][case] == "infeasible" else _number(v[LITERAL]),
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


def _number(value: float | None) -> str:
    return "–" if value is None or pd.isna(value) else f"{float(value):.1f}"


def _open(status: str) -> str:
    return "" if status == "optimal" else "*"
