"""The systems' own algorithms: Harpagon, Piccolo, baselines, ablations, Scrooge's greedy; NP, DART-r; GSLICE."""

from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver
from heuristics.fragments.spaces import GSLICE_PLUS_SPACE, GSLICE_SPACE, gslice_plus_space, gslice_space
from heuristics.pipeline.spaces import DART_SPACE, NO_PARTITIONING_SPACE, dart_space, no_partitioning_space
from heuristics.session.piccolo_systems import PICCOLO_SYSTEMS
from heuristics.session.scrooge_space import SCROOGE_SPACE
from heuristics.session.systems import LITERAL, SYSTEMS

SOLVERS: tuple[AnySolver, ...] = (
    *(system.as_solver() for system in (*SYSTEMS, *LITERAL, *PICCOLO_SYSTEMS)),
    Solver(
        "scrooge-greedy",
        "heuristic",
        "Scrooge's greedy heuristic (Scrooge §4.3): throughput gained per money and second",
        late("heuristics.session.scrooge_greedy", "solve_scrooge_greedy"),
        SCROOGE_SPACE,
    ),
    Solver(
        "no-partitioning",
        "heuristic",
        "No-Partitioning (PPipe §7.1): whole models on whole GPUs, the best allocation of them",
        late("heuristics.pipeline.no_partitioning", "solve_no_partitioning"),
        NO_PARTITIONING_SPACE,
        narrow=no_partitioning_space,
        family="pipeline",
    ),
    Solver(
        "dart-r",
        "heuristic",
        "DART-r (PPipe §7.1): chains of one low- and one high-class GPU, replicated; whole models on the rest",
        late("heuristics.pipeline.dart_r", "solve_dart_r"),
        DART_SPACE,
        narrow=dart_space,
        family="pipeline",
    ),
    Solver(
        "gslice",
        "heuristic",
        "GSLICE (Graft §5.1): each fragment alone, on the least share that serves it",
        late("heuristics.fragments.gslice", "solve_gslice"),
        GSLICE_SPACE,
        narrow=gslice_space,
        family="fragments",
    ),
    Solver(
        "gslice+",
        "heuristic",
        "GSLICE+ (Graft §5.3): all uniform fragments together, on the least share that serves them",
        late("heuristics.fragments.gslice", "solve_gslice_plus"),
        GSLICE_PLUS_SPACE,
        narrow=gslice_plus_space,
        family="fragments",
    ),
)
