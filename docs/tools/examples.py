"""Draws the worked example of the model pages: `python docs/tools/examples.py`.

Module M_3 of Harpagon's Table II at 198 requests per second within 1 s, planned four ways. Costs and latencies are
those of the checker, so the picture cannot differ from the code. It writes `docs/figures/four-plans.svg`.
"""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import NamedTuple

from pasting import FIGURES

from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)

BATCHES = {2: "0.100", 8: "0.250", 32: "0.800"}
COLOURS = {2: "#d9822b", 8: "#3c9a5f", 32: "#2f6fb5"}
RATE, SLO = 198, 1
LEFT, TOP, ROW, PER_RPS = 150, 44, 62, 2.6


class Way(NamedTuple):
    """A plan of the example: a name, what it may do, (batch, whole machines) in rank order, partial and dummy rate."""

    name: str
    says: str
    space: PlanSpace
    rows: tuple[tuple[int, int], ...]
    partial: int = 0
    dummy: int = 0


WAYS = (
    Way("S1", "rr, at most 2", PlanSpace("rr", "none", 2), ((8, 6), (2, 0)), partial=6),
    Way("S2", "tc, at most 2", PlanSpace("tc", "none", 2), ((32, 4), (2, 1)), partial=18),
    Way("S3", "tc, any number", PlanSpace("tc", "none"), ((32, 4), (8, 1), (2, 0)), partial=6),
    Way("S4", "tc, dummies", PlanSpace("tc", "machine"), ((32, 5),), dummy=2),
)


def drawing() -> str:
    """The picture as SVG text."""
    profile = [Configuration("gpu", batch, 1, duration) for batch, duration in BATCHES.items()]
    session = Session("M_3", SLO, [Hardware("gpu", 1)], [Module("M_3", RATE, profile)])
    by_batch = {c.batch: c for c in profile}
    width, height = LEFT + 205 * PER_RPS + 200, TOP + len(WAYS) * ROW + 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="Four plans of module M_3 with their costs and latencies" '
        'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12" fill="#1c1f23">',
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        f'<text x="12" y="24" font-weight="bold">M_3 at {RATE} requests per second within {SLO} s: each block is a '
        "machine, as wide as its rate</text>",
    ]
    for k, way in enumerate(WAYS):
        parts += _row(session, by_batch, way, TOP + k * ROW)
    end, bottom = LEFT + RATE * PER_RPS, TOP + len(WAYS) * ROW
    parts.append(f'<path d="M{end:g} {TOP - 6} V{bottom - 4}" stroke="#656b73" stroke-dasharray="4 3"/>')
    parts.append(f'<text x="{end:g}" y="{bottom + 10}" text-anchor="middle" font-size="11">{RATE} req/s</text>')
    for i, (batch, duration) in enumerate(BATCHES.items()):
        x, rate = LEFT + i * 190, by_batch[batch].throughput_rps
        parts.append(f'<rect x="{x}" y="{bottom + 24}" width="13" height="13" fill="{COLOURS[batch]}"/>')
        parts.append(
            f'<text x="{x + 19}" y="{bottom + 35}" font-size="11">batch {batch}: {float(Fraction(duration)):g} s, '
            f"{float(rate):g} req/s</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _row(session: Session, by_batch: dict[int, Configuration], way: Way, top: float) -> list[str]:
    allocations = [Allocation(by_batch[batch], machines) for batch, machines in way.rows]
    last = allocations[-1]
    allocations[-1] = Allocation(last.configuration, last.machines, Fraction(way.partial))
    plan = Plan((ModulePlan(tuple(allocations), Fraction(way.dummy)),))
    found = evaluate(session, plan, way.space)
    assert found.feasible, found.violations
    assert found.cost_per_h is not None
    assert found.latency_s is not None
    parts = [
        f'<text x="12" y="{top + 18:g}" font-weight="bold">{way.name}</text>',
        f'<text x="12" y="{top + 34:g}" font-size="11" fill="#565c64">{escape(way.says)}</text>',
    ]
    x = float(LEFT)
    for allocation in allocations:
        t = float(allocation.configuration.throughput_rps)
        colour = COLOURS[allocation.configuration.batch]
        for _ in range(allocation.machines):
            parts.append(_machine(x, top, t, colour))
            x += t * PER_RPS
        if allocation.partial_rps:
            parts.append(_machine(x, top, float(allocation.partial_rps), colour, opacity=0.55))
            x += float(allocation.partial_rps) * PER_RPS
    words = f"cost {float(found.cost_per_h):g}, worst case {float(found.latency_s):.3f} s"
    parts.append(f'<text x="{LEFT + 205 * PER_RPS + 8:g}" y="{top + 25:g}" font-size="11.5">{words}</text>')
    return parts


def _machine(x: float, top: float, rate: float, colour: str, *, opacity: float = 1.0) -> str:
    return (
        f'<rect x="{x:.1f}" y="{top + 2:g}" width="{rate * PER_RPS:.1f}" height="36" fill="{colour}" '
        f'fill-opacity="{opacity:g}" stroke="#ffffff" stroke-width="1.5"/>'
    )


if __name__ == "__main__":
    (FIGURES / "four-plans.svg").write_text(drawing(), encoding="utf-8")
