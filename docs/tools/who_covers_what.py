"""Writes the table of who covers what into `docs/model/plan-spaces.md`, from what solvers declare."""

from __future__ import annotations

from pasting import DOCS, paste, table

from euclio.core.coverage import covered, demand_words, short_names
from euclio.core.families import Family, families


def coverage(family: Family) -> str:
    """The demands of a family by solvers that cover the same, in Markdown."""
    rows = covered(family)
    return table(
        (family.instances, *(" ".join(f"`{name}`" for name in short_names(names).split(", ")) for names in rows)),
        (
            (demand_words(demand), *("yes" if row[i] else "" for row in rows.values()))
            for i, demand in enumerate(family.demands)
        ),
    )


if __name__ == "__main__":
    found = (coverage(family) for family in families() if family.demands)
    paste(DOCS / "model" / "plan-spaces.md", {"who covers what": "\n\n".join(found)})
