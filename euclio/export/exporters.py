"""`euclio export` of sessions: the input that each kind of files needs, and the functions that write it."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

from euclio.core.errors import InputError, RefusedError
from euclio.core.numbers import exact
from euclio.core.parameters import Parameter, option_text
from euclio.core.parts import Exporter
from euclio.core.values import names, whole
from euclio.core.words import full, joined, listed
from euclio.export.groups import Deployment, MachineGroup, deployment
from euclio.export.names import NameMap, TargetNames
from euclio.export.remarks import caution
from euclio.export.servers import NODE_LABEL, PORT, manifests, model_repositories, serve_config
from euclio.files.csv_files import rows_csv
from euclio.serving.attainment.served import planned_service, planned_words
from euclio.serving.session.service import ALL_IN_TIME, even_service
from euclio.serving.session.setup import Dispatch
from euclio.serving.session.targets import DEALINGS

if TYPE_CHECKING:
    from euclio.core.result import WrittenResult
    from euclio.problems.session.instance import Session

# CSV: one row per group of machines, with all of its numbers.


def csv_rows(deployed: Deployment) -> str:
    """The table; rates in requests per second, times in seconds, money per hour and machine."""
    rows = [_row(deployed, group) for group in deployed.groups]
    return rows_csv(rows)


def _row(deployed: Deployment, group: MachineGroup) -> dict[str, Any]:
    c = group.configuration
    index = deployed.session.index[group.module]
    of_module = deployed.of_module(group.module)
    return {
        "group": group.name,
        "shared_machine": group.home if group.shares else "",
        "module": group.module,
        "order": of_module.index(group) + 1,
        "hardware": c.hardware,
        "machines": group.machines,
        "max_batch_size": c.batch,
        "instance_count": group.instances,
        "max_queue_delay_microseconds": group.queue_delay_us,
        "gathering_s": group.gathering_s,
        "even_gathering_s": group.even_gathering_s,
        "waiting_s": group.waiting_s,
        "duration_s": c.duration_s,
        "worst_case_latency_s": group.latency_s,
        "rate_rps_per_machine": group.rate_rps,
        "throughput_rps_per_machine": c.throughput_rps,
        "load": group.load,
        "price_per_h": group.price_per_h,
        "module_rate_rps": deployed.session.modules[index].rate_rps,
        "module_dummy_rps": deployed.evaluation.modules[index].dummy_rps,
        "policy": deployed.space.policy.name,
        "not_expressed": _not_expressed(deployed, group, bool(deployed.evaluation.modules[index].dummy_rps)),
    }


def _not_expressed(deployed: Deployment, group: MachineGroup, dummies: bool) -> str:
    """The parts of the plan that a table of machines does not express."""
    words = ["order of dispatch"] if len(deployed.of_module(group.module)) > 1 else []
    if group.needs_runs:
        words.append("whole batches in a run")
    if group.load < 1 and not deployed.space.charging.whole:
        words.append("share of a machine")
    if dummies:
        words.append("dummy requests")
    delays = [edge for edge in deployed.session.delay_s if edge[1] == group.module]
    words += [f"at most {full(deployed.session.delay_s[edge])} s after {edge[0]}" for edge in delays]
    if deployed.session.spare_machines:
        words.append(f"spare machines ({deployed.session.spare_machines} of {group.configuration.hardware})")
    idle = deployed.evaluation.idle.get((group.module, group.configuration.hardware), 0)
    if idle:
        words.append(f"idle machines ({idle} of {group.configuration.hardware})")
    return "; ".join(words)


YAML = (".yaml", ".yml")
"""Endings of YAML files; `kubectl apply -f` takes no others from a folder."""

_LABEL_KEY = re.compile(r"([a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


def _label_key(text: str) -> str:
    if not _LABEL_KEY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no key of a Kubernetes label; give one such as {NODE_LABEL}")
    return text


CPU = Parameter(
    "--cpu",
    "cpu",
    "hardware without a GPU; default: what is named cpu or begins so",
    metavar="A,B",
    parse=names,
)
IMAGE = Parameter(
    "--image",
    "image",
    "the containers' image; {module} in it stands for the module's name in lower case",
    metavar="NAME",
    missing="the image of the containers that serve the modules",
    parse=str,
)
LABEL = Parameter(
    "--node-label",
    "node_label",
    f"label by which nodes say their hardware; default: {NODE_LABEL}",
    metavar="KEY",
    parse=_label_key,
)
LISTENS = Parameter(
    "--port", "port", f"port of the containers; default: {PORT}", metavar="N", parse=whole(1, 65535).parse
)
IMPORT_PATH = Parameter(
    "--import-path",
    "import_path",
    "the application in Python, such as serving:app",
    metavar="MODULE:APP",
    missing="where the application stands in Python, such as serving:app",
    parse=str,
)


def _router(text: str) -> str:
    if text not in ROUTERS:
        raise argparse.ArgumentTypeError(f"{text!r} is no router; give {joined(ROUTERS, 'or')}")
    return text


OWN, ROUND_ROBIN = "own", Dispatch.ROUND_ROBIN.value
ROUTERS = (OWN, *(dispatch.value for dispatch, dealing in DEALINGS.items() if dealing.queued))
"""The routers of requests to machines: the plan's own dispatch, or a router that the simulator knows."""
ROUTER = Parameter(
    "--router",
    "router",
    "the router of requests: own, which keeps the plan's dispatch, or round-robin, random, least-outstanding or "
    "power-of-two, which refuse a plan that they cannot keep; default: the files' own router for kubernetes and "
    "ray-serve, else own",
    metavar="KIND",
    parse=_router,
)


