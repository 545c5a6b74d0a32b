"""Inputs that move Scrooge's decisions: a figure, a table and the conclusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.core.words import counted, joined, span
from euclio.report import Block, Figure, Fold, Paragraph, Table
from euclio.report.analysis.statistics import Measured
from euclio.report.drawings import drawn
from studies.papers.published import printed_values
from studies.scrooge.figures import figure_10_made
from studies.scrooge.measures import GREEDY, MILP
from studies.scrooge.varied import FACTORS, MADE, VARIED, Factor, factors, in_words, said, settings
from studies.scrooge.varied_measures import (
    KEYS,
    VariedOutcome,
    along,
    apart,
    each_time,
    holding,
    outcome,
    outcomes,
)

CAPTION = "Every setting: decisions, shares at the optimum's cost, extra cost (both in per cent)"
NAMES = {MILP: "MILP", GREEDY: "greedy"}
UNPRINTED_COLOR, PRINTED_COLOR = PALETTE[0], PALETTE[4]


def printed_shares() -> dict[str, float]:
    """The printed shares at the optimum in per cent, by solver."""
    values = printed_values("scrooge")
    return {solver: values[f"{key}_same_share"] for solver, key in KEYS.items()}


def varied_blocks(tables: Mapping[str, pd.DataFrame]) -> list[Block]:
    """The section on varied inputs."""
    found = outcomes(tables[VARIED])
    return [
        Paragraph(_what(found)),
        figure_inputs(found),
        *(Paragraph(text) for text in (_moving(found), _both(found), _made(tables[MADE])) if text),
        *_distributions(tables[MADE]),
        Fold("All settings", (_table(found),)),
    ]


@drawn("figure-inputs", "Which inputs decide how often Scrooge's MILP and greedy are optimal?", panels=2, height=6.4)
def figure_inputs(axes: Sequence[Axes], found: Mapping[str, Mapping[str, VariedOutcome]]) -> str:
    """Shares at the optimum over the values of every input with variations of its own."""
    for panel, (solver, value) in zip(axes, printed_shares().items(), strict=True):
        for y, factor in enumerate(FACTORS):
            _draw_factor(panel, y, factor, along(factor, found, solver))
        if "" in found:
            panel.axvline(found[""][solver].same.value, color=PALETTE[2], linewidth=1.2)
        panel.axvline(value, color=PUBLISHED, linestyle="--", linewidth=1.4)
        panel.set(ylim=(len(FACTORS) - 0.5, -0.7), xlim=(0, 118))
        panel.set_xticks(range(0, 101, 20))
        panel.set_yticks(range(len(FACTORS)), [factor.name.replace("_", " ") for factor in FACTORS])
        panel.tick_params(axis="y", length=0)
        panel.set(title=NAMES[solver], xlabel="decisions at the optimum's cost (%)")
        grid(panel, "x")
    axes[1].set_yticklabels([])
    return (
        "One input is varied at a time. Dots are its values; lines above and below are 95 % intervals at the labelled "
        "first and last value. Blue: unprinted inputs; grey: printed ones, or those that would "
        "contradict print. Green line: the study's own inputs; dashed: published. Names are "
        "those of the table below."
    )


def _draw_factor(panel: Axes, y: float, factor: Factor, shares: Mapping[float, Measured]) -> None:
    """One row: the shares at all values, with intervals and labels at both ends."""
    if not shares:
        return
    color = PRINTED_COLOR if factor.printed else UNPRINTED_COLOR
    values = [m.value for m in shares.values()]
    panel.plot(values, [y] * len(values), color=color, marker="o", markersize=3.5, linewidth=0.8)
    ends = ((next(iter(shares)), -0.22), (list(shares)[-1], 0.22))
    for value, shift in ends:
        own = shares[value]
        panel.plot([own.low or 0, own.high or 0], [y + shift] * 2, color=color, linewidth=1.6)
        panel.text((own.high or 0) + 1, y + shift, factor.said(value), va="center", fontsize=7)


def _what(found: Mapping[str, Mapping[str, VariedOutcome]]) -> str:
    own = found.get("")
    start = (
        ""
        if own is None
        else (
            f" With the study's inputs, MILP and greedy cost the same as the optimum on {_share(own[MILP].same)} and "
            f"{_share(own[GREEDY].same)} of them."
        )
    )
    return (
        f"The decisions of §4.2 are made again under {counted(len(found), 'setting')}: inputs varied one at a time, "
        f"and some two at a time. No level was chosen by its result.{start} An unprinted input moves a share "
        "if the 95 % intervals at its two ends do not overlap. Values that "
        "contradict a printed number are run too, but explain nothing. Worker types are drawn anew for "
        "every decision; unless the run is full, for every other decision only, to save time."
    )


def _moving(found: Mapping[str, Mapping[str, VariedOutcome]]) -> str:
    """The shares that unprinted inputs move."""
    parts = []
    for solver, value in printed_shares().items():
        moved, seen = [], []
        for factor in FACTORS:
            shares = along(factor, found, solver)
            if factor.printed or len(shares) < 2:
                continue
            seen += [m.value for m in shares.values()]
            (first, low), (*_, (last, high)) = next(iter(shares.items())), shares.items()
            if apart(low, high):
                ends = f"{low.value:.0f} to {high.value:.0f} %"
                moved.append(f"{factor.name}, {factor.words} ({factor.said(first)} to {factor.said(last)}: {ends})")
        if seen:
            words = "; ".join(moved) if moved else "none"
            parts.append(
                f"Inputs that move {NAMES[solver]} (published {value:g} %): {words}. Over all unprinted inputs it "
                f"ranges from {min(seen):.0f} to {max(seen):.0f} %, so any printed number in between would have been "
                "reached too."
            )
    return " ".join(parts)


def _both(found: Mapping[str, Mapping[str, VariedOutcome]]) -> str:
    """The settings that give both printed shares, and the largest extra costs there."""
    names = holding(found, printed_shares())
    if not names:
        return f"Under none of the {counted(len(found), 'setting')} do both intervals contain the printed shares."
    texts = {name: _in_short(name, found[name]) for name in names}
    free = [texts[in_words(s)] for s in settings() if in_words(s) in texts and not _printed(s)]
    rest = [texts[in_words(s)] for s in settings() if in_words(s) in texts and _printed(s)]
    parts = [f"settings that change unprinted inputs only: {joined(free)}"] if free else []
    parts += [f"settings that change a printed input: {joined(rest)}"] if rest else []
    return (
        f"Both intervals contain the printed shares under {len(names)} of {counted(len(found), 'setting')}, named "
        f"as in the table below: {'; '.join(parts)}. In brackets: shares of MILP and greedy, and their largest extra "
        "costs, for which the paper prints less than 3 % and up to 5 %."
    )


def _in_short(name: str, own: Mapping[str, VariedOutcome]) -> str:
    same, most = (joined(f"{pick(own[s]).value:.1f}" for s in KEYS) for pick in (_same, _most))
    return f"{name or 'as run'} ({same} %; {most} %)"


def _same(own: VariedOutcome) -> Measured:
    return own.same


def _most(own: VariedOutcome) -> Measured:
    return own.most_extra


def _printed(setting: Mapping[str, float]) -> list[str]:
    """The printed values of the inputs that a setting changes."""
    return [factors()[name].printed for name in setting if factors()[name].printed]


def varied_reasons(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """Both shares under varied inputs and other decisions, by key of the published number."""
    found, made = outcomes(tables[VARIED]), each_time(tables[MADE])
    reasons = {}
    for solver, key in KEYS.items():
        seen = [m.value for factor in FACTORS if not factor.printed for m in along(factor, found, solver).values()]
        words = [f"over single unprinted inputs it ranges from {min(seen):.0f} to {max(seen):.0f} %"] if seen else []
        if len(made):
            same = outcome(made, solver).same
            words.append(f"on {counted(len(made), 'allocation')} of changing workloads it is {same.value:.1f} %")
        reasons[f"{key}_same_share"] = f"With inputs varied: {'; '.join(words)}." if words else ""
    return reasons


def _made(made: pd.DataFrame) -> str:
    """The decisions of the changing workloads."""
    every = each_time(made)
    if every.empty:
        return ""
    milp, greedy = outcome(every, MILP), outcome(every, GREEDY)
    held = holding({"": {MILP: milp, GREEDY: greedy}}, printed_shares())
    start = "" if held else "The choice of decisions does not explain the printed shares: "
    return (
        f"{start}on the {counted(len(every), 'allocation')} that Scrooge asks for on changing workloads of traffic, "
        "face and tracker, feasible ones only, MILP costs the same as the optimum on "
        f"{_share(milp.same)} (mean extra {milp.mean_extra.value:.2f} %, largest {milp.most_extra.value:.1f} %), "
        f"greedy on {_share(greedy.same)} ({greedy.mean_extra.value:.2f} and {greedy.most_extra.value:.1f} %)."
    )


def _distributions(made: pd.DataFrame) -> list[Figure]:
    """Figure 10 over the decisions of the changing workloads; none without decisions."""
    return [] if made.empty else [figure_10_made(each_time(made))]


def _share(m: Measured) -> str:
    return f"{m.value:.1f} % ({span(m.low, m.high)})"


def _table(found: Mapping[str, Mapping[str, VariedOutcome]]) -> Table:
    rows = []
    for setting in settings():
        own = found.get(in_words(setting))
        if own is None:
            continue
        cells = [text for solver in KEYS for text in _cells(own[solver])]
        rows.append(
            (in_words(setting) or "own", said(setting), "; ".join(_printed(setting)), str(own[MILP].same.n), *cells)
        )
    heads = [f"{NAMES[s]}: {what}" for s in KEYS for what in ("same (95 %)", "mean extra", "largest extra")]
    columns = ("setting", "what", "printed of it", "decisions", *heads)
    return Table(CAPTION, columns, tuple(rows), frozenset(range(3, 10)))


def _cells(own: VariedOutcome) -> tuple[str, str, str]:
    same = f"{own.same.value:.1f} ({span(own.same.low, own.same.high)})"
    return same, f"{own.mean_extra.value:.2f}", f"{own.most_extra.value:.1f}"
