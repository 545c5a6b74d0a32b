"""Objects that show themselves: a line of text, HTML for notebooks, frames and figures (docs/howto/jupyter.md).

A class that shows itself is a `Shown` and names its `View`, which stands with its tables and is imported when it is
asked for, so that a record stays as light as it is.
"""

from __future__ import annotations

from euclio.core.showing.shown import Framed, Plotted, Shown, frame_of, html_of, line_of, plotted
from euclio.core.showing.view import Head, View, fields_of

__all__ = ["Framed", "Head", "Plotted", "Shown", "View", "fields_of", "frame_of", "html_of", "line_of", "plotted"]
