"""The tables and the figure of `docs/model/posterior.md`, from the stored draws: `python docs/tools/posterior.py`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pasting import DOCS, FIGURES, paste, table

from studies.inference.evidence import Optimal, by_role, compared, convergence, model_error, optimal
from studies.inference.figures import optimal_figure
from studies.inference.prior import PAPERS, other_paper
from studies.inference.reference import reference_entry
from studies.inference.store import Stored, stored_draw
from studies.inference.targets import figure_label, full, off, targets
from studies.inference.validation import by_group, left_out, validated


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
    """A paper's numbers under its own reference setting, and under that of the other paper."""
    other = other_paper(paper)
    own, theirs = reference_entry(paper)["numbers"], reference_entry(other)["numbers_of_the_other_paper"]
    keys = [key for key in targets() if key in own and key in theirs and targets()[key].role in ("fit", "check")]
    header = (f"{paper.capitalize()}'s numbers", "printed", "own setting", f"{other.capitalize()}'s setting")
    rows = [
        (figure_label(key), f"{targets()[key].value:g}", *(f"{found[key]:.1f}" for found in (own, theirs)))
        for key in keys
    ]
    for words, factor in (("within a tenth", 1.1), ("within a quarter", 1.25), ("within a factor of 1.5", 1.5)):
        near = [str(int((abs(off(found, keys)) <= np.log(factor)).sum())) for found in (own, theirs)]
        rows.append((f"**{words}**", f"of {len(keys)}", *near))
    return table(header, rows)


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
    """Write all of it."""
    draws = [stored_draw(paper) for paper in PAPERS]
    own = {f"groups of {stored.paper}": groups(stored) for stored in draws}
    own |= {f"crossed {paper}": crossed(paper) for paper in PAPERS}
    paste(
        DOCS / "model" / "posterior.md",
        {"three numbers": opening(draws[0]), "results": results(draws), "missed": missed(draws), **own},
    )
    figure = optimal_figure(draws[0])
    (FIGURES / f"{figure.key}.svg").write_text(figure.svg, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
