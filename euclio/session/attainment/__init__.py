"""Plans of sessions that keep a chosen SLO attainment under random arrivals (docs/findings/cost-of-randomness.md)."""

from euclio.session.attainment.attaining import solve_attaining
from euclio.session.attainment.demand import Demand
from euclio.session.attainment.planned import planned_setup
from euclio.session.attainment.served import setup_of

__all__ = ["Demand", "planned_setup", "setup_of", "solve_attaining"]
