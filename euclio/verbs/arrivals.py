"""How requests come, as keywords that several verbs have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.serving.setup import PHASE_S, VARIABILITY, Arrivals
from euclio.verbs.keywords import one_of, read_if

DRAWN = tuple(kind.value for kind in Arrivals if kind is not Arrivals.TRACE)


def arrival_fields(arrivals: str | None, trace: Any, cv: Any, on: Any, off: Any) -> dict[str, Any]:
    """The fields of a setup that these keywords give.

    Raises:
        InputError: they do not go together, or the trace cannot be read.
    """
    from euclio.serving.trace_files import load_trace

    if trace is not None and arrivals is not None:
        raise InputError("is given next to --arrivals; leave one out", field="--trace")
    drawn = Arrivals(one_of(DRAWN, arrivals or "poisson", "--arrivals"))
    kind = drawn if trace is None else Arrivals.TRACE
    found: dict[str, Any] = {"arrivals": kind}
    parameters = (
        ("cv", Arrivals.GAMMA, "--cv", read_if(VARIABILITY.parse, cv, "--cv")),
        ("on_s", Arrivals.ON_OFF, "--on", read_if(PHASE_S.parse, on, "--on")),
        ("off_s", Arrivals.ON_OFF, "--off", read_if(PHASE_S.parse, off, "--off")),
    )
    for name, process, flag, value in parameters:
        if value is not None and kind is not process:
            raise InputError(f"is for --arrivals {process}; leave it out", field=flag)
        if value is not None:
            found[name] = value
    if kind is not Arrivals.TRACE:
        return found
    return found | {"trace_s": load_trace(trace) if isinstance(trace, str | Path) else tuple(sorted(map(float, trace)))}
