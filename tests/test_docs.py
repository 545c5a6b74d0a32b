"""The pages of docs/: links resolve, nothing that a user can name is missing, citations are of files in the tree."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from worked_examples import M_3, one_module

from euclio import solve
from euclio.cli import main
from euclio.core import registry
from euclio.core.families import GROUP as FAMILIES
from euclio.core.families import families
from euclio.core.registry import solvers
from euclio.files import save_instance
from euclio.verbs.interface import exit_codes as commands
from euclio.workloads.kinds import kinds
from euclio.workloads.populations import POPULATIONS
from studies.graft.cases import NETWORKS
from studies.graft.measures import above_grouping
from studies.graft.text import gap_at
from studies.harpagon.answer import stored_answers

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PACKAGES = ("euclio", "studies", "heuristics", "formulations", "bruteforce")
PAGES = sorted(DOCS.rglob("*.md"))
LINKED = [
    *PAGES,
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "paper.md")),
]

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
NAMED_FILE = re.compile(r"`((?:euclio|studies|heuristics|formulations|bruteforce|tests|data|docs)/[\w./-]*)`")
CITED = re.compile(r"\b((?:[\w.-]+/)*[\w.-]+\.md)\b")
DOTTED = re.compile(r"(?<![\w/.-])(?:euclio|studies|heuristics|formulations|bruteforce)(?:\.[A-Za-z_]\w*)+")
LOADED = re.compile(r"<(?:script|img|iframe)\b[^>]*\bsrc=\"([^\"]*)\"|<link\b[^>]*\bhref=\"([^\"]*\.css)\"")
SCHEMA = re.compile(r"euclio/[a-z-]+/\d+")
OUTSIDE = re.compile(r"\bmodel §|\(architecture\b|\bshared/design\b")
"""How docstrings used to cite documents that are not in the tree."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def all_pages() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as the page builder makes them."""
    found = (re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower() for title in HEADING.findall(prose(page)))
    return {re.sub(r"[-\s]+", "-", title) for title in found}


def missing_links(page: Path) -> list[str]:
    missing = []
    for link in LINK.findall(prose(page)):
        path, _, anchor = link.partition("#")
        if "://" in link or path.startswith("mailto:"):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            missing.append(link)
    return missing


