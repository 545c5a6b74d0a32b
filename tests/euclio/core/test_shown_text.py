"""Text of files on a terminal: what it would obey is shown as signs that stand for it."""

from euclio.core.fitted_table import Label, table_of
from euclio.core.tables import to_text


def test_a_cell_is_shown_without_what_a_terminal_obeys():
    """An escape that clears the window, a bell, a sign that turns the direction of reading."""
    shown = to_text(table_of([["a\x1b[2Jb\u202ec\x9bd"]], [Label("name")]))
    assert "a\ufffd[2Jb\ufffdc\ufffdd" in shown
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
