"""The verbs: what `euclio VERB` does, as functions with the same names and keywords (docs/api/verbs.md).

A verb is one file, which has its name. Its first line says what it does; it holds the function, and below it the
command that calls it. `interface/` makes the command line of them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

SEVERAL = {
    "bench_set": (
        "build_bench_set",
        "certify_bench_set",
        "check_bench_set",
        "export_bench_set",
        "list_bench_set",
    ),
    "import_": ("import_csv", "import_mlperf", "import_model_analyzer", "import_perf_analyzer", "import_ppipe"),
    "versions": ("show_versions", "versions"),
    "completion": (),
}
"""The functions of files that have not one of their own name; the command line alone has completion."""


@cache
def places() -> dict[str, tuple[str, ...]]:
    """The functions by the file that they stand in; `euclio` offers them all."""
    files = sorted(path.stem for path in verb_files())
    return {f"euclio.verbs.{file}": SEVERAL.get(file, (file,)) for file in files}


def verb_files() -> list[Path]:
    """The files of the verbs."""
    return [path for folder in __path__ for path in Path(folder).glob("*.py") if path.stem != "__init__"]
