"""Versions of euclio, of its packages and of the machine, for this process and for the provenance of results.

`euclio versions` and `euclio.show_versions` print them for issues.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from euclio.core.lazy import late
from euclio.core.system import cpu_name
from euclio.core.ways import current_way


@cache
def provenance() -> dict[str, Any]:
    """Versions, machine and git revision of a result."""
    packages = {}
    for name in ("euclio", "numpy", "numba", "pulp", "highspy", "ortools"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "unknown"
    return {
        "python": sys.version.split()[0],
        "packages": packages,
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "git": _git_revision(),
    }


def _git_revision() -> str:
    """The revision of the source tree; an installed package has none, even inside a repository."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return "unknown"
    try:
        words = ["git", "-C", str(root), "rev-parse", "HEAD"]
        done = subprocess.run(words, capture_output=True, encoding="ascii", errors="replace", timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"


REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:.*\bextra == ['\"](?P<extra>[\w.-]+)['\"])?")
LEFT_OUT = frozenset({"dev", "docs"})
"""Extras of those who work on euclio itself."""
ENGINE_PACKAGES = {
    "highs": "highspy",
    "highs-program": "highsbox",
    "cbc": "pulp",
    "scip": "pyscipopt",
    "gurobi": "gurobipy",
    "cpsat": "ortools",
}
"""The package that brings each engine."""
MISSING = "missing"

where_kept = late("euclio.core.code_cache", "where_kept")
"""The folder of machine code, imported late because it needs numpy, which the list of solvers does not."""


def versions() -> dict[str, Any]:
    """Versions as plain data; None means not installed.

    Returns:
        `euclio`, `git` (None if not installed from its source tree), `python`, `platform`, `cpu`, `cores`, `packages`
        (requirements of euclio) and `extras` (requirements of each extra). Also `engines` and `kernels` (how they run,
        and the folder of their machine code).
    """
    known = provenance()
    packages, extras = _required()
    return {
        "euclio": _version("euclio"),
        "git": None if known["git"] == "unknown" else known["git"],
        "python": f"{platform.python_implementation()} {known['python']}",
        "platform": platform.platform(),
        "cpu": known["cpu"],
        "cores": known["cores"],
        "packages": packages,
        "extras": extras,
        "engines": {name: _engine(name, package) for name, package in ENGINE_PACKAGES.items()},
        "kernels": f"{current_way()}, machine code in {where_kept()}",
    }


def show_versions() -> None:
    """Print the versions of euclio, of its packages and of this machine, for an issue."""
    print(versions_text(versions()))


def versions_text(found: dict[str, Any]) -> str:
    """Versions as lines, each with its name first."""
    lines: list[tuple[str, str]] = []
    for name, value in found.items():
        if name == "extras":
            lines += [(f"euclio[{extra}]", _listed(packages)) for extra, packages in value.items()]
        else:
            lines.append((name, _listed(value) if isinstance(value, dict) else str(value or "unknown")))
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in lines)


def _listed(packages: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {known or MISSING}" for name, known in packages.items())


def _required() -> tuple[dict[str, str | None], dict[str, dict[str, str | None]]]:
    """The requirements of euclio, and by extra those of the extra, each with its installed version."""
    packages: dict[str, str | None] = {}
    extras: dict[str, dict[str, str | None]] = {}
    for line in sorted(requires("euclio") or [], key=str.lower):
        parts = REQUIREMENT.match(line)
        if parts is None or parts["extra"] in LEFT_OUT:
            continue
        home = packages if parts["extra"] is None else extras.setdefault(parts["extra"], {})
        home[parts["name"]] = _version(parts["name"])
    return packages, dict(sorted(extras.items()))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _engine(name: str, package: str) -> str | None:
    """The version of the package that brings an engine; None if the engine is missing."""
    known = _version(package)
    return None if known is None or (name == "cbc" and not _cbc_runs()) else f"from {package} {known}"


def _cbc_runs() -> bool:
    """Whether PuLP has the binary of CBC for this machine: it brings those of a few platforms only."""
    import pulp

    try:
        with warnings.catch_warnings(action="ignore"):  # PuLP warns that version 4 will bring it in another way
            return bool(pulp.PULP_CBC_CMD(msg=False).available())
    except pulp.PulpSolverError:
        return False
