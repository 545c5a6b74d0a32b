"""The systems' own algorithms: Harpagon, its baselines and ablations, Scrooge's greedy; NP and DART-r for pipelines."""

from euclio.core.registry import Solver
from heuristics.pipeline.dart_r import DART_SPACE, dart_space, solve_dart_r
from heuristics.pipeline.dart_r import NAME as DART_R
from heuristics.pipeline.no_partitioning import NAME as NO_PARTITIONING
from heuristics.pipeline.no_partitioning import NO_PARTITIONING_SPACE, no_partitioning_space, solve_no_partitioning
from heuristics.session.scrooge_greedy import NAME, solve_scrooge_greedy
from heuristics.session.scrooge_space import SCROOGE_SPACE
from heuristics.session.solver import solvers

SOLVERS = (
    *solvers(),
    Solver(
        NAME,
        "heuristic",
        "Scrooge's greedy heuristic (Scrooge §4.3): throughput gained per money and second",
        solve_scrooge_greedy,
        SCROOGE_SPACE,
    ),
    Solver(
        NO_PARTITIONING,
        "heuristic",
        "No-Partitioning (PPipe §7.1): whole models on whole GPUs, the best allocation of them",
        solve_no_partitioning,
        NO_PARTITIONING_SPACE,
        narrow=no_partitioning_space,
        family="pipeline",
    ),
    Solver(
        DART_R,
        "heuristic",
        "DART-r (PPipe §7.1): chains of one low- and one high-class GPU, replicated; whole models on the rest",
        solve_dart_r,
        DART_SPACE,
        narrow=dart_space,
        family="pipeline",
    ),
)
