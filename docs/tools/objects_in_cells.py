"""Draws the picture of `docs/howto/jupyter.md`, with an installed Chromium: `python docs/tools/objects_in_cells.py`.

A session, its plan and a comparison of the README, as a notebook shows them, light above dark. It writes
`docs/figures/jupyter.png`, whose times are those of the machine.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from euclio import compare, solve
from euclio.workloads.session.published import published_session

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("ssd_resnet50", "resnet50", "bert_base_128")
SYSTEMS = ("harpagon", "nexus", "scrooge", "inferline", "clipper")
STYLE = """
body { margin: 0; font: 13px system-ui, "DejaVu Sans", sans-serif; }
section { padding: 10px 16px 14px; }
.light { background: #fff; color: #1c1f23; }
.dark { background: #111; color: #e8eaed; }
code { display: block; margin: 10px 0 6px; opacity: .7; }
"""
WIDTH, HEIGHT = 860, 1010


def main() -> None:
    """Solve, write a page, photograph it."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no Chromium is installed")
    session = published_session(MODELS, rate_rps=500, slo_s="0.4")
    light = [("session", session), ('solve(session, "exact")', solve(session, "exact"))]
    dark = [(f"compare(session, {list(SYSTEMS)})", compare(session, SYSTEMS))]
    sections = "".join(
        f'<section class="{theme}">'
        + "".join(f"<code>{call}</code>{thing._repr_html_()}" for call, thing in cells)
        + "</section>"
        for theme, cells in (("light", light), ("dark", dark))
    )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        head = f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>'
        page.write_text(f"{head}{sections}", encoding="utf-8")
        target = ROOT / "docs" / "figures" / "jupyter.png"
        options = ("headless", "no-sandbox", "disable-gpu", "hide-scrollbars", f"window-size={WIDTH},{HEIGHT}")
        command = [browser, *(f"--{option}" for option in (*options, f"screenshot={target}")), page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
