"""How many configurations Harpagon's modules have, and what a limit of two costs: `python docs/tools/two_features.py`.

On the 1131 workloads, on those of ten accepted settings and on random sessions. It prints the table of
`docs/findings/two-features.md` and puts it into the page; the same code gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from drawn import of_settings, random_sessions, the_workloads
from pasting import FINDINGS, paste, spread, table

from euclio import solve
from euclio.core.progress import progress_bar
from euclio.problems.session import Session

OF_A_SETTING = 100
SYSTEMS = ("harpagon", "harpagon:nd", "harpagon:2c-literal")
"""Harpagon, without dummies, and with two configurations per module and dummies."""
OF_A_MODULE = 100 * (6.12 / 5.13 - 1)
"""The most that the limit costs in a module, as the page proves it for its two prices (%)."""


class Counted(NamedTuple):
    """Of the workloads that all three plan, in per cent.

    Attributes:
        three: Harpagon's plans with more than two configurations in a module.
        three_without: the same without dummies.
        dearer: plans that two configurations make more expensive, dummies in both.
        most: the largest extra cost of those; 0: there are none.
        beyond: workloads where it is above what it can be in a module.
    """

    three: float
    three_without: float
    dearer: float
    most: float
    beyond: float


def counted(sessions: Sequence[Session], what: str) -> Counted:
    """Plan by all three and count."""
    three, without, extra = [], [], []
    with progress_bar(f"configurations per module, {what}", len(sessions)) as advance:
        for session in sessions:
            full, bare, two = (solve(session, name) for name in SYSTEMS)
            advance()
            if full.plan is None or bare.plan is None or two.value is None or full.value is None:
                continue
            for own, result in ((three, full), (without, bare)):
                assert result.plan is not None
                own.append(any(len(module.allocations) > 2 for module in result.plan.modules))
            extra.append(100 * (float(two.value / full.value) - 1))
    dearer = np.array(extra) > 1e-7
    most = max(0.0, *extra)
    return Counted(
        *(100 * float(np.mean(own)) for own in (three, without, dearer)),
        most,
        100 * float(np.mean(np.array(extra) > OF_A_MODULE)),
    )


def main() -> None:
    """Write the table into the page."""
    ours = counted(the_workloads(), "the 1131 workloads")
    others = [counted(drawn, f"setting {n}") for n, drawn in enumerate(of_settings(OF_A_SETTING), start=1)]
    drawn = counted(random_sessions(), "random sessions")
    rows = []
    for place, (label, digits) in enumerate(
        (
            ("plans with more than two configurations in a module", 1),
            ("the same without dummies", 0),
            ("plans that a limit of two makes more expensive, with dummies", 1),
            ("the most that it does", 1),
            ("workloads above 19.3 %, the most that it is in a module", 1),
        )
    ):
        own = (f"{one[place]:.{digits}f} %" for one in (ours, drawn))
        first, last = own
        rows.append([label, first, spread([one[place] for one in others], digits, " %"), last])
    header = ("", "the 1131 workloads", f"{len(others)} accepted settings, {OF_A_SETTING} workloads each")
    paste(FINDINGS / "two-features.md", {"counted": table((*header, "1000 random sessions"), rows)})


if __name__ == "__main__":
    main()
