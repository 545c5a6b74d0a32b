"""Discrete-event simulation of the server that runs a plan of fragments (Graft §3, §5, §6)."""

from euclio.serving.fragments.metrics import describe as describe
from euclio.serving.fragments.metrics import total_attainment as total_attainment
from euclio.serving.fragments.metrics import utilization as utilization
from euclio.serving.fragments.record import Executions as Executions
from euclio.serving.fragments.record import Passages as Passages
from euclio.serving.fragments.record import Simulation as Simulation
from euclio.serving.fragments.setup import Dispatch as Dispatch
from euclio.serving.fragments.setup import Dropping as Dropping
from euclio.serving.fragments.setup import Phases as Phases
from euclio.serving.fragments.setup import Setup as Setup
from euclio.serving.fragments.simulation import highest_loads as highest_loads
from euclio.serving.fragments.simulation import simulate as simulate
from euclio.serving.fragments.switching import Switch as Switch
from euclio.serving.fragments.switching import switch as switch
from euclio.serving.requests import Requests as Requests
from euclio.serving.requests import attainment as attainment
from euclio.serving.setup import Arrivals as Arrivals
from euclio.serving.trace_files import load_trace as load_trace
