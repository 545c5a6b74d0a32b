"""How requests come, and what plans of sessions keep of them, as keywords that several verbs have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core import families
from euclio.core.errors import InputError
from euclio.core.family import Family
from euclio.core.parameters import keyword_of, option_text
from euclio.core.values import SHARE, exact_positive, exacts, named, one_of, read, read_if
from euclio.serving.setup import MODULE_PERCENTILES, PERCENTILES, PHASE_S, VARIABILITY, Arrivals, with_attainment
from euclio.verbs.interface.family_keywords import SERVED, SERVING, setup_fields

if TYPE_CHECKING:
    from euclio.serving.attainment.demand import Demand, ModuleObjective


DRAWN = tuple(kind.value for kind in Arrivals if kind is not Arrivals.TRACE)


def arrival_fields(arrivals: str | None, trace: Any, cv: Any, on: Any, off: Any) -> dict[str, Any]:
    """The fields of a setup that these keywords give.

    Raises:
        InputError: they do not go together, or the trace cannot be read.
    """
    from euclio.serving.trace_files import load_trace

    if trace is not None and arrivals is not None:
        raise InputError(f"is given next to {option_text('--arrivals')}; leave one out", field="--trace")
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
            raise InputError(f"is for {option_text('--arrivals', process.value)}; leave it out", field=flag)
        if value is not None:
            found[name] = value
    if kind is not Arrivals.TRACE:
        return found
    return found | {"trace_s": load_trace(trace) if isinstance(trace, str | Path) else tuple(sorted(map(float, trace)))}


FLAGS = (
    "--arrivals",
    "--trace",
    "--cv",
    "--on",
    "--off",
    "--noise",
    "--dispatch",
    "--time-out",
    "--hold",
    "--dropping",
)
"""Options that mean nothing without an attainment."""
FLAG_OF = {keyword_of(flag): flag for flag in FLAGS}
KEYWORDS = ("attainment", *FLAG_OF)
"""All keywords of an attainment but percentiles."""


def with_percentile(keywords: Mapping[str, Any], several: Any = None) -> dict[str, Any]:
    """The keywords with a percentile objective as what it is: an attainment, and an objective in seconds.

    Args:
        keywords: keywords of a verb.
        several: what the verb is given as `slo`, where that is a parameter of its own.

    Raises:
        InputError: it is given next to another one, to an attainment or to an objective.
    """
    keywords = with_attainment(keywords)
    given = [name for name in PERCENTILES if keywords.get(name) is not None]
    found = {name: value for name, value in keywords.items() if name not in PERCENTILES}
    if not given:
        return found
    name, *others = given
    for other in (*others, "attainment", "slo"):
        if keywords.get(other) is not None or (other == "slo" and several is not None):
            raise InputError(f"says both the share of requests and their SLO; leave --{other} out", field=f"--{name}")
    seconds = read(exacts if isinstance(keywords[name], list | tuple) else exact_positive, keywords[name], f"--{name}")
    return {**found, "attainment": PERCENTILES[name], "slo": seconds}


def module_objectives(keywords: Mapping[str, Any]) -> tuple[ModuleObjective, ...]:
    """The objectives of single modules; raises an `InputError` if one is no positive number."""
    from euclio.serving.attainment.demand import objectives_of

    flags = {name: f"--{name.replace('_', '-')}" for name in MODULE_PERCENTILES}
    return objectives_of(
        {name: read_if(named(exact_positive), keywords.get(name), flag) or {} for name, flag in flags.items()}
    )


def attainment_demand(family: Family, keywords: Mapping[str, Any], *instances: Any) -> Demand | None:
    """The demand of keywords; None without any.

    Args:
        family: of the instances.
        keywords: keywords of a verb, after `with_percentile`.
        *instances: the sessions, each of which has to have the modules that are named.

    Raises:
        InputError: of another family, without an attainment, keywords that do not go together, or an unknown module.
    """
    if keywords.get("attainment") is None:
        for name, flag in FLAG_OF.items():
            if keywords.get(name) not in (None, False):
                demand = option_text("--attainment")
                raise InputError(f"says what {demand} is asked under; give that too, or leave this out", field=flag)
        return None
    if family.name != SERVED:
        served = families.find_family(SERVED).instances
        raise InputError(f"is an option for {served}; leave it out", field="--attainment")
    from euclio.serving.attainment.demand import Demand, check_names
    from euclio.serving.session.setup import Setup

    noise = read_if(SHARE.parse, keywords.get("noise"), "--noise")
    coming = arrival_fields(*(keywords.get(name) for name in ("arrivals", "trace", "cv", "on", "off")))
    own = setup_fields(family, {name: keywords.get(name) for name in SERVING})
    target = read(SHARE.parse, keywords["attainment"], "--attainment")
    modules = module_objectives(keywords)
    for session in instances:
        check_names(modules, session)
    return Demand(target, Setup(noise=noise or 0.0, **coming, **own), modules)
