"""Draws the figures of `docs/howto/curve.md`, `docs/howto/what-if.md` and `docs/findings/is-harpagon-optimal.md`.

`python docs/tools/howto_figures.py` draws the session of the README at every SLO from half to twice its own; the
profiles of notebook 07 at three rates and six objectives, by share and in whole machines; and how often Harpagon is
optimal on each population of the stored report. The same code gives the same bytes.
"""

from __future__ import annotations

from matplotlib.figure import Figure
from pasting import FIGURES, ROOT

from euclio.core.figures import new_figure
from euclio.questions.cost_curve import cost_curve
from euclio.questions.figures import draw_cost_curve, draw_what_if
from euclio.questions.what_if import what_if
from euclio.report.figure_files import save_figure
from euclio.workloads.session.csv_profiles import session_from_csv
from euclio.workloads.session.published import published_session
from studies.harpagon.answer import stored_answers
from studies.harpagon.kinds import draw_kinds

PRICES = {"gpu-large": "3.2", "gpu-small": "0.6", "cpu": "0.09"}
RATES = (100, 300, 900)
SLOS = ("0.1", "0.15", "0.2", "0.3", "0.5", "0.8")


def main() -> None:
    """Ask and draw."""
    session = published_session(("ssd_resnet50", "resnet50", "bert_base_128"), rate_rps=500, slo_s="0.4")
    save_figure(draw_cost_curve(cost_curve(session)), FIGURES / "curve.svg")
    profiles = ROOT / "notebooks" / "my_profiles.csv"
    session = session_from_csv(profiles, prices_per_h=PRICES, rates_rps=240, slo_s="0.5", currency="EUR")
    save_figure(draw_what_if(what_if(session, rates=RATES, slos=SLOS)), FIGURES / "what-if.svg")
    save_figure(_draw_answer(), FIGURES / "is-harpagon-optimal.svg")


def _draw_answer() -> Figure:
    """Shares of Harpagon's optimal plans by population, with the printed one."""
    answer = stored_answers(ROOT / "reports" / "harpagon")
    with new_figure(8.4, 3.2) as figure:
        draw_kinds(figure.subplots(), answer.kinds, answer.printed)
    return figure


if __name__ == "__main__":
    main()