@dataclass(frozen=True, slots=True)
class _Router:
    """A router of single requests.

    Attributes:
        words: why files do not keep a plan if the router is the one that they bring; empty if the router was named.
        dispatches: the kinds of dispatch of plans by attainment that it keeps.
        in_turn: whether it keeps a plan whose worst case counts on turns.
    """

    words: str
    dispatches: tuple[str, ...]
    in_turn: bool


BROUGHT = {
    "kubernetes": _Router("Services spread single requests", (ROUND_ROBIN, Dispatch.RANDOM.value), in_turn=True),
    "ray-serve": _Router("Ray Serve spreads single requests", (Dispatch.POWER_OF_TWO.value,), in_turn=True),
}
"""The routers that the files of a kind bring. A handle of Ray Serve takes turns if it is told to."""


def _sending(written: WrittenResult, kind: str, router: str | None) -> _Router | None:
    """The named router, or that of the files; None means a router that keeps the plan's dispatch.

    A result of an older version does not state the service that it was planned for; it keeps the plan's dispatch.
    """
    if router is None:
        return BROUGHT.get(kind) if written.planned_for else None
    return None if router == OWN else _Router("", (router,), in_turn=router == ROUND_ROBIN)


def _check_router(deployed: Deployment, written: WrittenResult, kind: str, given: Mapping[str, Any]) -> None:
    """Refuse a plan that the load balancer cannot keep if a load balancer sends the requests.

    In both of these cases the machines of a module must be all alike. A plan with a worst case is kept if each machine
    gathers its batches from an equal share of the module's rate within the time that the plan counts on. A plan for an
    attainment is kept if it was judged behind that router. Modules that share machines and have one each need no
    router at all.

    Raises:
        RefusedError: it cannot.
    """
    sending = _sending(written, kind, given.get("router"))
    if sending is None or _alone(deployed):
        return
    planned = planned_service(written)
    for module in deployed.session.modules:
        groups = deployed.of_module(module.name)
        several, runs = len(groups) > 1, any(group.needs_runs for group in groups)
        if several or runs:
            why = f"{len(groups)} groups of machines with rates of their own" if several else "whole batches in turn"
            _refuse(f"{why} at module {module.name}", sending)
    judged, dispatch = planned["attainment"] != ALL_IN_TIME, planned["dispatch"]
    # Policy load-balancer stands for round robin of single requests to machines that collect batches.
    if (
        judged
        and dispatch not in sending.dispatches
        and not (dispatch == Dispatch.REQUESTS and ROUND_ROBIN in sending.dispatches)
    ):
        _refuse(f"dispatch {dispatch}, behind which its attainment was judged", sending)
    if not judged and not sending.in_turn:
        _refuse("a worst case", sending)


def _alone(deployed: Deployment) -> bool:
    """Whether modules share machines and have one each, so that every router sends all of their requests to it."""
    counts = Counter[str]()
    for group in deployed.groups:
        counts[group.module] += group.machines
    return set(counts.values()) == {1} and any(group.shares for group in deployed.groups)


def _refuse(counted_on: str, sending: _Router) -> NoReturn:
    """Refuse a plan for a feature that it counts on, and say how to make a plan that is kept."""
    what = f"the files do not keep, as {sending.words}"
    if not sending.words:
        does = "that sends single requests in turn" if sending.in_turn else f"of kind {sending.dispatches[0]}"
        what = f"a load balancer {does} cannot keep"
    by_attainment = f"{option_text('--attainment', 0.99)} {option_text('--dispatch', *sending.dispatches)}"
    also = ", for a share of the requests also" if sending.in_turn else ""
    ways = f"{option_text('--policy', 'load-balancer')}{also} {by_attainment}"
    raise RefusedError(
        f"refused: the plan counts on {counted_on}, which {what}; plan with {ways}, or for a router of your own give "
        f"{option_text('--router', 'own')}"
    )


def _deployed(session: Session, written: WrittenResult) -> Deployment:
    planned = planned_service(written)
    words = "" if planned == even_service(written.space) else planned_words(planned)
    found = deployment(session, written.plan, written.space)
    delay_s, router = _delay_s(planned), planned["dispatch"] if planned["dispatch"] in ROUTERS else ""
    groups = tuple(replace(group, delay_s=delay_s, routed=bool(router)) for group in found.groups)
    if planned["attainment"] != ALL_IN_TIME:
        found = replace(found, doubts="")
    return replace(found, groups=groups, planned=words, keeps_free=not planned["dummies"], router=router)


