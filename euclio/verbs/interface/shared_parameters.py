"""The parameters that several verbs share: changes of instances, plan spaces, attainment, simulations, and outputs.

Families declare theirs in their records; the groups below are made of these when a verb is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from euclio.core.families import asked_families, families, find_family
from euclio.core.family import Family
from euclio.core.parameters import NEEDED, Group, Parameter, as_given
from euclio.core.values import SHARE, exact_positive, exacts, file_path, named, names, seconds, seed
from euclio.core.words import full, joined, plain
from euclio.serving.setup import MODULE_PERCENTILES, PERCENTILES, PHASE_S, VARIABILITY
from euclio.verbs.interface.attainment import DRAWN
from euclio.verbs.interface.family_keywords import SERVED, SERVING, setup_owners
from euclio.verbs.interface.inputs import OneInstance

# Words of the help.


def an_instance() -> str:
    """One instance of any family, such as "session, cluster or fleet"."""
    return joined((family.instance.__name__.lower() for family in families()), "or")


def instances(before_last: str = "or") -> str:
    """Instances of all families, such as "sessions, clusters or fleets"."""
    return joined((family.instances for family in families()), before_last)


def schemas() -> str:
    """The schemas of instance files."""
    return joined((family.schema for family in families()), "or")


def default_solvers() -> str:
    """The default solver of each family."""
    return joined(f"{family.default_solver} for {family.instances}" for family in families())


def objectives() -> str:
    """The objectives of each family that has several, the default one first."""
    several = [family for family in families() if len(family.goals) > 1]
    return "; ".join(f"of {f.instances}: {joined((goal.name for goal in f.goals), 'or')}" for f in several)


# Inputs.

RESULT = Parameter("result", help="result (JSON, euclio/result/1)", metavar="RESULT")
POOL: dict[str, Any] = {"nargs": "+", "action": OneInstance}
"""Of an argument that is an instance: several files are sessions that share their machines."""
SHARING = "several sessions share their machines"
SESSION = Parameter(
    "file", help=f"session (JSON, {find_family(SERVED).schema}); {SHARING}", metavar="FILE", details=POOL
)
STRICT = Parameter("--strict", help="refuse doubted measured rows; default: a warning for each")
POLICY = Parameter(
    "--policy",
    help="your own policy of the result; euclio never runs one that only the result names",
    parse=as_given,
    metavar="FILE.py:NAME",
)
SOLVER = Parameter(
    "--solver", help="see `euclio solvers`, or FILE.py:FUNCTION; default: exact", parse=as_given, metavar="NAME"
)
SOLVERS = Parameter("--solvers", parse=as_given, metavar="A,B", details={"type": names})
TIME_LIMIT = Parameter("--time-limit", parse=seconds, metavar="S")
SEED = Parameter("--seed", parse=seed, metavar="N")

INSTANCE = Parameter("instance", help=lambda: f"{an_instance()} (JSON)", metavar="INSTANCE")

# Where answers go.

PROFILE_OUTPUTS = (
    Parameter("--out", help="CSV file for the profile", parse=file_path, metavar="FILE", details=NEEDED),
    Parameter("--append", help="add to the profiles that --out has, if it is there"),
)
JSON = Parameter("--json", help="print it as JSON instead of a table")
PLOT = Parameter("--plot", help="also plot it (.svg, .png or .pdf)", parse=file_path, metavar="OUT")


def json_of(what: str, instead: str = " instead of a table") -> Parameter:
    """The option that prints something as JSON."""
    return replace(JSON, help=f"print {what} as JSON{instead}")


def out_of(what: str, metavar: str = "FILE") -> Parameter:
    """The option that also writes something to a file."""
    return Parameter("--out", help=what, parse=file_path, metavar=metavar)


# Declarations of families.


def changes(without: Collection[str] = ()) -> Callable[[], Iterator[Group]]:
    """The changes of instances without some fields; the rest stays as in the file."""

    def groups() -> Iterator[Group]:
        for family in asked_families():
            own = tuple(one for one in family.change_options if one.field not in without)
            if own:
                yield Group(f"changes of {family.instances}", "default: as in the file", own)

    return groups


def plan_space(without: Collection[str] = ()) -> Callable[[], Iterator[Group]]:
    """The fields of plan spaces without some; the default is the solver's own."""

    def groups() -> Iterator[Group]:
        for family in asked_families():
            own = tuple(one for one in family.space_options if one.field not in without)
            also = frozenset(field.name for field in fields(family.full_space))
            yield Group(f"plan space of {family.instances}", "default: the solver's own", own, also)

    return groups


