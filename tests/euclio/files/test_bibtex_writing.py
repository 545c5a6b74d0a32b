"""BibTeX of references: one entry, seven-bit, nothing that TeX obeys."""

import re

import pytest

from euclio.core.literature import KNOWN, Reference
from euclio.files.citations import bibtex, tex

FIELD = re.compile(r"^  ([a-z]+) = \{(.*)\},$")


def fields(entry):
    """The fields of an entry, one to a line, after its first line."""
    return dict(FIELD.fullmatch(line).groups() for line in entry.splitlines()[1:-1])


@pytest.mark.parametrize("reference", KNOWN, ids=lambda one: one.key)
def test_entries_have_one_field_to_a_line_and_closed_braces(reference):
    entry = bibtex(reference)
    assert entry.isascii()
    assert entry.splitlines()[0] == f"@{reference.kind}{{{reference.key},"
    assert entry.splitlines()[-1] == "}"
    assert fields(entry)["title"]
    plain = re.sub(r"\\[{}]", "", entry)
    assert plain.count("{") == plain.count("}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Müller & Söhne", r"M{\"u}ller \& S{\"o}hne"),
        ("Frédéric", r"Fr{\'e}d{\'e}ric"),
        ("50 % of A_1 #2 $", r"50 \% of A\_1 \#2 \$"),
        ("Groß, Dvořák", r"Gro{\ss}, Dvo{\v{r}}{\'a}k"),
        ("{a}\\b~^", r"\{a\}\textbackslash{}b\textasciitilde{}\textasciicircum{}"),
        ("622–638", "622--638"),
    ],
)
def test_signs_and_accents_are_written_as_tex_writes_them(text, shown):
    assert tex(text) == shown


def test_a_decomposed_letter_is_the_composed_one():
    """A file may have either; both are the same letter."""
    assert tex("u\u0308") == tex("ü")


def test_a_group_is_kept_together_and_addresses_stand_as_they_are():
    group = Reference("g", "misc", "T", ("The A and B authors", "others"), "2020", (("url", "https://a/b_c?d=%20"),))
    assert fields(bibtex(group))["author"] == "{The A and B authors} and others"
    assert fields(bibtex(group))["url"] == "https://a/b_c?d=%20"
