"""Plans of sessions that keep a chosen SLO attainment under random arrivals (docs/findings/cost-of-randomness.md).

Names are imported when they are used: printing the statement of a plan needs nothing of the search for plans.
"""

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.serving.attainment.attaining import solve_attaining
    from euclio.serving.attainment.demand import Demand
    from euclio.serving.attainment.served import planned_setup, setup_of

__all__ = ["Demand", "planned_setup", "setup_of", "solve_attaining"]

__getattr__ = lazy_names(
    __name__,
    {
        "euclio.serving.attainment.attaining": ["solve_attaining"],
        "euclio.serving.attainment.demand": ["Demand"],
        "euclio.serving.attainment.served": ["planned_setup", "setup_of"],
    },
)