def docstrings(source: Path) -> list[str]:
    """All texts that stand alone in a source file: docstrings of modules, classes, functions and constants."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    alone = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    return [node.value for node in alone if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def tool(tool_name: str) -> ModuleType:
    """A script of docs/tools as a module."""
    pytest.importorskip("grimp")
    spec = importlib.util.spec_from_file_location(tool_name, DOCS / "tools" / f"{tool_name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", LINKED, ids=name)
def test_every_link_of_a_page_resolves(page):
    assert missing_links(page) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_that_a_page_names_exists(page):
    named = [path for path in NAMED_FILE.findall(prose(page)) if not (SCHEMA.fullmatch(path) or "NAME" in path)]
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("readme", sorted((ROOT / "euclio").rglob("README.md")), ids=name)
def test_every_file_in_the_tables_of_a_readme_exists(readme):
    first = [line.split("|")[1] for line in prose(readme).splitlines() if line.startswith("| `")]
    named = [path for cell in first for path in re.findall(r"`([\w./-]+(?:\.py|/))`", cell)]
    # A result folder is no folder of the tree.
    assert [path for path in named if path != "logs/" and not (readme.parent / path).exists()] == []


def test_every_term_of_the_glossary_says_where_it_is():
    rows = [line for line in prose(DOCS / "glossary.md").splitlines() if line.startswith("| ")]
    terms = [row for row in rows if not row.startswith(("| term", "|--"))]
    assert [row for row in terms if not NAMED_FILE.search(row)] == []


def test_no_term_stands_twice_in_the_glossary():
    rows = [line.split("|")[1].strip() for line in prose(DOCS / "glossary.md").splitlines() if line.startswith("| ")]
    terms = [term for row in rows if row != "term" for term in row.split(", ")]
    assert len(set(terms)) == len(terms)


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == {page.relative_to(DOCS).as_posix() for page in PAGES}


def test_every_verb_is_in_the_docs(capsys):
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out.partition("\ncommands:")[2]
    verbs = re.findall(r"^    ([a-z-]+)", listed, re.MULTILINE)
    assert "solve" in verbs
    assert [verb for verb in verbs if f"`euclio {verb}" not in all_pages()] == []


def test_every_exit_code_is_in_the_docs():
    codes = {value for value in vars(commands).values() if isinstance(value, int)}
    rows = set(re.findall(r"^\| (\d+) \|", prose(DOCS / "commands.md"), re.MULTILINE))
    assert {str(code) for code in codes} == rows


def test_every_solver_is_in_the_docs():
    assert [solver for solver in solvers() if f"`{solver}`" not in all_pages()] == []


def test_every_family_is_in_the_docs():
    assert [f.name for f in families() if f"`{f.name}`" not in all_pages()] == []


def test_every_word_of_a_plan_space_is_in_the_docs():
    """Policies, dummy rules and objectives are words that options take."""
    words = [word for family in families() for option in family.space_options for word in option.choices or ()]
    assert [word for word in words if f"`{word}`" not in all_pages()] == []


def test_every_kind_of_workload_is_in_the_docs_with_its_settings():
    for name, kind in kinds().items():
        (row,) = [line for line in all_pages().splitlines() if line.startswith(f"| `{name}` |")]
        assert [setting.name for setting in kind.settings if f"`{setting.name}`" not in row] == []


def test_every_population_is_in_the_docs_with_its_seed_and_hash():
    for name, one in POPULATIONS.items():
        (row,) = [line for line in all_pages().splitlines() if line.startswith(f"| `{name}` | {one.about}")]
        assert row.endswith(f"| {one.seed} | `{one.published.short}` |")


def test_every_option_of_a_plan_space_is_in_the_docs():
    options = [option.flag for family in families() for option in family.space_options]
    assert [flag for flag in options if f"`{flag}`" not in all_pages()] == []


def test_every_schema_is_in_the_docs():
    code = "".join(path.read_text(encoding="utf-8") for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    data = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "data").glob("p*/*.json"))
    schemas = {schema for schema in SCHEMA.findall(code + data) if f'"{schema}"' in code + data}
    assert {schema for schema in schemas if f"`{schema}`" not in all_pages()} == set()


@pytest.mark.parametrize("folder", [*PACKAGES, "tests", "docs"])
def test_docstrings_cite_documents_of_the_tree(folder):
    unknown = []
    for source in sorted((ROOT / folder).rglob("*.py")):
        # Most sources cite nothing, and parsing every one of them takes seconds.
        text = source.read_text(encoding="utf-8")
        texts = docstrings(source) if ".md" in text or OUTSIDE.search(text) else []
        cited = [path for text in texts for path in CITED.findall(text)]
        absent = [path for path in cited if not (ROOT / path).exists() and not (source.parent / path).exists()]
        absent += [found[0] for text in texts if (found := OUTSIDE.search(text))]
        unknown += [f"{name(source)}: {citation}" for citation in absent]
    assert unknown == []


def test_every_name_in_python_that_a_page_uses_imports():
    used = {dotted for page in LINKED for dotted in DOTTED.findall(page.read_text(encoding="utf-8"))}
    assert [dotted for dotted in sorted(used - {FAMILIES, registry.GROUP}) if not imports(dotted)] == []


def imports(dotted: str) -> bool:
    """Whether a dotted name is a module, or a name in one."""
    parts = dotted.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        return all((found := getattr(found, part, None)) is not None for part in parts[k:])
    return False


@pytest.mark.slow
def test_the_pages_build_and_load_nothing_from_outside(tmp_path):
    """Strictly: a link that leads nowhere or a name without a docstring page ends it."""
    build = pytest.importorskip("mkdocs.commands.build")
    from mkdocs.config import load_config

    build.build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path), strict=True))
    pages = [page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html") if "files" not in page.parts]
    loaded = [address for page in pages for found in LOADED.findall(page) for address in found if address]
    assert len(pages) > len(PAGES)
    assert loaded
    assert [address for address in loaded if "://" in address] == []


def test_the_pictures_of_the_rooms_are_those_of_the_imports():
    """Where they are not, `make docs` draws them again."""
    rooms = tool("rooms")
    rows = rooms.layers()
    assert (DOCS / "figures" / "rooms.svg").read_text(encoding="utf-8") == rooms.rooms_map(rows)
    assert (DOCS / "figures" / "imports.svg").read_text(encoding="utf-8") == rooms.imports_matrix(rows)


def test_the_picture_of_the_example_is_what_the_checker_finds(monkeypatch):
    """Where it is not, `make docs` draws it again."""
    monkeypatch.syspath_prepend(DOCS / "tools")
    assert (DOCS / "figures" / "four-plans.svg").read_text(encoding="utf-8") == tool("examples").drawing()


@pytest.mark.slow
def test_the_picture_of_fleets_is_what_the_workloads_draw(tmp_path, monkeypatch):
    """Where it is not, `make docs` draws it again."""
    monkeypatch.syspath_prepend(DOCS / "tools")
    tool("fleets").write(tmp_path / "fleets.svg")
    assert (tmp_path / "fleets.svg").read_bytes() == (DOCS / "figures" / "fleets.svg").read_bytes()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_is_typed(package):
    assert (ROOT / package / "py.typed").is_file()


def code_block(page: str, beginning: str) -> str:
    """The block of code on a page that begins so."""
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if block.startswith(beginning)]
    return block


def test_the_python_of_the_first_page_runs(tmp_path, monkeypatch, capsys):
    """M_3 at 198 req/s within 1 s: the optimum costs 5.0, Harpagon's plan is as cheap and takes 0.96 s."""
    monkeypatch.chdir(tmp_path)
    save_instance(one_module(M_3, 198, 1), "session.json")
    exec(code_block("index.md", "from euclio import load"), {})
    assert capsys.readouterr().out == "optimal 5.0 0.0\n0.96\n"


