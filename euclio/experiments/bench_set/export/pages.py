"""The files about a whole export: README, values, BibTeX, both checkers, and a crate that lists every file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

from euclio.core.literature import EUCLIO_AUTHORS, PAPERS, Reference
from euclio.core.numbers import decimal_text
from euclio.experiments.bench_set.export.record import (
    BY_CHECKER,
    BY_FILE,
    BY_SEARCH,
    FILE,
    MODEL,
    PROOF,
    TABLE,
    Export,
    ExportedFile,
    table_text,
)
from euclio.files.citations import bibtex
from euclio.proving.files import checker

HERE = Path(__file__).parent
CRATE = "ro-crate-metadata.json"
CRATE_VERSION = "https://w3id.org/ro/crate/1.3"
LICENCE = "https://spdx.org/licenses/Apache-2.0"
TITLE = "The benchmark set of euclio: plans of DNN inference serving, with programs, proofs and checkers"
SOLU = "euclio.solu"
FORMATS = {
    ".json": "application/json",
    ".csv": "text/csv",
    ".gz": "application/gzip",
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".bib": "application/x-bibtex",
}
"""Media types of files by their endings; all others are plain text."""


def common_files(export: Export) -> dict[str, bytes]:
    """The files about a whole export by their paths, without its record and its crate."""
    texts = {
        "README.md": _readme(export),
        SOLU: _solu(export),
        "euclio.bib": _bib(export),
        TABLE: table_text(export),
        "check_plan.py": (HERE / "check_plan.py").read_text(encoding="utf-8"),
        "check_proof.py": Path(checker.__file__).read_text(encoding="utf-8"),
    }
    return {path: text.encode() for path, text in texts.items()}


def crate_text(export: Export, record: ExportedFile) -> str:
    """The crate's metadata: authors, licence, and every file with size and SHA-256.

    Args:
        export: its content.
        record: the file of its record.
    """
    files = sorted([*(file for entry in export.entries for file in entry.files), *export.files, record], key=_path)
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": TITLE,
        "description": f"{len(export.entries)} instances; README.md says what stands where, and how to check it.",
        "version": export.euclio,
        "datePublished": export.date,
        "license": {"@id": LICENCE},
        "author": [{"@id": f"#{_slug(name)}"} for name in EUCLIO_AUTHORS],
        "hasPart": [{"@id": file.path} for file in files],
    }
    about = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": CRATE_VERSION},
        "about": {"@id": "./"},
    }
    licence = {"@id": LICENCE, "@type": "CreativeWork", "name": "Apache License 2.0", "identifier": "Apache-2.0"}
    people = [{"@id": f"#{_slug(name)}", "@type": "Organization", "name": name} for name in EUCLIO_AUTHORS]
    graph = [about, root, licence, *people, *map(_file, files)]
    return json.dumps({"@context": f"{CRATE_VERSION}/context", "@graph": graph}, indent=1) + "\n"


def _path(file: ExportedFile) -> str:
    return file.path


def _slug(name: str) -> str:
    return "-".join(name.lower().split())


def _file(file: ExportedFile) -> dict[str, Any]:
    return {
        "@id": file.path,
        "@type": "File",
        "contentSize": str(file.size),
        "sha256": file.sha256,
        "encodingFormat": FORMATS.get(Path(file.path).suffix, "text/plain"),
        "license": {"@id": LICENCE},
    }


def _solu(export: Export) -> str:
    """MIPLIB's list of values: "optimal" where more than a solver's own bound proves it, else the best known."""
    lines = (f"{'=opt=' if e.evidence else '=best='} {e.name} {decimal_text(e.value)}" for e in export.entries)
    return "\n".join(lines) + "\n"


def _bib(export: Export) -> str:
    """The export itself, whose DOI is left open, and the papers that its problems are from."""
    fields = (("version", export.euclio), ("howpublished", "Data set"), ("note", "DOI: not yet assigned"))
    own = Reference("euclioset", "misc", TITLE, EUCLIO_AUTHORS, export.date[:4], fields)
    return "\n\n".join(bibtex(reference).strip() for reference in (own, *PAPERS)) + "\n"


def _readme(export: Export) -> str:
    template = Template((HERE / "for_everybody.md").read_text(encoding="utf-8"))
    return template.substitute(
        version=export.euclio,
        instances=len(export.entries),
        models=sum(entry.file(MODEL) is not None for entry in export.entries),
        proofs=sum(entry.file(PROOF) is not None for entry in export.entries),
        evidence="\n".join(_evidence_rows(export)),
        missing="\n".join(_missing_rows(export)) or "| none | 0 |",
        record=FILE,
        table=TABLE,
        solu=SOLU,
        crate=CRATE,
    )


EVIDENCE = {
    BY_FILE: "a proof file, which `check_proof.py` accepts",
    BY_SEARCH: "a search of euclio's independent prover, which shares nothing with the solvers",
    BY_CHECKER: "no search was needed",
    "": "nothing but the solver, or not proven",
}


def _evidence_rows(export: Export) -> Iterator[str]:
    counts = Counter(entry.evidence for entry in export.entries)
    for word, meaning in EVIDENCE.items():
        if counts[word]:
            yield f"| {word or '(none)'} | {meaning} | {counts[word]} |"


def _missing_rows(export: Export) -> Iterator[str]:
    counts = Counter(entry.no_model for entry in export.entries if entry.no_model)
    for reason, count in counts.most_common():
        yield f"| {reason} | {count} |"
