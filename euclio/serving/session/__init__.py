"""Simulation of the machines that serve a session's plan, request by request (docs/model/serving.md)."""

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.serving.session.metrics import describe as describe
    from euclio.serving.session.record import Simulation as Simulation
    from euclio.serving.session.setup import Dispatch as Dispatch
    from euclio.serving.session.setup import Dropping as Dropping
    from euclio.serving.session.setup import Partial as Partial
    from euclio.serving.session.setup import Setup as Setup
    from euclio.serving.session.simulation import highest_loads as highest_loads
    from euclio.serving.session.simulation import simulate as simulate
    from euclio.serving.setup import Arrivals as Arrivals
    from euclio.serving.trace_files import load_trace as load_trace

# The command imports a family's options with this package, which needs no compiled code.
__getattr__ = lazy_names(
    __name__,
    {
        "euclio.serving.session.metrics": ("describe",),
        "euclio.serving.session.record": ("Simulation",),
        "euclio.serving.session.setup": ("Dispatch", "Dropping", "Partial", "Setup"),
        "euclio.serving.session.simulation": ("highest_loads", "simulate"),
        "euclio.serving.setup": ("Arrivals",),
        "euclio.serving.trace_files": ("load_trace",),
    },
)
