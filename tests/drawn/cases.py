"""Cases: an instance and the plan space that is asked for; drawn by seed, or kept as plain data in JSON files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from euclio.core.families import find_family
from euclio.files.json_reading import parse_json
from euclio.files.json_writing import json_text
from euclio.problems.fragments import FragmentSpace
from euclio.problems.pipeline import PipelineSpace
from euclio.problems.session import PlanSpace

from .clusters import cluster_case
from .fleets import fleet_case
from .reference_clusters import cluster_truth
from .reference_days import day_truth
from .reference_fleets import fleet_truth
from .reference_sessions import session_truth
from .services import as_service
from .sessions import BALANCED_POLICIES, EVEN_POLICIES, POLICIES, session_case
from .truth import TooLargeError, Truth

FAMILIES = {"session": "session", "cluster": "pipeline", "fragments": "fragments"}
"""The families by what a campaign calls them, and by the name that euclio knows them by."""

SERVICES = (6, 12)
"""Seeds, modulo 20, whose sessions have objectives of modules, delays and applications: none that is kept elsewhere."""

WORDS = {name: word for word, name in FAMILIES.items()}

_REFERENCE: dict[str, Callable[[Any, Any], Truth]] = {
    "session": session_truth,
    "pipeline": cluster_truth,
    "fragments": fleet_truth,
    "day": day_truth,
}

_SPACES: dict[str, type[Any]] = {"session": PlanSpace, "pipeline": PipelineSpace, "fragments": FragmentSpace}


@dataclass(frozen=True, slots=True)
class Case:
    """An instance, its family by the name that euclio knows it by, and the plan space that is asked for."""

    family: str
    instance: Any
    space: Any


def drawn(family: str, seed: int) -> Case:
    """The case of a seed; the same seed gives the same case.

    Sessions of seeds that end in 3 ask for even policies, and those of a tenth have objectives of modules and delays.
    """
    rng = Random(f"{family}/{seed}")
    if family == "pipeline":
        return Case(family, *cluster_case(rng))
    if family == "fragments":
        return Case(family, *fleet_case(rng))
    even = BALANCED_POLICIES if seed % 20 == 13 else EVEN_POLICIES
    session, space = session_case(rng, even if seed % 10 == 3 else POLICIES)
    if seed % 20 in SERVICES:
        session = as_service(Random(f"services/{seed}"), session, space)
    return Case(family, session, space)


def truth_of(case: Case, space: Any) -> Truth | None:
    """What the reference of the family says about a plan space; None: it is too large for it."""
    try:
        return _REFERENCE[case.family](case.instance, space)
    except TooLargeError:
        return None


def space_class(space: PlanSpace | PipelineSpace | FragmentSpace) -> str:
    """The row of the table that a plan space falls into."""
    if isinstance(space, PlanSpace):
        plain: object = PlanSpace(space.policy, space.dummy)
        words = [space.policy.value, space.dummy.value]
    elif isinstance(space, FragmentSpace):
        plain = FragmentSpace(space.sharing, space.budgets)
        words = [space.sharing.value, space.budgets.value]
    else:
        plain = PipelineSpace(space.objective, one_per_sequence=space.one_per_sequence, whole_gpus=space.whole_gpus)
        words = [space.objective.value, "one per sequence" if space.one_per_sequence else "any number"]
        words += [] if space.whole_gpus else ["fractions"]
    return " ".join([*words, *([] if space == plain else ["limited"])])


def to_data(case: Case) -> dict[str, Any]:
    """The case as plain data: the instance as in its file, numbers as they are written, and the plan space's fields."""
    text = find_family(case.family).to_text(case.instance)
    space = case.space.describe()
    return {"family": case.family, "space": space, "instance": parse_json(text)}


def from_data(data: dict[str, Any]) -> Case:
    """The case in plain data.

    Raises:
        InputError: the instance is not a legal one.
    """
    space = dict(data["space"])
    if data["family"] == "session":
        hardware = space.get("hardware")
        space["hardware"] = None if hardware is None else tuple(hardware)
    own = _SPACES[data["family"]](**space)
    return Case(data["family"], find_family(data["family"]).read(data["instance"], None), own)


def read_data(path: Path) -> dict[str, Any]:
    """Plain data in a file, numbers as they are written."""
    found: dict[str, Any] = parse_json(path.read_text(encoding="utf-8"), file=str(path))
    return found


def data_text(data: Any) -> str:
    """The JSON text of plain data, numbers as they are written."""
    return json_text(_fractions(data)) + "\n"


def _fractions(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _fractions(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_fractions(v) for v in value]
    return Fraction(value) if isinstance(value, Decimal) else value
