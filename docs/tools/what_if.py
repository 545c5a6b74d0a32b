"""Draws the figure of `docs/howto/what-if.md`: `python docs/tools/what_if.py`.

The profiles of notebook 07 at three rates and six objectives, by share and in whole machines: what the command of the
page asks for. It writes `docs/figures/what-if.svg`; the same code gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path

from euclio.questions.figures import draw_what_if
from euclio.questions.what_if import what_if
from euclio.report.figure_files import save_figure
from euclio.workloads.session.csv_profiles import session_from_csv

ROOT = Path(__file__).resolve().parents[2]
PRICES = {"gpu-large": "3.2", "gpu-small": "0.6", "cpu": "0.09"}
RATES = (100, 300, 900)
SLOS = ("0.1", "0.15", "0.2", "0.3", "0.5", "0.8")


def main() -> None:
    """Solve and draw."""
    profiles = ROOT / "notebooks" / "my_profiles.csv"
    session = session_from_csv(profiles, prices_per_h=PRICES, rates_rps=240, slo_s="0.5")
    save_figure(draw_what_if(what_if(session, rates=RATES, slos=SLOS)), ROOT / "docs" / "figures" / "what-if.svg")


if __name__ == "__main__":
    main()
