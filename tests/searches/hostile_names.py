"""Names that are legal in euclio and awkward everywhere else, drawn so that many of them are nearly the same."""

from __future__ import annotations

import unicodedata
from random import Random

LONGEST = 200
"""Characters of a name at most (`euclio.files.boundary`)."""

APART = ("a b", "a-b", "a/b", "a.b", "a_b", "a\\b", "a+b", "a--b", "a  b", "A B", "a:b", "a|b", "a-b-", "-a-b", "a&b")
RESERVED = ("CON", "con", "nul", "NUL", "aux", "Prn", "com1", "LPT9", "con.txt", ".", "..", "...", "~", "lost+found")
YAML = (
    "no",
    "null",
    "~",
    "1e3",
    "0x1F",
    "1_000",
    "{{x}}",
    "#",
    "# x",
    ":",
    "a: b",
    "- a",
    "yes",
    "true",
    "!!int 1",
    "&a",
)
YAML += ("*a", "%YAML", "@a", "`a`", "|", ">", "?", "'", '"', "---", "2001-01-01", "1:30", ".inf", "=", "<<", "on", "y")
FORMULAS = (
    '=HYPERLINK("http://x")',
    "+1",
    "-1+2",
    "@SUM(A1)",
    "=1",
    "'=1",
    "''=1",
    "-",
    "+",
    "= 1",
    "=",
    " =1",
    "＝1",
    "＠x",
)
MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</title>",
    "<!-- x",
    "-->",
    "&lt;",
    "&amp;",
    "]]>",
)
MARKUP += ("a|b", "a\\|b", "\\", "\\\\", "`a`", "``", "*a*", "**", "_a_", "[a](http://x)", "![a](x)", "[a]: x", "~~a~~")
MARKUP += (
    "# a",
    "1. a",
    "$a$",
    "$",
    "<http://x>",
    "a\\",
    "<",
    ">",
    "&",
    "a<b>c",
    "<svg/onload=1>",
    "{% raw %}",
    "${x}",
)
EMPTY = ("-", "--", "_", "!", "é", "ü", "日本", "語", "🙂", "🙃", "()", "?", "…", "´", "unnamed", "m", "m-", "Unnamed")
SHARED = ("shared", "shared-1", "shared-1-2", "a-1", "a-1-1", "a-2", "a", "a-1-2")
QUOTES = (
    '"',
    '""',
    "'",
    '\\"',
    'a"b',
    "a'b",
    "\\n",
    "\\u0041",
    "C:\\x",
    "..\\x",
    "../x",
    "/etc/x",
    "a/../b",
    "$(x)",
    ";x",
)


def hostile_names(rng: Random, count: int) -> list[str]:
    """So many different names, each of which a session takes."""
    found: dict[str, None] = {}
    while len(found) < count:
        for name in _family(rng):
            if name.strip() and name.isprintable() and len(name) <= LONGEST:
                found[name] = None
    return list(found)[:count]


def _family(rng: Random) -> list[str]:
    """Names that some program takes for the same, or that mean something to it."""
    kind = rng.randrange(9)
    if kind == 0:
        return rng.sample(rng.choice((APART, RESERVED, YAML, FORMULAS, MARKUP, EMPTY, SHARED, QUOTES)), 4)
    if kind == 1:  # long ones that differ at the end only
        begin = rng.choice(("G", "x-", "é", "a b", "Zz.")) * 100
        length = rng.choice((40, 41, 49, 50, 51, 62, 63, 64, 71, 150, LONGEST - 1))
        return [begin[:length] + end for end in rng.sample("123abcAB", 3)]
    if kind == 2:  # the same letters, put together of others
        letter = rng.choice(("é", "ü", "ñ", "Å", "ệ", "가"))
        base = "".join(rng.choice(("caf", "x", "", "T4 ")) for _ in range(2))
        return [unicodedata.normalize(form, base + letter) for form in ("NFC", "NFD")]
    if kind == 3:  # small and capital letters
        name = "".join(rng.choice("abTx4-") for _ in range(rng.randint(1, 6)))
        return [name.lower(), name.upper(), name.title(), name.swapcase()]
    if kind == 4:  # as another name is called once it is told apart
        from euclio.core.target_names import target_names
        from euclio.export.names import dns_label, label_value

        names = rng.sample(APART, 3)
        return [*names, *target_names(names, label_value, 63).values(), *target_names(names, dns_label, 50).values()]
    if kind == 5:  # signs that nobody sees, or that turn the line round, where they are allowed
        return [
            f"a{sign}b"
            for sign in ("\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u0301", "\u3164", "\u2800")
        ]
    if kind == 6:  # signs that look alike
        return rng.sample(("A100", "А100", "Α100", "A1OO", "Ａ100", "A１00", "a100", "ª100"), 4)
    if kind == 7:
        name = rng.choice((*FORMULAS, *MARKUP, *YAML))
        return [name, f"{name} ", f" {name}", f"'{name}", name * 2]
    signs = " -_./\\:|=+@'\"<>&`*#${}[]()~^%!?,;é🙂aA0"
    return ["".join(rng.choice(signs) for _ in range(rng.randint(1, 8))) for _ in range(3)]
