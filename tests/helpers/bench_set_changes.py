"""Small parts of the benchmark set, and changes of their files."""

from __future__ import annotations

from euclio.experiments.bench_set.manifest import read_manifest

NAMES = {"s-chain-m1-c8-h1-r2-t10-01", "s-chain-m2-c8-h1-r10-t40-01", "p-l4p4-m1-b4-g8-s50-k2-throughput-01"}


CHAIN = "s-chain-m2-c8-h1-r10-t40-01"


def entry_of(folder, name=CHAIN):
    return next(entry for entry in read_manifest(folder).entries if entry.name == name)


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
