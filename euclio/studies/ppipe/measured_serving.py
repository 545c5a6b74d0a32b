"""Figure 6 with measured blocks: what the systems serve of the instances that the authors' groups make."""

from __future__ import annotations

import pandas as pd

from euclio.analysis.statistics import mean
from euclio.report import Block, Table
from euclio.studies.ppipe.cases import MEASURED
from euclio.studies.ppipe.collection import SERVED, of_study
from euclio.studies.ppipe.loads import mean_loads
from euclio.studies.ppipe.measures import BURSTY, KEYS, POISSON, RESERVATION, gains
from euclio.studies.ppipe.systems import DART, NP
from euclio.studies.published import published_figures


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
                span = "" if m.low is None or m.high is None else f"{m.low:.1f} to {m.high:.1f}"
                printed = "–" if theirs is None else f"{theirs:.1f}"
                lines.append((arrivals, str(setup), str(m.n), factors, base, f"{m.value:.1f}", span, printed))
    return [
        Table(
            "Blocks that the authors measured, the paper's groups on its own clusters: highest load factors with 99 % "
            "attainment (NP, DART-r, PPipe) and PPipe's gain, means over the groups",
            ("arrivals", "cluster", "groups", "load factors", "over", "gain (%)", "95 % interval", "published (%)"),
            tuple(lines),
            frozenset({2, 3, 5, 6, 7}),
        )
    ]
