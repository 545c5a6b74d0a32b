"""Plans of sessions that keep a chosen SLO attainment under random arrivals (docs/findings/cost-of-randomness.md).

Names are imported when they are used: whoever says what a plan states needs nothing of the search for plans.
"""

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.session.attainment.attaining import solve_attaining
    from euclio.session.attainment.demand import Demand
    from euclio.session.attainment.planned import planned_setup
    from euclio.session.attainment.served import setup_of

__all__ = ["Demand", "planned_setup", "setup_of", "solve_attaining"]

__getattr__ = lazy_names(
    __name__,
    {
        "euclio.session.attainment.attaining": ["solve_attaining"],
        "euclio.session.attainment.demand": ["Demand"],
        "euclio.session.attainment.planned": ["planned_setup"],
        "euclio.session.attainment.served": ["setup_of"],
    },
)
