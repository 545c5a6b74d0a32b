"""References as BibTeX: seven-bit text that BibTeX and biber read alike."""

from __future__ import annotations

import unicodedata

from euclio.core.literature import Reference

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
"""What TeX would obey, by what shows it."""
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
    "\u0328": "k",
}
LETTERS = {
    "ß": r"{\ss}",
    "ø": r"{\o}",
    "Ø": r"{\O}",
    "ł": r"{\l}",
    "Ł": r"{\L}",
    "æ": r"{\ae}",
    "Æ": r"{\AE}",
    "œ": r"{\oe}",
    "ı": r"{\i}",
    "–": "--",
    "—": "---",
    "’": "'",
    "‘": "`",
}
VERBATIM = frozenset({"doi", "url", "eprint", "isbn"})
"""Fields that are addresses: styles take them as they stand."""


def bibtex(reference: Reference) -> str:
    """A reference as a BibTeX entry, without a line break at its end."""
    fields = [("title", f"{{{tex(reference.title)}}}")]
    if reference.authors:
        fields.insert(0, ("author", " and ".join(map(_author, reference.authors))))
    if reference.year:
        fields.append(("year", reference.year))
    fields += [(name, value if name in VERBATIM else tex(value)) for name, value in reference.fields]
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields)
    return f"@{reference.kind}{{{reference.key},\n{lines}}}"


def tex(text: str) -> str:
    """A text that TeX sets as it stands; a letter that TeX has no name for stays itself."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(SPECIAL.get(letter) or LETTERS.get(letter) or _letter(letter) for letter in composed)


def _letter(letter: str) -> str:
    """A letter with its accent as TeX writes it, in braces, so that BibTeX counts one letter."""
    apart = unicodedata.normalize("NFD", letter)
    base, marks = apart[:1], apart[1:]
    if marks not in ACCENTS:
        return letter
    accent = ACCENTS[marks]
    return f"{{\\{accent}{{{base}}}}}" if accent.isalpha() else f"{{\\{accent}{base}}}"


def _author(name: str) -> str:
    """A person's name; a group's in braces, so that it is not taken apart."""
    return tex(name) if "," in name or name == "others" else f"{{{tex(name)}}}"
