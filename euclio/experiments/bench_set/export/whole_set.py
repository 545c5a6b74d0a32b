"""Write the benchmark set for people who do not install euclio, and resume an interrupted export."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any

from euclio.core.errors import InputError, reason_of
from euclio.core.literature import EUCLIO_AUTHORS, PAPERS, Reference
from euclio.core.numbers import decimal_text
from euclio.core.progress import told
from euclio.core.versions import provenance
from euclio.experiments.bench_set.export.instance import exported, is_out_of_time, source_hash
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
    ExportedInstance,
    described,
    export_text,
    read_export,
    table_text,
)
from euclio.experiments.bench_set.manifest import Entry
from euclio.files.citations import bibtex
from euclio.proving.files import checker

TIME_LIMIT_S = 10.0
PART = ".part"
"""Ending of a file that is just being written; it gets its final name when it is complete."""


@told("exporting the benchmark set")
def export(
    folder: Path,
    entries: Sequence[Entry],
    out: Path,
    time_limit_s: float = TIME_LIMIT_S,
    advance: Callable[[], None] = lambda: None,
) -> Export:
    """Write instances, plans, programs, points and proofs, and the programs that check them.

    Files of an earlier export are kept where the set, euclio's version and the files' hashes are the same, except for
    instances without a proof that get more time now. Instances that are not chosen stay. The same set gives the same
    bytes, except for programs and proofs that a slower machine does not finish in time.

    Args:
        folder: folder of the set.
        entries: which instances, in the order of the set.
        out: the folder to write to: a new one, an empty one, or one of an earlier export.
        time_limit_s: limit in seconds for the program of an instance and its proof.
        advance: called after each instance.

    Raises:
        InputError: the folder is none, holds something else, or cannot be written to; a file that is no part of an
            export would be overwritten; a file of the set cannot be read.
    """
    writer = _Writer(out)
    known = {entry.name: entry for entry in writer.record.entries}
    order = {entry.name: k for k, entry in enumerate(entries)}

    def listed() -> tuple[ExportedInstance, ...]:
        # Instances that are not chosen follow the others, unchanged.
        return tuple(sorted(known.values(), key=lambda one: order.get(one.name, len(order))))

    for entry in entries:
        kept = known.get(entry.name)
        if kept is not None and writer.is_kept(kept, source_hash(folder, entry), time_limit_s):
            known[entry.name] = replace(kept, time_limit_s=max(kept.time_limit_s, time_limit_s))
        else:
            found, files = exported(folder, entry, time_limit_s)
            writer.write(files)
            known[entry.name] = found
            writer.keep(replace(writer.record, entries=listed(), writing=()))
        advance()
    writer.keep(replace(writer.record, entries=listed()))
    writer.finish()
    return writer.record


class _Writer:
    """Files of an export, and its record, which is written before and after each group of them.

    Args:
        out: the folder.

    Raises:
        InputError: it cannot be one of an export.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        version = str(provenance()["packages"]["euclio"])
        before = _opened(out)
        self._is_same_version = before is not None and before.euclio == version
        self._own = set(before.paths()) if before is not None else set()
        self.record = Export(version) if before is None else replace(before, euclio=version)
        self.keep(self.record)

    def is_kept(self, entry: ExportedInstance, source: str, time_limit_s: float) -> bool:
        """Whether an instance stands there as it would be written now."""
        same = self._is_same_version and entry.source_hash == source and not is_out_of_time(entry, time_limit_s)
        return same and all(_has(self._out / file.path, file.sha256) for file in entry.files)

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files by their paths; existing files outside of the export are not overwritten.

        Raises:
            InputError: a file is in the way, or one cannot be written.
        """
        for path, data in files.items():
            target = self._out / path
            if target.exists() and path not in self._own and not _has(target, hashlib.sha256(data).hexdigest()):
                raise InputError("is there already, and no part of an export; move it away", file=str(target))
        self.keep(replace(self.record, writing=tuple(files)))
        self._own.update(files)
        for path, data in files.items():
            self._put(path, data)

    def keep(self, record: Export) -> None:
        """Write the record."""
        self.record = record
        self._put(FILE, export_text(record).encode())

    def finish(self) -> None:
        """Write the files about the whole export, and last the list of all files."""
        files = common_files(self.record)
        self.write(files)
        self.keep(replace(self.record, files=tuple(described(path, data) for path, data in files.items()), writing=()))
        self._put(CRATE, crate_text(self.record, described(FILE, export_text(self.record).encode())).encode())
        # Files of an earlier export that this one lacks, such as an outdated program.
        for path in sorted(self._own - {FILE, CRATE, *self.record.paths()}):
            (self._out / path).unlink(missing_ok=True)

    def _put(self, path: str, data: bytes) -> None:
        target = self._out / path
        part = target.with_name(target.name + PART)
        try:
            target.parent.mkdir(exist_ok=True)
            part.write_bytes(data)
            part.replace(target)
        except OSError as error:
            reason = reason_of(error).lower()
            raise InputError(f"cannot be written: {reason}; choose another folder", file=str(target)) from None


def _opened(out: Path) -> Export | None:
    """The record of the export in a folder, which is created if missing; None if it is empty.

    Raises:
        InputError: it is a file, holds something else, or cannot be made or read.
    """
    try:
        if out.exists() and not out.is_dir():
            raise InputError("is a file; choose a folder", file=str(out))
        out.mkdir(parents=True, exist_ok=True)
        if not any(out.iterdir()):
            return None
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"cannot be a folder: {reason.lower()}; choose another one", file=str(out)) from None
    if not (out / FILE).is_file():
        raise InputError("is not empty, and holds no export; choose another folder", file=str(out))
    return read_export(out)


def _has(path: Path, sha256: str) -> bool:
    """Whether a file is there and has this hash."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except OSError:
        return False


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
