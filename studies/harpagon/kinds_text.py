"""The opening of Harpagon's page: its distance from the optimum on each kind of profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.core.words import span
from euclio.report import Block, KeyNumber, Paragraph, Table
from euclio.report.analysis.statistics import Measured
from euclio.report.drawings import drawn
from studies.harpagon.kinds import MEASURED, NAMES, SOURCES, KindAnswer

SPLIT_COLOR, PLAN_COLOR = PALETTE[0], PALETTE[2]
CAPTION = "Harpagon on every kind of profiles"
QUESTION = "Optimal on 91.5 % of the workloads. Of which workloads?"


@drawn("figure-kinds", QUESTION, height=4.4)
def figure_kinds(axes: Sequence[Axes], found: Mapping[str, KindAnswer], published: float) -> str:
    """Per kind of profiles: sessions with the best split, with the best plan, and without a plan."""
    draw_kinds(axes[0], found, published)
    return (
        "Blue: share of the sessions on which no split of the latency is cheaper than Harpagon's, the paper's "
        "measure. Green: share on which no plan is cheaper. Higher is better. Both are of the sessions for which "
        "Harpagon finds a plan. Right: share of the feasible sessions for which Harpagon finds no plan; lower is "
        "better."
    )


def draw_kinds(panel: Axes, found: Mapping[str, KindAnswer], published: float) -> None:
    """Fill a panel with that figure.

    Args:
        panel: where to draw.
        found: answers by kind.
        published: the printed share in per cent.
    """
    for y, answer in enumerate(found.values()):
        for below, share, color in ((-0.14, answer.split, SPLIT_COLOR), (0.14, answer.plan, PLAN_COLOR)):
            low, high = (share.value if end is None else end for end in (share.low, share.high))
            panel.plot([low, high], [y + below] * 2, color=color, linewidth=3)
            panel.plot(share.value, y + below, "o", color=color, markersize=7)
        panel.text(103, y, f"{answer.without.value:.0f} % of {answer.sessions}", va="center")
    panel.text(103, -0.75, "finds no plan", va="center")
    panel.axvline(published, color=PUBLISHED, linestyle="--", linewidth=1.6)
    panel.text(published - 1, -0.75, f"published: {published:g} %", va="center", ha="right")
    panel.set_yticks(range(len(found)), [NAMES[kind] for kind in found])
    panel.set(ylim=(len(found) - 0.5, -1.1), xlim=(0, 122))
    panel.set_xticks(range(0, 101, 10))
    panel.tick_params(axis="y", length=0)
    grid(panel, "x")
    panel.set_xlabel("sessions on which Harpagon costs no more (%), 95 % interval")


def kinds_number(found: Mapping[str, KindAnswer]) -> KeyNumber:
    """How often Harpagon misses a feasible plan, for the kind with the most misses."""
    kind, worst = max(found.items(), key=lambda item: item[1].without.value)
    return KeyNumber(
        f"{worst.without.value:.0f} %",
        f"of the feasible sessions: Harpagon finds no plan ({NAMES[kind]})",
        f"95 % interval {span(worst.without.low, worst.without.high)} ({worst.sessions} sessions); of "
        f"{worst.tight} that need dummy requests to meet their objective it fails on {worst.tight_without}",
    )


def kinds_blocks(found: Mapping[str, KindAnswer]) -> list[Block]:
    """The table of all answers, and the conclusions."""
    rows = [
        (
            NAMES[kind],
            SOURCES[kind],
            str(a.sessions),
            share_in_words(a.split),
            share_in_words(a.plan),
            f"{a.worst.value:.1f} %",
            share_in_words(a.without),
            f"{a.tight_without} of {a.tight}",
            str(a.stopped),
        )
        for kind, a in found.items()
    ]
    columns = (
        "kind",
        "sessions",
        "with a plan",
        "best split (95 %)",
        "best plan (95 %)",
        "largest extra cost over the best plan",
        "Harpagon finds none (95 %)",
        "... with a tight objective",
        "split searches stopped",
    )
    return [
        Table(CAPTION, columns, tuple(rows), frozenset(range(2, 9))),
        Paragraph(_meaning(found)),
    ]


def share_in_words(m: Measured) -> str:
    """A share in per cent with its 95 % interval."""
    return f"{m.value:.1f} % ({span(m.low, m.high)})"


def _meaning(found: Mapping[str, KindAnswer]) -> str:
    """The findings of the table, and the meaning of its columns."""
    tight, missed = (sum(getattr(a, name) for a in found.values()) for name in ("tight", "tight_without"))
    without = sum(round(a.without.value * a.sessions / 100) for a in found.values())
    absent = "" if MEASURED in found else " Measured sessions are missing: --instances names their folder."
    return (
        f"Harpagon finds no plan for {without} feasible sessions. {missed} of them have an objective below the "
        "least latency without dummy requests, the longest path of least d + b/T; of all feasible sessions "
        f"{tight} have. Their plans send dummy requests so that batches fill earlier. Algorithm 2 starts "
        f"from that latency and does not consider this. Searches over splits stop after a million nodes here; stopped "
        f"searches are left out of their column.{absent}"
    )