def simulations() -> Iterator[Parameter]:
    """The options of families' simulations besides arrivals."""
    for owners in setup_owners().values():
        yield _shared(owners)


def _shared(owners: dict[str, Parameter]) -> Parameter:
    """A parameter of the simulations of one family or of several; only one with words is shared."""
    first, *others = owners.values()
    if not others:
        return first
    words = dict.fromkeys(word for one in owners.values() for word in one.choices)
    said = "; ".join(f"of {find_family(name).instances}: {one.help}" for name, one in owners.items())
    return replace(first, choices=tuple(words), help=said)


# Plans that hold under random arrivals.


def arrivals(default: str = "poisson, or as --trace says") -> tuple[Parameter, ...]:
    """How requests come."""
    return (
        Parameter("--arrivals", help=f"how requests come; default: {default}", choices=DRAWN),
        Parameter(
            "--trace",
            help="timestamps (CSV, first column) to follow instead",
            parse=as_given,
            metavar="FILE",
            details={"type": file_path},
        ),
        Parameter(
            "--cv",
            help="coefficient of variation of the gaps, for --arrivals gamma, 0.01 to 100; default: 2",
            parse=VARIABILITY.parse,
            metavar="X",
        ),
        *(
            Parameter(
                f"--{word}",
                help=f"mean length of {what}, for --arrivals on-off; default: 1",
                parse=PHASE_S.parse,
                metavar="S",
            )
            for word, what in (("on", "bursts"), ("off", "the silence between bursts"))
        ),
    )


def attainment(*, several: bool = False) -> Callable[[], Iterable[Group]]:
    """The demand on a session's plan under random arrivals; percentiles may be of several objectives."""

    def group() -> Iterable[Group]:
        family = find_family(SERVED)
        about = (
            f"of {family.instances}: the cheapest plan found, by margins on rates and SLO, that keeps an attainment "
            "under random arrivals"
        )
        return (Group("attainment", about, (*_shares(several), *arrivals(), NOISE, *_kept(family))),)

    return group


NOISE = Parameter("--noise", help="coefficient of variation of durations; default: 0", parse=SHARE.parse, metavar="X")


def _shares(several: bool) -> Iterator[Parameter]:
    """The share of requests, alone or as a percentile of the latency, of all modules or of one."""
    yield Parameter(
        "--attainment", help="share of requests within the SLO, 0.5 to 0.9999", parse=SHARE.parse, metavar="A"
    )
    for name, share in PERCENTILES.items():
        yield Parameter(
            f"--{name}",
            help=f"seconds within which {full(100 * share)} %% are answered: --attainment {plain(share)} with this SLO",
            parse=exacts if several else exact_positive,
            metavar="S,S" if several else "S",
        )
    for name, share in MODULE_PERCENTILES.items():
        yield Parameter(
            f"--{name.replace('_', '-')}",
            help=f"seconds by module within which {full(100 * share)} %% of its requests pass it, from ready there to "
            f"the end of their last invocation there; alone: with --attainment {plain(share)}",
            parse=named(exact_positive),
            metavar="NAME=S",
        )


def _kept(family: Family) -> Iterator[Parameter]:
    """The options of a family's simulations for which a plan can be made."""
    return (one for one in family.setup_options() if one.keyword in SERVING)
