"""Discrete-event simulation of the data plane that serves a plan of pooled pipelines (PPipe §5.4, §6, §7)."""

from euclio.serving.pipeline.metrics import describe as describe
from euclio.serving.pipeline.metrics import mean_attainment as mean_attainment
from euclio.serving.pipeline.metrics import utilization as utilization
from euclio.serving.pipeline.record import Simulation as Simulation
from euclio.serving.pipeline.record import Uses as Uses
from euclio.serving.pipeline.setup import Scheduler as Scheduler
from euclio.serving.pipeline.setup import Setup as Setup
from euclio.serving.pipeline.simulation import highest_loads as highest_loads
from euclio.serving.pipeline.simulation import simulate as simulate
from euclio.serving.requests import Requests as Requests
from euclio.serving.requests import attainment as attainment
from euclio.serving.setup import Arrivals as Arrivals
from euclio.serving.trace_files import load_trace as load_trace
