"""Solves the PRISM benchmark and checks its certificates: `python docs/tools/prism.py`, some seconds.

Writes the tables of `docs/findings/prism.md` and draws `docs/figures/prism.svg`. `--certificates FILE` keeps the
instances and certificates as JSON lines.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from fractions import Fraction
from pathlib import Path

from matplotlib.figure import Figure
from pasting import DOCS, FIGURES, draw_styled, paste, table

from euclio.core.figures import PALETTE, grid
from euclio.core.words import percent
from euclio.proving.prism import broken_certificate
from formulations.prism import Case, Certificate, draw_cases, exact, greedy, price, public_score


def solved(cases: tuple[Case, ...]) -> tuple[list[Certificate], list[float]]:
    """The certificate of each instance, each checked, and the processor seconds that finding it took."""
    found, seconds = [], []
    for case in cases:
        began = time.process_time()
        certificate = exact(case)
        seconds.append(time.process_time() - began)
        assert certificate is not None, f"instance {case.number} has no placement"
        error = broken_certificate(case.as_data(), certificate.as_data())
        assert error is None, f"instance {case.number}: {error}"
        found.append(certificate)
    return found, seconds


def by_greedy(cases: tuple[Case, ...]) -> list[Fraction]:
    """The largest pressure of the greedy placement of each instance."""
    placements = [greedy(case) for case in cases]
    return [price(case, own) for case, own in zip(cases, placements, strict=True)]


def draw(above: list[float]) -> Figure:
    """The instances by how far greedy lies above the optimum, in per cent."""
    figure = Figure(figsize=(6.4, 2.6))
    axes = figure.subplots()
    axes.bar(range(1, len(above) + 1), sorted(above), color=PALETTE[1], label="greedy")
    axes.axhline(0.0, color=PALETTE[0], linewidth=2.5, label="proven optimum")
    axes.set(xlabel="instance, the best of greedy first", ylabel="largest pressure\nabove the optimum (%)")
    axes.margins(x=0.01)
    grid(axes)
    axes.legend(loc="upper left")
    return figure


def main() -> None:
    """Solve the instances and write the tables."""
    parser = argparse.ArgumentParser(description="Solve the PRISM benchmark.")
    parser.add_argument("--certificates", type=Path, help="file to write, a line per instance")
    chosen = parser.parse_args()
    cases = draw_cases()
    found, seconds = solved(cases)
    if chosen.certificates:
        lines = [json.dumps({**c.as_data(), **own.as_data()}) for c, own in zip(cases, found, strict=True)]
        chosen.certificates.write_text("\n".join(lines) + "\n", encoding="utf-8")
    guessed, least = by_greedy(cases), [own.pressure for own in found]
    pairs = list(zip(guessed, least, strict=True))
    above = [guess / own - 1 for guess, own in pairs]
    optimal = sum(guess == own for guess, own in pairs)
    scores = [
        ["greedy", f"{float(public_score(guessed)):.12f}", f"{optimal}"],
        ["proven optimum", f"{float(public_score(least)):.12f}", f"{len(cases)}"],
    ]
    spread = [percent(float(part), 1) for part in (min(above), statistics.median(above), max(above))]
    print(f"{sum(seconds):.1f} s in all, at most {max(seconds):.2f} s for an instance")
    tables = {
        "prism-scores": table(("placement", "score", "optimal on"), scores),
        "prism-greedy": table(("least", "median", "most"), [spread]),
    }
    paste(DOCS / "findings" / "prism.md", tables)
    draw_styled(FIGURES / "prism.svg", lambda: draw([100.0 * float(part) for part in above]))


if __name__ == "__main__":
    main()
