"""The systems of Graft's evaluation as rows: Graft with the changes of §5.5, and the compared systems."""

from __future__ import annotations

from functools import partial

from euclio.core.lazy import late
from euclio.core.literature import GRAFT, GSLICE
from euclio.core.registry import AnySolver, Solver
from euclio.problems.fragments import FragmentSpace
from heuristics.fragments.options import (
    GSLICE_PLUS_SPACE,
    GSLICE_SPACE,
    Edges,
    GraftOptions,
    Merging,
    gslice_plus_space,
    gslice_space,
)

_GRAFT = late("heuristics.fragments.graft", "solve_graft")
_STATIC = late("heuristics.fragments.gslice", "solve_static")
_STEPS = late("heuristics.fragments.steps", "graft_steps")
LITERAL = GraftOptions(edges=Edges.DISTANCE)
VARIANTS = {
    "graft": ("Graft (Graft §4): merge, group, realign", GraftOptions()),
    "graft:no-merging": ("Graft without merging (Graft §5.5)", GraftOptions(merging=Merging.NONE)),
    "graft:uniform": ("Graft, all uniform fragments merged (Graft §5.5)", GraftOptions(merging=Merging.UNIFORM)),
    "graft:massive": ("Graft with merging threshold 0.01, for thousands (Graft §5.8)", GraftOptions(threshold=0.01)),
    "graft:literal": ("Graft whose groups keep distant fragments together, as printed (Graft §4.2)", LITERAL),
}
"""Graft and its variants by name, with their descriptions and options."""

FRAGMENT_SYSTEMS: tuple[AnySolver, ...] = (
    *(
        Solver(
            name,
            "heuristic",
            what,
            partial(_GRAFT, options=options),
            FragmentSpace(),
            family="fragments",
            steps=partial(_STEPS, options=options),
            rests_on=(GRAFT,),
        )
        for name, (what, options) in VARIANTS.items()
    ),
    Solver(
        "gslice",
        "heuristic",
        "GSLICE (Graft §5.1): each fragment alone, on the least share that serves it",
        late("heuristics.fragments.gslice", "solve_gslice"),
        GSLICE_SPACE,
        narrow=gslice_space,
        family="fragments",
        rests_on=(GRAFT, GSLICE),
    ),
    Solver(
        "gslice+",
        "heuristic",
        "GSLICE+ (Graft §5.3): all uniform fragments together, on the least share that serves them",
        late("heuristics.fragments.gslice", "solve_gslice_plus"),
        GSLICE_PLUS_SPACE,
        narrow=gslice_plus_space,
        family="fragments",
        rests_on=(GRAFT, GSLICE),
    ),
    Solver(
        "static",
        "heuristic",
        "Static (Graft §5.1): as GSLICE, at the partition points of the mean bandwidth",
        partial(_STATIC, together=False),
        GSLICE_SPACE,
        narrow=gslice_space,
        family="fragments",
        rests_on=(GRAFT, GSLICE),
    ),
    Solver(
        "static+",
        "heuristic",
        "Static+ (Graft §5.3): as GSLICE+, at the partition points of the mean bandwidth",
        partial(_STATIC, together=True),
        GSLICE_PLUS_SPACE,
        narrow=gslice_plus_space,
        family="fragments",
        rests_on=(GRAFT, GSLICE),
    ),
    Solver(
        "regroup",
        "heuristic",
        "sets laid at prices, the tightest fragments first; never worse than graft and gslice+ (ours)",
        late("heuristics.fragments.regrouping", "solve_regroup"),
        FragmentSpace(),
        family="fragments",
        library="highs",
        compile=late("heuristics.fragments.regrouping", "compile_regroup"),
        rests_on=(GRAFT,),
    ),
)
