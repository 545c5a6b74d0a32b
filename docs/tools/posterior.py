"""The tables and the figure of `docs/model/posterior.md`, from the stored draws: `python docs/tools/posterior.py`.

With `--crossed` it writes nothing, and prints every number of a paper under the reference setting of the other.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from pasting import DOCS, FIGURES, paste, table

from studies.inference.evidence import Optimal, by_role, compared, convergence, model_error, optimal
from studies.inference.figures import optimal_figure
from studies.inference.prior import PAPERS, other_paper
from studies.inference.reference import reference_entry
from studies.inference.store import Stored, stored_draw
from studies.inference.targets import figure_label, full, off, targets
from studies.inference.validation import by_group, left_out, validated

NEAR = {"within a tenth": 1.1, "within a quarter": 1.25, "within a factor of 1.5": 1.5}
"""Largest factor between a number and the printed one, by its words."""


def opening(stored: Stored) -> str:
    """The three numbers that the page opens with."""
    random, near, held = optimal(stored.paper, stored.prior), optimal(stored.paper, stored.accepted), validated(stored)
    rows = [
        (
            "random settings of the prior: share of workloads on which Harpagon matches the best split",
            f"{_ends(random, 0)} ({random.settings} settings)",
        ),
        ("settings that are nearest to Harpagon's other numbers", f"{_ends(near, 0)} ({near.settings} settings)"),
        (
            "Harpagon's numbers of a group that settings were chosen without: in the settings' 95 % intervals; in the "
            "prior's; width over the prior's",
            f"{100 * held.coverage:.0f} %; {100 * held.prior_coverage:.0f} %; {held.width:.2f}",
        ),
    ]
    return table(("three numbers", ""), rows)


def results(draws: Sequence[Stored]) -> str:
    """What both draws come to, a column each."""
    columns = [_column(stored) for stored in draws]
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
    return table(("", *(stored.paper.capitalize() for stored in draws)), rows)


def _column(stored: Stored) -> dict[str, str]:
    """What a draw comes to, by what it is."""
    own, prior = stored.accepted.distance, stored.prior.distance
    random, near, held = optimal(stored.paper, stored.prior), optimal(stored.paper, stored.accepted), validated(stored)
    roles = {row.role: row for row in by_role(compared(stored)).itertuples()}
    reference = reference_entry(stored.paper)
    return {
        "settings simulated; accepted": f"{len(stored.draws)}; {len(own)}",
        "distance of the accepted; of the nearest of the prior; median of the prior": (
            f"{own.min():.2f} to {own.max():.2f}; {prior.min():.2f}; {prior.median():.2f}"
        ),
        "the accepted ones on other workloads (median, the model's error)": f"{model_error(stored.accepted):.2f}",
        "share of workloads with the best split: printed": (
            f"{targets()[full(stored.paper, 'optimal_share')].value:g} %"
        ),
        "... random settings, 95 % of them": f"{_ends(random, 1)} ({random.settings})",
        "... accepted settings, 95 % of them": f"**{_ends(near, 1)}** ({near.settings})",
        "... within a factor of 1.5 of the printed failures: random; accepted settings": (
            f"{random.agreeing:.0f}; {near.agreeing:.0f} %"
        ),
        "... with the best plan: accepted settings, 95 % of them": _best_plan(stored, "plan"),
        "... with the best plan under `tc-shared`": _best_plan(stored, "shared"),
        "... R-hat between the runs": f"{convergence(stored):.2f}",
        **{
            f"{name} numbers covered; with the model's error; by the prior; width over prior": (
                f"{row.covered} of {row.figures}; {row.covered_with_error}; {row.prior_covered}; {row.width:.2f}"
            )
            for name, row in (("fitted", roles["fit"]), ("checked", roles["check"]))
        },
        "each group left out: covered; with the model's error; by the prior; width over prior": (
            f"**{100 * held.coverage:.0f} %**; {100 * held.coverage_with_error:.0f} %; "
            f"{100 * held.prior_coverage:.0f} %; **{held.width:.2f}**"
        ),
        "reference setting: distance on the workloads that chose it; on others": (
            f"{reference['distance']['choosing']:.2f}; {reference['distance']['judging']:.2f}"
        ),
    }


def groups(stored: Stored) -> str:
    """Coverage of every group of numbers by the settings that were chosen without it."""
    header = (
        f"{stored.paper.capitalize()}: group left out",
        "numbers",
        "covered",
        "with the model's error",
        "by the prior",
        "width over prior",
    )
    rows = [
        (
            row.group,
            *map(str, (row.figures, row.covered, row.covered_with_error, row.prior_covered)),
            f"{row.width:.2f}",
        )
        for row in by_group(left_out(stored)).itertuples()
    ]
    return table(header, rows)


def crossed(paper: str) -> str:
    """A paper's numbers as printed, under its own reference setting, and under that of the other paper."""
    own, theirs, keys = _both(paper)
    header = (
        f"{paper.capitalize()}'s numbers",
        "printed",
        "own setting",
        f"{other_paper(paper).capitalize()}'s setting",
    )
    rows = [
        (figure_label(key), f"{targets()[key].value:g}", *(f"{found[key]:.1f}" for found in (own, theirs)))
        for key in keys
    ]
    return table(header, rows)


