"""Text of files on a terminal: what it would obey is shown as signs that stand for it."""

from rich.text import Text

from euclio.core.tables import new_table, to_text


def test_a_cell_is_shown_without_what_a_terminal_obeys():
    """An escape that clears the window, a bell, a sign that turns the direction of reading."""
    table = new_table("name")
    table.add_row(Text("a\x1b[2Jb\u202ec\x9bd"))
    shown = to_text(table)
    assert "a\ufffd[2Jb\ufffdc\ufffdd" in shown
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
