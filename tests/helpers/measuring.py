"""What tests measure on instances and results."""

import os


def sizes(session, result):
    """A row about a result."""
    return [{"modules": len(session.modules), "third": 1 / 3, "cost": result.cost, "policy": result.space.policy.name}]


def products(session, factor, values):
    """Rows without a solver."""
    return [{"name": session.name, "product": factor * value} for value in values]


def failing(session):
    """What raises."""
    raise ValueError("nothing to measure")


def dying(session):
    """What ends its process."""
    os._exit(3)
