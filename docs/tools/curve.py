"""Draws the figure of `docs/howto/curve.md`: `python docs/tools/curve.py`.

The session of the README at every SLO from half to twice its own. It writes `docs/figures/curve.svg`; the same code
gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path

from euclio.questions.cost_curve import cost_curve
from euclio.questions.figures import draw_cost_curve
from euclio.report.figure_files import save_figure
from euclio.workloads.session.published import published_session

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Ask and draw."""
    session = published_session(("ssd_resnet50", "resnet50", "bert_base_128"), rate_rps=500, slo_s="0.4")
    save_figure(draw_cost_curve(cost_curve(session)), ROOT / "docs" / "figures" / "curve.svg")


if __name__ == "__main__":
    main()
