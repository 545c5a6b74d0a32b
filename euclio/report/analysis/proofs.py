"""How many instances are proven, and how soon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from euclio.core.figures import MEASURED, grid
from euclio.report.analysis.panels import figure, height_for, legend, note, short, styles, thinned, time_axis
from euclio.report.analysis.references import measured, with_references
from euclio.report.analysis.statistics import share

NO_PROOF = "no run proved its plan optimal"


def proven_shares(frame: pd.DataFrame) -> pd.DataFrame:
    """Share of the runs that proved their plan optimal in its plan space, with 95 % Wilson intervals.

    Returns:
        One row per family, objective and label, largest share first; columns family, objective, label, runs (those on
        instances of which a plan is known), proven, share_pct, low_pct, high_pct.
    """
    table = with_references(frame)
    grouped = table[table.best.notna()].groupby(["family", "objective", "label"], observed=True).proven
    counts = pd.DataFrame({"runs": grouped.size(), "proven": grouped.sum()})
    found = [(m.value, m.low, m.high) for m in (share(proofs) for _, proofs in grouped)]
    shares = pd.DataFrame(found, counts.index, ["share_pct", "low_pct", "high_pct"])
    order = ["family", "objective", "share_pct", "label"]
    return counts.join(shares).reset_index().sort_values(order, ascending=[True, True, False, True], ignore_index=True)


def proven_figure(frame: pd.DataFrame) -> Figure:
    """How often does a solver prove its plan optimal? Shares with 95 % Wilson intervals."""

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        shares = proven_shares(runs)
        if shares.proven.sum() == 0:
            return NO_PROOF
        panel, places = axes[0], np.arange(len(shares))
        panel.hlines(places, shares.low_pct, shares.high_pct, color=MEASURED, linewidth=2.4, alpha=0.55)
        panel.plot(shares.share_pct, places, "o", color=MEASURED, markersize=5.5, clip_on=False)
        for place, row in zip(places, shares.itertuples(), strict=True):
            panel.text(
                104, float(place), f"{row.share_pct:.0f} % ({row.proven} of {row.runs})", va="center", fontsize="small"
            )
        panel.set_yticks(places, [short(str(label)) for label in shares.label])
        panel.set(
            ylim=(len(shares) - 0.4, -0.6),
            xlim=(-1, 103),
            xlabel="runs proven optimal in their plan space (%), 95 % interval",
        )
        grid(panel, "x")
        return ""

    return figure(
        frame,
        "How often does a solver prove its plan optimal?",
        draw,
        panel_in=lambda runs: 0.9 + 0.25 * max(runs.label.nunique(), 3),
    )


def cactus(frame: pd.DataFrame) -> Figure:
    """How many instances are proven within a time?

    Returns:
        Per solver the times of its proofs (medians over seeds and repeats) against their number. A note names or counts
        the solvers without a proof.
    """

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        times = measured(runs, "proof_time")
        solved = {str(label): np.sort(times[label][np.isfinite(times[label])].to_numpy()) for label in times}
        drawn = {label: seconds for label, seconds in solved.items() if seconds.size}
        if not drawn:
            return NO_PROOF
        looks = styles(solved)
        for label in sorted(drawn, key=lambda label: (-drawn[label].size, float(drawn[label].sum()), label)):
            seconds, look = drawn[label], looks[label]
            kept = thinned(seconds.size)
            name = f"{short(label)} ({seconds.size} of {times[label].notna().sum()})"
            axes[0].plot(kept + 1, seconds[kept], label=name, color=look.color, linestyle=look.dashes, linewidth=1.7)
            axes[0].plot(seconds.size, seconds[-1], "o", color=look.color, markersize=4.5)
        note(axes[0], "without a proof", [label for label in solved if label not in drawn])
        time_axis(axes[0], np.concatenate(list(drawn.values())), "y")
        axes[0].set_xlim(0, max(seconds.size for seconds in drawn.values()) + 1)
        axes[0].xaxis.set_major_locator(MaxNLocator(integer=True))
        axes[0].set(xlabel="instances proven optimal (count)", ylabel="time of each proof (s)")
        grid(axes[0])
        legend(axes[0])
        return ""

    return figure(frame, "How many instances does a solver prove optimal within a time?", draw, panel_in=height_for)
