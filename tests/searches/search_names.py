"""Hostile names through everything that writes files for other programs, and back through their parsers."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import yaml

from euclio.export.exporters import EXPORTERS
from euclio.export.groups import Deployment, deployment
from euclio.files.csv_files import unguarded
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.report import Heading, Paragraph, Table, html_page, markdown_page
from euclio.verbs.export import write_exported
from euclio.workloads.session.csv_profiles import profiles_text, read_profiles
from formulations.engines.milp import readable

from .hostile_names import hostile_names
from .search import Found, Search

MODULES, HARDWARE = 16, 8
DNS_LABEL = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
FORMULA = tuple("=+-@\t\r＝＋－＠")
GIVEN: dict[str, dict[str, Any]] = {
    "kubernetes": {"image": "registry/{module}:1"},
    "ray-serve": {"import_path": "serving:app"},
}
FORMATS = 7
"""Four exporters, profiles in CSV, names in LP files, pages in Markdown and HTML together."""


def look(seed: int) -> Found:
    """The names of one session in every format; a case is a name in a format."""
    rng = Random(seed)
    session, plan = _session(rng)
    names = [m.name for m in session.modules] + [h.name for h in session.hardware]
    return Found(FORMATS * len(names), tuple(_faults(session, plan, names)))


def _session(rng: Random) -> tuple[Session, Plan]:
    """Modules that differ in batch, each on the hardware that is its turn; a whole machine and a partial one each."""
    hardware = hostile_names(rng, HARDWARE)
    modules, plans = [], []
    for k, name in enumerate(hostile_names(rng, MODULES)):
        c = Configuration(hardware[k % HARDWARE], k + 1, 1, "0.1")
        modules.append(Module(name, c.throughput_rps * 3 / 2, [c]))
        plans.append(ModulePlan((Allocation(c, 1, c.throughput_rps / 2),)))
    (name,) = hostile_names(rng, 1)
    return Session(name, 99, [Hardware(h, 1) for h in hardware], modules, []), Plan(tuple(plans))


def _faults(session: Session, plan: Plan, names: Sequence[str]) -> Iterator[str]:
    written = SimpleNamespace(
        plan=plan, space=PlanSpace(dummy="none"), solver="fixed", changes=None, options={}, planned_for={}
    )
    deployed = deployment(session, plan, written.space)
    for exporter in EXPORTERS:
        given = GIVEN.get(exporter.name, {})
        files = exporter.files(session, written, given)
        if exporter.files(session, written, given) != files:
            yield f"{exporter.name}: not the same twice"
        yield from (f"{exporter.name}: {fault}" for fault in READERS[exporter.name](files, deployed))
    yield from _same_in_another_order(session, plan, deployed)
    yield from _profiles(session)
    yield from _lp_names(names)
    yield from _pages(names)


def _triton(files: dict[str, str], deployed: Deployment) -> Iterator[str]:
    """Written to a disk: a configuration per group in a folder of its own, also where letters are small or capital."""
    with TemporaryDirectory() as folder:
        write_exported(files, Path(folder) / "models", folder=True)
        found = sorted(Path(folder, "models").rglob("config.pbtxt"))
        if len(found) != len(deployed.groups):
            yield f"{len(found)} configurations for {len(deployed.groups)} groups"
        places = Counter(str(path).lower() for path in found)
        yield from (f"{place} twice" for place, count in places.items() if count > 1)
        batches = []
        for path in found:
            for part in path.relative_to(folder).parts[1:]:
                if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", part) or re.fullmatch(
                    r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*\.", part.lower()
                ):
                    yield f"{part!r} is no name that every file system takes"
            model = _model(path.read_text(encoding="utf-8"))
            if model[0] != path.parent.name:
                yield f"model {model[0]!r} in folder {path.parent.name!r}"
            batches.append(model[1])
        if sorted(batches) != sorted(group.configuration.batch for group in deployed.groups):
            yield "the configurations are not those of the groups"


def _model(text: str) -> tuple[str, int]:
    """Name and batch of a model configuration, by Triton's own parser where it is installed."""
    try:
        from google.protobuf import text_format
        from tritonclient.grpc import model_config_pb2
    except ImportError:
        name = re.search(r'^name: "([^"\\\n]+)"$', text, re.MULTILINE)
        batch = re.search(r"^max_batch_size: (\d+)$", text, re.MULTILINE)
        assert name is not None
        assert batch is not None
        return name[1], int(batch[1])
    model = text_format.Parse(text, model_config_pb2.ModelConfig())
    return model.name, model.max_batch_size


