"""What help texts say of the families: their instances, schemas, default solvers and objectives."""

from __future__ import annotations

from euclio.core.families import families
from euclio.core.words import joined


def an_instance() -> str:
    """One instance of any family, such as "session, cluster or fleet"."""
    return joined((family.instance.__name__.lower() for family in families()), "or")


def instances(before_last: str = "or") -> str:
    """Instances of all families, such as "sessions, clusters or fleets"."""
    return joined((family.instances for family in families()), before_last)


def schemas() -> str:
    """The schemas of instance files."""
    return joined((family.schema for family in families()), "or")


def default_solvers() -> str:
    """The default solver of each family."""
    return joined(f"{family.default_solver} for {family.instances}" for family in families())


def objectives() -> str:
    """The objectives of each family that has several, the default one first."""
    several = [family for family in families() if len(family.goals) > 1]
    return "; ".join(f"of {f.instances}: {joined((goal.name for goal in f.goals), 'or')}" for f in several)
