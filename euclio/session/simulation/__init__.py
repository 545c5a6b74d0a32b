"""Simulation of the machines that serve a session's plan, request by request (docs/model/serving.md)."""

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.session.simulation.metrics import describe as describe
    from euclio.session.simulation.record import Simulation as Simulation
    from euclio.session.simulation.setup import Dispatch as Dispatch
    from euclio.session.simulation.setup import Dropping as Dropping
    from euclio.session.simulation.setup import Partial as Partial
    from euclio.session.simulation.setup import Setup as Setup
    from euclio.session.simulation.simulation import highest_loads as highest_loads
    from euclio.session.simulation.simulation import simulate as simulate
    from euclio.simulation.setup import Arrivals as Arrivals
    from euclio.simulation.trace_files import load_trace as load_trace

# The command imports a family's options with this package, and wants no compiled code for that.
__getattr__ = lazy_names(
    __name__,
    {
        "euclio.session.simulation.metrics": ("describe",),
        "euclio.session.simulation.record": ("Simulation",),
        "euclio.session.simulation.setup": ("Dispatch", "Dropping", "Partial", "Setup"),
        "euclio.session.simulation.simulation": ("highest_loads", "simulate"),
        "euclio.simulation.setup": ("Arrivals",),
        "euclio.simulation.trace_files": ("load_trace",),
    },
)
