"""Hooks of the page builder: links out of `docs/` keep working in the built pages, and reports give the gallery.

A README of the tree becomes a page of its own under `rooms/`; any other file of the tree that a page links to is copied
under `files/`. A notebook becomes a page with its stored outputs. So the built pages hold all that they point to, and
can be moved.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import printed_numbers
from mkdocs.structure.files import File, Files
from notebook_pages import as_markdown, notebook_pages

ROOT = Path(__file__).resolve().parents[2]
DOCS = "docs"
FOLDERS = ("euclio", "studies", "heuristics", "formulations", "bruteforce", "data", "notebooks", "reports", "tests")
"""Folders whose READMEs become pages."""
TOP = {
    "README.md": "tree.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "reporting.md",
    "paper.md": "paper.md",
}
"""Files next to them that become pages."""
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
OUTSIDE = re.compile(r"^[a-z]+:")
FIGURE = re.compile(
    r'<figure id="([^"]+)"><div class="drawing">(.*?)</div><figcaption>(.*?)</figcaption></figure>', re.S
)
GALLERY, PRINTED = "<!-- gallery -->", "<!-- printed numbers -->"
"""Where the figures of the reports, and the tables of printed numbers, are put in."""
PAPERS = {"ppipe": "PPipe"}
"""Names of papers that are not their folder's with a capital."""


def readmes() -> dict[str, str]:
    """READMEs by their path in the tree, with the path of the page that each becomes."""
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("README.md"))]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    below = {name: posixpath.dirname(name).replace("/", "-") + ".md" for name in names}
    return {name: f"rooms/{page}" for name, page in {**TOP, **below}.items()}


def of_the_tree() -> dict[str, str]:
    """All files of the tree that become pages: READMEs and notebooks."""
    return readmes() | notebook_pages()


def on_config(config: Any) -> Any:
    """List the notebooks and the READMEs in the navigation."""
    config.nav.append({"Notebooks": list(notebook_pages().values())})
    listed = [{posixpath.dirname(name) or name.removesuffix(".md"): page} for name, page in readmes().items()]
    config.nav.append({"READMEs": listed})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the READMEs as pages, and the files that pages link to."""
    pages = of_the_tree()
    for name, page in readmes().items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    for name, page in notebook_pages().items():
        files.append(File.generated(config, page, content=as_markdown(ROOT / name)))
    texts = {f"{DOCS}/{file.src_uri}": file.content_string for file in files.documentation_pages()}
    sources = {page: name for name, page in pages.items()}
    for place, text in texts.items():
        source = sources.get(place.removeprefix(f"{DOCS}/"), place)
        for match in LINK.finditer(text):
            target = _target(source, match[2])
            copy = None if target is None else _page(target, pages)
            if copy is not None and copy.startswith("files/") and files.get_file_from_path(copy) is None:
                files.append(File.generated(config, copy, abs_src_path=str(ROOT / str(target))))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links at the pages and copies, and put in the gallery and the tables of printed numbers."""
    pages = of_the_tree()
    uri = page.file.src_uri
    source = {made: name for name, made in pages.items()}.get(uri, f"{DOCS}/{uri}")

    def pointed(match: re.Match[str]) -> str:
        target = _target(source, match[2])
        if target is None:
            return match[0]
        found = _page(target, pages)
        if found is None:
            return match[0]
        return f"{match[1]}{posixpath.relpath(found, posixpath.dirname(uri) or '.')}{match[3] or ''}{match[4]}"

    text = LINK.sub(pointed, markdown)
    made = {GALLERY: gallery, PRINTED: printed_numbers.tables}
    for mark in [mark for mark in made if mark in text]:
        text = text.replace(mark, made[mark]())
    return text


def _target(source: str, link: str) -> str | None:
    """Path in the tree that a link of a file points to; None: it points out of the tree."""
    if OUTSIDE.match(link) or link.startswith("/"):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _page(target: str, pages: dict[str, str]) -> str | None:
    """Where a file of the tree stands among the built pages; None: it does not."""
    if target.startswith(f"{DOCS}/"):
        return target.removeprefix(f"{DOCS}/")
    if f"{target}/README.md" in pages:
        target = f"{target}/README.md"
    if target in pages:
        return pages[target]
    return f"files/{target}" if (ROOT / target).is_file() else None


def gallery() -> str:
    """The figures of the reports, each with its caption, by paper."""
    parts = []
    for report in sorted((ROOT / "reports").glob("*/index.html")):
        figures = FIGURE.findall(report.read_text(encoding="utf-8"))
        parts.append(f"## {PAPERS.get(report.parent.name, report.parent.name.capitalize())}\n")
        parts += [
            f'<figure class="gallery" id="{report.parent.name}-{key}">{_renamed(svg, report.parent.name)}'
            f"<figcaption>{caption}</figcaption></figure>\n"
            for key, svg, caption in figures
        ]
    return "\n".join(parts)


def _renamed(svg: str, paper: str) -> str:
    """A drawing whose ids are no other report's, in one line that Markdown leaves alone."""
    text = re.sub(r'\bid="', f'id="{paper}-', svg)
    text = re.sub(r"url\(#", f"url(#{paper}-", text)
    text = re.sub(r'href="#', f'href="#{paper}-', text)
    return " ".join(text.split())