def _kubernetes(files: dict[str, str], deployed: Deployment) -> Iterator[str]:
    documents = list(yaml.load_all(files["manifests.yaml"], getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    validate = _module("kubernetes_validate")
    if validate is not None:  # it reads its schemas anew each time; the names of all are looked at below
        for document in documents[-2:]:
            validate.validate(document, "1.33", strict=True)
    deployments = [d for d in documents if d["kind"] == "Deployment"]
    for kind in ("Deployment", "Service"):
        names = [d["metadata"]["name"] for d in documents if d["kind"] == kind]
        if len(set(names)) != len(deployed.groups) or not all(map(DNS_LABEL.fullmatch, names)):
            yield f"names of {kind}s: {names}"
    pods = [d["spec"]["template"] for d in deployments]
    labels = [pod["metadata"]["labels"]["app.kubernetes.io/name"] for pod in pods]
    nodes = [pod["spec"]["nodeSelector"]["euclio/hardware"] for pod in pods]
    images = [pod["spec"]["containers"][0]["image"] for pod in pods]
    yield from _one_to_one("labels of modules", [group.module for group in deployed.groups], labels, LABEL_VALUE)
    yield from _one_to_one("images", [group.module for group in deployed.groups], images)
    yield from _one_to_one("node labels", [g.configuration.hardware for g in deployed.groups], nodes, LABEL_VALUE)


def _ray_serve(files: dict[str, str], deployed: Deployment) -> Iterator[str]:
    data = yaml.safe_load(files["serve.yaml"])
    schema = _module("ray.serve.schema")
    if schema is not None:
        schema.ServeDeploySchema.model_validate(data)
    (application,) = data["applications"]
    names = [one["name"] for one in application["deployments"]]
    if len(set(names)) != len(deployed.groups) or not all(isinstance(name, str) for name in names):
        yield f"names of deployments: {names}"
    resources = [next(iter(one["ray_actor_options"]["resources"])) for one in application["deployments"]]
    yield from _one_to_one("resources", [g.configuration.hardware for g in deployed.groups], resources)


def _csv(files: dict[str, str], deployed: Deployment) -> Iterator[str]:
    rows = list(csv.DictReader(io.StringIO(files["plan.csv"], newline=""), strict=True))
    for column, texts in (
        ("module", [group.module for group in deployed.groups]),
        ("hardware", [group.configuration.hardware for group in deployed.groups]),
    ):
        if [unguarded(row[column]) for row in rows] != texts:
            yield f"{column}: {[row[column] for row in rows]}"
    for row in rows:
        yield from (f"{cell!r} is run by a spreadsheet" for cell in row.values() if cell.startswith(FORMULA))


READERS = {"triton": _triton, "kubernetes": _kubernetes, "ray-serve": _ray_serve, "csv": _csv}


def _same_in_another_order(session: Session, plan: Plan, deployed: Deployment) -> Iterator[str]:
    back = Session(session.name, session.slo_s, session.hardware[::-1], session.modules[::-1], [])
    other = deployment(back, Plan(plan.modules[::-1]), deployed.space)
    if {g.name: g.module for g in other.groups} != {g.name: g.module for g in deployed.groups}:
        yield "the order of the modules changes the names of their groups"
    for kind in ("labels", "module_values", "hardware_values", "folders"):
        if getattr(other.names, kind).targets != getattr(deployed.names, kind).targets:
            yield f"the order of the names changes the {kind}"


def _profiles(session: Session) -> Iterator[str]:
    """Profiles in CSV are read as they were written; names that would not be are refused, those with white edges."""
    known = {m.name: m.profile for m in session.modules}
    kept = {n: p for n, p in known.items() if n == n.strip() and p[0].hardware == p[0].hardware.strip()}
    with TemporaryDirectory() as folder:
        path = Path(folder, "p.csv")
        path.write_text(profiles_text(kept), encoding="utf-8")
        if kept and read_profiles(path) != kept:
            yield "profiles are read otherwise than they were written"
        if any(cell.startswith(FORMULA) for row in csv.reader(path.open(encoding="utf-8", newline="")) for cell in row):
            yield "a profile has a cell that a spreadsheet runs"


def _lp_names(names: Sequence[str]) -> Iterator[str]:
    found = readable(names)
    if len(set(found)) != len(names) or not all(re.fullmatch(r"\w{1,60}", name, re.ASCII) for name in found):
        yield f"names in LP files: {found}"


def _pages(names: Sequence[str]) -> Iterator[str]:
    """A page whose title, heading, paragraphs and cells are names says the same in HTML and Markdown, and no more."""
    from markdown_it import MarkdownIt

    blocks = [Heading(names[0]), *map(Paragraph, names), Table("", ("name",), tuple((name,) for name in names))]
    pages = {
        "HTML": html_page(names[1], blocks),
        "Markdown": MarkdownIt("commonmark").enable("table").render(markdown_page(names[1], blocks)),
    }
    for kind, page in pages.items():
        read = _Page(page)
        foreign = read.tags - TAGS[kind]
        if foreign:
            yield f"{kind}: tags {sorted(foreign)}"
        for tag, texts in (("p", names), ("td", names), ("h2", names[:1]), ("h1", names[1:2])):
            said = [" ".join(text.split()) for text in read.texts[tag]]
            if said != [" ".join(text.split()) for text in texts]:
                yield f"{kind}: {tag} says {[(a, b) for a, b in zip(said, texts, strict=False) if a != b][:2]}"


_BLOCKS = {"h1", "h2", "p", "table", "thead", "tr", "th", "tbody", "td"}
_FRAME = {"html", "head", "meta", "title", "script", "style", "body", "main", "header", "nav", "ul", "li", "a"}
_CONTROLS = {"label", "select", "option", "input", "output", "button", "figure", "div"}
TAGS = {"HTML": _BLOCKS | _FRAME | _CONTROLS, "Markdown": _BLOCKS}


class _Page(HTMLParser):
    """The tags of a page, and the texts inside some of them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.texts: dict[str, list[str]] = {"p": [], "td": [], "h1": [], "h2": []}
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in self.texts:
            self._inside = tag
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside][-1] += data


def _one_to_one(
    what: str, names: Sequence[str], targets: Sequence[str], legal: re.Pattern[str] | None = None
) -> Iterator[str]:
    """Names and what they became are pairs in which each has one partner."""
    pairs = set(zip(names, targets, strict=True))
    if not len(pairs) == len(set(names)) == len(set(targets)):
        yield f"{what}: {sorted(pairs)}"
    for target in targets:
        if not isinstance(target, str) or (legal is not None and not legal.fullmatch(target)):
            yield f"{what}: {target!r} is not allowed"


def _module(name: str) -> Any:
    """A parser of another system, where it is installed (extra `exports`)."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        return None


SEARCH = Search(
    "names",
    "different names stay different in every file for other programs, whose parsers take it; no text becomes code",
    "names in a format",
    look,
    (*range(8), 130845),
)