def test_the_solver_of_the_how_to_page_finds_a_plan(tmp_path):
    """M_3 on batch 2 alone: 198/20 = 9.9."""
    file = tmp_path / "my_solver.py"
    file.write_text(code_block("howto/solver.md", "# my_solver.py"), encoding="utf-8")
    assert solve(one_module(M_3, 198, 1), f"{file}:solve").cost == 9.9


def test_what_tools_put_into_pages_stands_between_marks():
    """A tool finds its places by them, and replaces all between a mark and its end, so that none may be lost."""
    marks = re.compile(r"<!-- (/?)(.+?) -->")
    written = [page for page in PAGES if page.parent.name in ("findings", "model")]
    found = {page: marks.findall(page.read_text(encoding="utf-8")) for page in written}
    assert any(found.values())
    for page, own in found.items():
        names = [label for end, label in own if not end]
        assert own == [(end, label) for label in names for end in ("", "/")], page.name
        assert len(set(names)) == len(names), page.name


def test_the_page_of_claims_counts_numbers_as_the_report_does():
    """The counts change with every reproduction, and the page may not say better ones."""
    report = (ROOT / "reports" / "claims.md").read_text(encoding="utf-8")
    found = re.search(
        r"^Of (\d+) printed numbers .*?, (\d+) agree .*?, (\d+) are not decided, (\d+) are off, (\d+) are", report, re.M
    )
    assert found is not None
    _, agree, undecided, off, apart = found.groups()
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    row = f"printed numbers that nothing was fitted or set to: agree within a tenth (whole interval) | {agree} |"
    assert row in page
    assert f"| are not decided; are off; are not compared | {undecided}; {off}; {apart} |" in page


def test_the_page_of_claims_shows_the_report_once():
    """The repository's page has no builder that puts tables in: they stand in it, folded, and equal the report's."""
    report = (ROOT / "reports" / "claims.md").read_text(encoding="utf-8").partition("\n")[2]
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    shown = page.split("<!-- claims -->")[1].split("<!-- /claims -->")[0]
    plain = re.sub(r'<details markdown="1"><summary>(.*)</summary>', r"## \1", shown).replace("</details>", "")
    assert [line for line in plain.splitlines() if line] == [line for line in report.splitlines() if line]
    (claim,) = re.findall(r"^\| Harpagon costs as little as a brute force .*$", page, re.M)
    assert claim in report


