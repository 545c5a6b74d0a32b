"""Plain English: counts sentences that are hard to read, by file, and refuses a file that has too many.

    python -m tests.plain_english [FILE OR FOLDER ...] [--by-folder] [--show]

It reads pages (Markdown), docstrings, comments and messages (text with blanks in Python). The patterns are a sample of
the rules in CONTRIBUTING.md: a sentence that passes need not be plain.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

MOST = 3
"""Hard sentences that a file may have."""
NOT_YET = ("tests/",)
"""Places whose words have not been gone over, or not to the end: they are counted, and not refused."""
LONGEST = 35
"""Words of a sentence."""
SHORTEST_MESSAGE = 5
"""Words from which a text in code is read as a sentence; shorter ones are names."""

PATTERNS = {
    "clause for a noun": re.compile(
        r"\b(?:whoever|whatever|whichever|that which|nobody|who(?:m|se)? (?:asks|waits))\b", re.I
    ),
    "what as a subject": re.compile(r"^(?:What|Who|Whom)\b(?!.*\?)"),
    "no verb after a colon": re.compile(r"\b(?:None|True|False|empty|infinite|absent|NaN|-?\d)[`\"]*: [a-z]"),
}


def main() -> int:
    """Count; 1 where a file has more than `MOST` hard sentences."""
    parser = argparse.ArgumentParser(description="Count hard sentences.")
    parser.add_argument("where", nargs="*", help="files or folders; without one all of the project")
    parser.add_argument("--by-folder", action="store_true", help="a table of counts by folder and pattern")
    parser.add_argument("--show", action="store_true", help="print the sentences")
    asked = parser.parse_args()
    found = {file: hard(file) for file in files(asked.where)}
    if asked.by_folder:
        print(by_folder(found))
    for file, sentences in found.items():
        over = len(sentences) > MOST and not str(file).startswith(NOT_YET)
        for line, pattern, sentence in sentences if asked.show or (over and not asked.by_folder) else ():
            print(f"{file}:{line}: {pattern}: {sentence}")
    over = [file for file, own in found.items() if len(own) > MOST and not str(file).startswith(NOT_YET)]
    if over:
        print(
            f"{len(over)} files have more than {MOST} hard sentences (CONTRIBUTING.md, plain English)", file=sys.stderr
        )
    return 1 if over else 0


def files(where: list[str]) -> Iterator[Path]:
    """The files of the project that are read: pages and Python sources that git knows."""
    listed = subprocess.run(["git", "ls-files", *where], capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        file = Path(name)
        if file.suffix in {".md", ".py"} and not name.startswith(("data/", "reports/", "build/")):
            yield file


def by_folder(found: dict[Path, list[tuple[int, str, str]]]) -> str:
    """A table of counts: a row for each folder of the project, a column for each pattern."""
    names = [*PATTERNS, "too long"]
    counts: dict[str, Counter[str]] = {}
    for file, sentences in found.items():
        folder = file.parts[0] if len(file.parts) > 1 else "."
        row = counts.setdefault(folder + (" (pages)" if file.suffix == ".md" else ""), Counter())
        row.update(pattern for _, pattern, _ in sentences)
    lines = [f"{'':22}" + "".join(f"{name:>24}" for name in names)]
    lines += [f"{folder:22}" + "".join(f"{row[name]:>24}" for name in names) for folder, row in sorted(counts.items())]
    return "\n".join(lines)


def hard(file: Path) -> list[tuple[int, str, str]]:
    """The hard sentences of a file: line, pattern, sentence; a sentence counts once."""
    text = file.read_text(encoding="utf-8")
    found = []
    for line, paragraph in _page(text) if file.suffix == ".md" else _source(text):
        for sentence in re.split(r"(?<=[.?!])\s+(?=[A-Z`*\[])", paragraph):
            pattern = next((name for name, hit in PATTERNS.items() if hit.search(sentence)), None)
            if pattern is None and len(re.findall(r"[^\W\d]\w*", sentence)) > LONGEST:
                pattern = "too long"
            if pattern is not None:
                found.append((line, pattern, sentence))
    return found


def _page(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, items of lists and cells of tables of a page, each with its line; code is left out."""
    code, started, lines = False, 1, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.lstrip().startswith("```"):
            code = not code
        begins = code or not line.strip() or re.match(r"\s*(?:[#>|*+-]|\d+\.|```|!\[)", line)
        if begins and lines:
            yield started, _plain(" ".join(lines))
            lines = []
        if code or not line.strip() or line.lstrip().startswith(("```", "#")):
            continue
        if line.lstrip().startswith("|"):
            yield from ((number, _plain(cell)) for cell in line.strip().strip("|").split("|"))
            continue
        started = started if lines else number
        lines.append(line.strip())


def _source(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs of docstrings, comments in a row, and messages of a Python source, each with its line."""
    started, lines, before, beside = 0, list[str](), -1, False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            own = bool(token.line[: token.start[1]].strip())  # beside code: a sentence by itself
            if (own or beside or token.start[0] != before + 1) and lines:
                yield started, _plain(" ".join(lines))
                lines = []
            started, before, beside = (started if lines else token.start[0]), token.start[0], own
            lines.append(token.string.lstrip("# "))
    if lines:
        yield started, _plain(" ".join(lines))
    for node in ast.walk(ast.parse(text)):
        said = ""
        if isinstance(node, ast.JoinedStr):
            said = "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = node.value
        if len(said.split()) >= SHORTEST_MESSAGE:
            parts = re.split(r"\n\s*\n|\n(?=\s*[\w*`, ]+: )", said)
            yield from ((node.lineno, _plain(" ".join(part.split()))) for part in parts)


def _plain(text: str) -> str:
    """Text without its markup: links as their words, code as one word."""
    text = re.sub(r"`[^`]*`", "Code", text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).strip()


if __name__ == "__main__":
    sys.exit(main())