def _delay_s(planned: Mapping[str, Any]) -> Fraction | None:
    """The seconds for which a plan holds a batch to be filled; None means the time that its policy counts on.

    Raises:
        RefusedError: it is held until it is full.
    """
    timeout_s, dealing = planned["timeout_s"], DEALINGS.get(Dispatch(planned["dispatch"]))
    if timeout_s == "none":
        raise RefusedError(
            "refused: the plan holds batches until they are full, which no queue delay does; plan with "
            f"{option_text('--time-out', placeholder='S')}"
        )
    if timeout_s is not None:
        return exact(timeout_s)
    return Fraction(0) if dealing is None or dealing.queued else None


def _maker(written: WrittenResult) -> str:
    """The solver of the plan, with the changes of the session against its file."""
    return written.solver if written.changes is None else f"{written.solver}, with {written.changes.in_words()}"


def _apart(session: Session, written: WrittenResult, kind: str) -> Deployment:
    """A plan whose modules have machines of their own.

    Raises:
        InputError: some share one.
    """
    deployed = _deployed(session, written)
    shared = [group.module for group in deployed.groups if group.shares]
    if shared:
        raise InputError(
            f"modules {joined(shared)} share machines, which {option_text('--to', kind)} cannot express; give "
            f"{option_text('--to', 'triton', 'kubernetes', 'csv')}, or plan with {option_text('--machines', 'whole')}"
        )
    return deployed


def _without_gpu(session: Session, given: Mapping[str, Any]) -> frozenset[str]:
    """The hardware that has no GPU: the given names, or the hardware whose name says so."""
    known = session.price
    asked = given.get("cpu")
    if asked is None:
        return frozenset(name for name in known if name.lower().startswith("cpu"))
    for name in asked:
        if name not in known:
            raise InputError(f"unknown hardware {name!r}; known: {listed(known)}", field=CPU.flag)
    return frozenset(asked)


def _caution(session: Session, written: WrittenResult, *maps: Callable[[TargetNames], NameMap]) -> str:
    """One line on groups that would be overloaded, and on names that the maps of a format tell apart by a hash."""
    deployed = _deployed(session, written)
    apart = dict.fromkeys(name for of in maps for name in of(deployed.names).told_apart)
    words = [caution(deployed)] if caution(deployed) else []
    if apart:
        names = listed(json.dumps(name, ensure_ascii=False) for name in apart)
        words.append(f"what the format would call alike has a hash behind its name, which the files explain: {names}")
    return "; ".join(words)


def _cautious(*maps: str) -> Callable[[Session, WrittenResult], str]:
    """The function that writes an exporter's line of caution, by the maps of `TargetNames` that it uses."""
    return lambda session, written: _caution(session, written, *map(attrgetter, maps))


def _triton(session: Session, written: WrittenResult, given: Mapping[str, Any]) -> dict[str, str]:
    deployed = _deployed(session, written)
    _check_router(deployed, written, "triton", given)
    return model_repositories(deployed, _maker(written), _without_gpu(session, given))


def _kubernetes(session: Session, written: WrittenResult, given: Mapping[str, Any]) -> dict[str, str]:
    deployed = _deployed(session, written)
    _check_router(deployed, written, "kubernetes", given)
    text = manifests(
        deployed,
        _maker(written),
        _without_gpu(session, given),
        given["image"],
        given.get("node_label", NODE_LABEL),
        given.get("port", PORT),
    )
    return {"manifests.yaml": text}


def _ray_serve(session: Session, written: WrittenResult, given: Mapping[str, Any]) -> dict[str, str]:
    deployed = _apart(session, written, "ray-serve")
    _check_router(deployed, written, "ray-serve", given)
    return {"serve.yaml": serve_config(deployed, _maker(written), _without_gpu(session, given), given["import_path"])}


def _csv(session: Session, written: WrittenResult, given: Mapping[str, Any]) -> dict[str, str]:
    deployed = _deployed(session, written)
    _check_router(deployed, written, "csv", given)
    return {"plan.csv": csv_rows(deployed)}


EXPORTERS = (
    Exporter(
        "triton",
        "a Triton model repository per group of machines",
        _triton,
        (CPU, ROUTER),
        folder=True,
        caution=_cautious("folders", "labels"),
    ),
    Exporter(
        "kubernetes",
        "Deployments and Services (YAML)",
        _kubernetes,
        (IMAGE, LABEL, LISTENS, CPU, ROUTER),
        suffixes=YAML,
        caution=_cautious("hardware_values", "module_values", "labels"),
    ),
    Exporter(
        "ray-serve",
        "a config file of Ray Serve (YAML)",
        _ray_serve,
        (IMPORT_PATH, CPU, ROUTER),
        caution=_cautious("hardware_values", "labels"),
    ),
    Exporter("csv", "one row per group of machines, with all numbers", _csv, (ROUTER,), caution=_cautious("labels")),
)