def test_the_tables_of_printed_numbers_have_every_line_and_the_words_of_the_scorecards(monkeypatch):
    """The page is built by `make docs` and not kept: a row of a scorecard is shown with its measure and its word."""
    monkeypatch.syspath_prepend(DOCS / "tools")
    script = tool("printed_numbers")
    made, lines = script.tables(), script.all_lines()
    for paper, own in lines.items():
        assert f"<summary>{script.NAMES[paper]}: {len(own)} lines</summary>" in made
        card = pd.read_parquet(ROOT / "reports" / paper / "scorecard.parquet").set_index("key")
        assert [line.row for line in own if line.row and f"`{line.row}`: " not in made] == []
        assert all(f", {word}" in made for word in set(card.verdict))
    assert "no scorecard has it" not in made
    page = ROOT / "data" / "published" / "numbers" / "README.md"
    assert page.read_text(encoding="utf-8").count("<!-- printed numbers -->") == 1


def test_the_page_of_claims_says_why_graft_has_two_distances():
    """A reader meets one in the table and another on Graft's page; both follow from the stored frames."""
    folder = ROOT / "reports" / "graft"
    frames = {name: pd.read_parquet(folder / f"{name}.parquet") for name in ("shares", "optima", "optimal")}
    own = above_grouping(frames["optimal"]).groupby("network").mean()
    page = " ".join((ROOT / "docs" / "claims.md").read_text(encoding="utf-8").split())
    assert f"{own.max():.1f} %: the mean over fleets of {NETWORKS[str(own.idxmax())]}, the worst network" in page
    assert f"opens with {gap_at(frames, 'large_homo').value:.0f} %, the mean of the five networks" in page


def test_the_page_of_the_first_question_answers_as_the_report_of_harpagon_does():
    """A new run must not leave the page behind."""
    found = stored_answers(ROOT / "reports" / "harpagon")
    page = (DOCS / "findings" / "is-harpagon-optimal.md").read_text(encoding="utf-8")
    words = " ".join(page.split())
    assert found.before in words
    assert found.after in words
    for row in found.rows():
        assert f"| {' | '.join(row)} |" in page


def test_the_readme_finds_what_the_report_of_all_claims_does():
    """Five rows: a paper's first number and ours, as the paper's first claim on it has them."""
    report = (ROOT / "reports" / "claims.md").read_text(encoding="utf-8")
    measured = {
        paper: (float(published), own)
        for claim, paper, published, own in re.findall(
            r"^\| (.+?) \| `euclio reproduce (\w+)` .*\| ([\d.]+) % \| ([\d.]+ %) \|", report, re.M
        )
        if re.search("as little as a brute force|cost of a brute force|than whole models|within 4 %", claim)
    }
    rows = re.findall(r"^\| (\w+) \| .*?([\d.]+) % .*?\| ([\d.]+ %) \|", (ROOT / "README.md").read_text(), re.M)
    assert {paper.lower(): (float(published), own) for paper, published, own in rows} == measured
    assert len(rows) == 5


def test_the_readme_takes_sixty_seconds():
    """At most 60 lines of text and 15 numbers outside of blocks of code; other pages have the rest."""
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", "", prose(ROOT / "README.md"))
    assert len([line for line in text.splitlines() if line.strip()]) <= 60
    assert len(re.findall(r"(?<![\w-])\d[\d.,]*", text)) <= 15


def test_the_page_of_settings_says_what_the_nearest_come_to():
    """How often Harpagon is optimal under the nearest settings stands in prose, next to the file of the search."""
    stored = json.loads((ROOT / "data" / "posterior" / "harpagon-reference.json").read_text(encoding="utf-8"))
    shares, own = stored["optimal_share_of_nearest"], stored["numbers"]["harpagon:optimal_share"]
    page = " ".join((DOCS / "model" / "posterior.md").read_text(encoding="utf-8").split())
    assert f"has the best split on {own:.1f} % of 400 workloads" in page
    assert f"eight nearest settings have it on {min(shares):.0f} to {max(shares):.0f} %" in page
