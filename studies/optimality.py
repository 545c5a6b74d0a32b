"""What Harpagon's and Piccolo's pages open with: the share of workloads on which the system is optimal, among what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.core.words import span
from euclio.report import KeyNumber
from euclio.report.analysis.statistics import Measured
from studies.scorecard import Score, score_line, tally
from studies.session_figures import Named

SPLIT = "split"
"""What names of references over splits begin with."""


def by_key(scores: Sequence[Score]) -> dict[str, Score]:
    """Scores by key of the published number."""
    return {score.published.key: score for score in scores}


def numbers(scores: Sequence[Score], system: Named) -> list[KeyNumber]:
    """What a reader shall see first: the share of optimal splits, and the largest gap."""
    share, gap = (by_key(scores)[key] for key in ("optimal_share", "optimal_gap_max"))
    settings, m = share.settings, share.measured
    given = "" if settings is None else f"; settings that fit the paper's other numbers give {span(*settings, 0)} %"
    return [
        KeyNumber(
            f"{m.value:.1f} %",
            f"of the workloads: {system.name}'s split of the latency is optimal, no other split gives a cheaper plan",
            f"published {share.published.value:g} %; 95 % interval {span(m.low, m.high)} ({m.n} workloads){given}",
        ),
        KeyNumber(
            f"{gap.measured.value:.1f} %",
            f"is the most that {system.name}'s plan of a workload costs above that of the best split",
            f"published {gap.published.value:g} %; the value of a single workload, so without an interval",
        ),
    ]


def tally_text(paper: str, scores: Sequence[Score]) -> str:
    """What the roles of numbers mean, and how many of each agree; of a paper with a posterior."""
    (fitted, fits), (hit, all_), (apart, doubtful) = (tally(scores)[role] for role in ("fit", "check", "doubtful"))
    return (
        "Role fit: the generator's free parameters may have been fitted to the number, as named in advance in "
        f"data/published/{paper}.json; check: only ever compared. Shown to agree: {fitted} of {fits} fit, {hit} of "
        f"{all_} check. Counted apart: numbers that another printed one makes doubtful (role doubtful, "
        f"data/published/contradictions.json), of which {apart} of {doubtful} agree. Never counted as agreement: run "
        "times (role time), which are another machine's."
    )


def headlines(first: str, scores: Sequence[Score], keys: Sequence[str]) -> list[str]:
    """Lines for the terminal: what the run says, the numbers that matter most, and how many agree."""
    met = ", ".join(f"{hit} of {all_} {role}" for role, (hit, all_) in tally(scores).items() if all_)
    shown = (score_line(score) for score in scores if score.published.key in keys)
    return [first, *shown, f"numbers shown to agree: {met}"]


def dots(panel: Axes, found: Mapping[str, Measured], score: Score, system: Named) -> str:
    """One dot per reference: the share of workloads on which the system costs no more, with its interval.

    Args:
        panel: where to draw.
        found: share by name of the reference, that of the score first; those over splits have names that begin with
            `SPLIT`.
        score: the score of the published share, whose interval over accepted settings is shown too.
        system: the paper's own system.

    Returns:
        The caption.
    """
    settings = score.settings
    if settings is not None:
        # Settings are asked for the first reference alone, the one that the score is measured by.
        panel.fill_betweenx([-0.45, 0.45], *settings, color=PALETTE[0], alpha=0.15, linewidth=0)
    for y, (name, m) in enumerate(found.items()):
        color = PALETTE[0] if name.startswith(SPLIT) else PALETTE[2]
        low, high = (m.value if end is None else end for end in (m.low, m.high))
        panel.plot([low, high], [y, y], color=color, linewidth=3)
        panel.plot(m.value, y, "o", color=color, markersize=8)
        panel.text(102, y, f"{m.value:.1f} % of {m.n}", va="center")
    panel.axvline(score.published.value, color=PUBLISHED, linestyle="--", linewidth=1.6)
    panel.text(score.published.value - 1, -0.75, f"published: {score.published.value:g} %", va="center", ha="right")
    panel.set_yticks(range(len(found)), list(found))
    panel.set_ylim(len(found) - 0.5, -1.1)
    panel.set_xlim(0, 118)
    panel.set_xticks(range(0, 101, 10))
    panel.tick_params(axis="y", length=0)
    grid(panel, "x")
    panel.set_xlabel(f"workloads on which {system.name} costs no more than the reference (%), 95 % interval")
    shaded = "" if settings is None else " Shaded: what 95 % of the settings give that fit the paper's other numbers."
    return (
        f"A dot is the share of the workloads on which {system.name}'s plan costs no more than a reference; higher is "
        f"better. Blue: the reference is the best split of the latency, for which {system.name}'s own scheduler plans, "
        f"as in the paper. Green: it is the best plan of all.{shaded}"
    )