def near() -> str:
    """Counts of the numbers of both papers that either reference setting brings near the printed ones."""
    header = ["near the printed number"]
    counts: list[list[str]] = []
    for paper in PAPERS:
        own, theirs, keys = _both(paper)
        name, other = paper.capitalize(), other_paper(paper).capitalize()
        header += [f"{name}'s {len(keys)} numbers, own setting", f"{name}'s, {other}'s setting"]
        for found in (own, theirs):
            counts.append([str(int((abs(off(found, keys)) <= np.log(factor)).sum())) for factor in NEAR.values()])
    return table(header, [(words, *found) for words, *found in zip(NEAR, *counts, strict=True)])


def _both(paper: str) -> tuple[Mapping[str, float], Mapping[str, float], list[str]]:
    """A paper's numbers under its own reference setting, those under the other paper's, and the keys of both."""
    own = reference_entry(paper)["numbers"]
    theirs = reference_entry(other_paper(paper))["numbers_of_the_other_paper"]
    keys = [key for key in targets() if key in own and key in theirs and targets()[key].role in ("fit", "check")]
    return own, theirs, keys


def missed(draws: Sequence[Stored]) -> str:
    """Printed numbers that lie outside of the 95 % of the accepted settings, and outside of those of random ones."""
    header = ("", "printed", "accepted settings, 95 % of them", "random settings, 95 % of them")
    rows = []
    for stored in draws:
        found = compared(stored)
        for row in found[~found.covered & found.role.isin(["fit", "check"])].itertuples():
            rows.append(
                (
                    f"{stored.paper.capitalize()}: {figure_label(row.key)}",
                    f"{row.published:g}",
                    f"{row.low:.1f} to {row.high:.1f}",
                    f"{row.prior_low:.1f} to {row.prior_high:.1f}" + ("" if row.prior_covered else ", **missed**"),
                )
            )
    return table(header, rows)


def _best_plan(stored: Stored, kind: str) -> str:
    """Share of workloads on which the paper's system has the best plan of a kind, under accepted settings."""
    name = f"{stored.paper}:{kind}_optimal_share"
    if name not in stored.accepted or stored.accepted[name].isna().all():
        return "not asked"
    low, middle, high = np.percentile(stored.accepted[name].dropna(), [2.5, 50, 97.5])
    return f"{low:.0f} to {high:.0f} %, median {middle:.0f} %"


def _ends(found: Optimal, digits: int) -> str:
    return f"{found.low:.{digits}f} to {found.high:.{digits}f} %, median {found.middle:.{digits}f} %"


def main() -> None:
    """Write all of it, or print the numbers of both papers under both settings."""
    if sys.argv[1:] == ["--crossed"]:
        print("\n".join(crossed(paper) for paper in PAPERS))
        return
    draws = [stored_draw(paper) for paper in PAPERS]
    own = {f"groups of {stored.paper}": groups(stored) for stored in draws}
    paste(
        DOCS / "model" / "posterior.md",
        {
            "three numbers": opening(draws[0]),
            "results": results(draws),
            "missed": missed(draws),
            "crossed": near(),
            **own,
        },
    )
    figure = optimal_figure(draws[0])
    (FIGURES / f"{figure.key}.svg").write_text(figure.svg, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
