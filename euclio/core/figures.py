"""Matplotlib figures as SVG text that follows the page's light or dark theme and is the same byte for byte."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter
from matplotlib.transforms import ScaledTranslation

INK, MUTED = "#1c1f23", "#656b73"
"""Colours of text and of axes; in the SVG they become the page's own colours."""
PALETTE = ("#2f6fb5", "#d9822b", "#3c9a5f", "#a255a8", "#8a8f98", "#c23b4a")
"""Colours of series, legible on white and on near black."""

# One colour per role in all figures.
MEASURED, PUBLISHED = PALETTE[0], PALETTE[1]
"""A measured value, and a published one."""
DESIGN, HEURISTIC = PALETTE[0], PALETTE[1]
"""The loss by a system's design, and the loss by its heuristic."""
OPTIMUM, OPTIMUM_ALPHA = PALETTE[4], 0.45
"""The part that the optimum reaches too; faint, because the figure is about the rest."""
UNSPLIT, UNKNOWN = PALETTE[3], "#dddddd"
"""A gap with unknown causes, and a value with an unknown gap."""

HARDWARE_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Colours of hardware types, distinct also for colour-blind readers, on white and on near black (Okabe and Ito, "Color
Universal Design", 2008)."""
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "oooo", "||||")
"""Hatches that tell hardware types of one colour apart."""
_KNOWN = ("V100", "P100", "T4", "A100", "L4", "cpu", "H100", "P4", "A10", "A30", "A2", "L40S", "K80", "M60", "H200")
"""Hardware types that take the colours in this order."""

_THEME = {INK: "var(--ink)", MUTED: "var(--muted)"}

_PATH = re.compile(r'(?<= d=")[^"]+')
_PLACES = re.compile(r'(?<= d=")[^"]+|(?<= [xy]=")[^"]+|(?<=translate\()[^)]+')
_LONG_NUMBER = re.compile(r"\d+\.\d{3,}")

OWN_DEFAULTS: dict[Any, Any] = {name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"}
"""Matplotlib's built-in settings: the current folder may hold another person's `matplotlibrc`."""

_SETTINGS: dict[Any, Any] = {
    **OWN_DEFAULTS,
    "svg.fonttype": "none",
    "svg.hashsalt": "euclio",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": "medium",
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "figure.titlesize": "large",
    "figure.titleweight": "bold",
    "legend.fontsize": "small",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    # Names of solvers and instances are never formulas, even with the signs of one.
    "text.parse_math": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.frameon": False,
    "axes.prop_cycle": cycler(color=PALETTE),
    "figure.constrained_layout.use": True,
}

_SIZES = {"titlesize": ("axes", "figure"), "labelsize": ("axes", "xtick", "ytick"), "fontsize": ("legend",)}
"""Sizes of texts by the ends of their settings' names."""
MOST_COLUMNS, COLUMN_IN = 3, 2.2
"""Maximum columns of a legend below the axes, and the width of each in inches."""


@contextmanager
def figure_style() -> Iterator[None]:
    """The look of all figures, in the caller's fonts and sizes; draw and convert inside it."""
    with mpl.rc_context({**_SETTINGS, **own_fonts()}):
        yield


@contextmanager
def new_figure(width_in: float, height_in: float) -> Iterator[Figure]:
    """An empty figure of that size in inches, with the look of all figures for everything drawn inside."""
    with figure_style():
        figure = Figure(figsize=(width_in, height_in))
        # Legends and titles are placed by their extent, which this canvas can measure.
        FigureCanvasAgg(figure)
        yield figure


def own_fonts() -> dict[Any, Any]:
    """The fonts and sizes that the user has set in this process, as by `rcParams`; those of a file are ignored."""
    names = [f"font.{name}" for name in ("family", "serif", "sans-serif", "monospace", "cursive", "fantasy", "size")]
    names += [f"{name}.{size}" for size, parts in _SIZES.items() for name in parts]
    return {name: value for name, value in mpl.rcParams.items() if name in names and value != mpl.rcParamsOrig[name]}


def legend_under(axes: Axes, **drawn: Any) -> None:
    """A legend below everything under the axes, also for small axes; `drawn` is as of `Axes.legend`."""
    figure = axes.get_figure(root=True)
    lowest = axes.get_tightbbox()
    if figure is not None and lowest is not None:
        below = max(0.0, float(axes.bbox.y0 - lowest.y0)) / figure.dpi
        columns = max(1, min(MOST_COLUMNS, int(figure.get_figwidth() / COLUMN_IN)))
        moved = axes.transAxes + ScaledTranslation(0, -below, figure.dpi_scale_trans)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=moved, ncols=columns, **drawn)


def log_axes(axes: Axes, *which: Literal["x", "y"], form: str = "{x:g}") -> None:
    """Logarithmic axes with plain numbers at their major ticks only."""
    for name in which:
        axis = axes.xaxis if name == "x" else axes.yaxis
        (axes.set_xscale if name == "x" else axes.set_yscale)("log")
        axis.set_major_formatter(form)
        axis.set_minor_formatter(NullFormatter())


def grid(axes: Axes, which: Literal["both", "x", "y"] = "both") -> None:
    """Faint grid lines behind the drawing."""
    axes.grid(color=MUTED, alpha=0.25, linewidth=0.6, axis=which)
    axes.set_axisbelow(True)


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a hardware type.

    Attributes:
        colour: one of `HARDWARE_COLOURS`.
        hatch: one of `HATCHES`.
    """

    colour: str
    hatch: str


def hardware_looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each hardware type of a figure, by name; a name has the same colour in every figure.

    The colour follows from the name alone. The types of `_KNOWN` and numbered types (type-01, type-02) take the colours
    in turn; other names take one by their letters. If two names of a figure would look alike, the later in the alphabet
    takes the next hatch. Beyond the number of `HATCHES`, looks repeat.

    Args:
        names: names of hardware types, in the order of the answer.
    """
    wanted = list(dict.fromkeys(names))
    found: dict[str, Look] = {}
    for name in sorted(wanted, key=lambda name: (name not in _KNOWN, name)):
        colour = HARDWARE_COLOURS[_place(name) % len(HARDWARE_COLOURS)]
        looks = [Look(colour, hatch) for hatch in HATCHES]
        found[name] = next((look for look in looks if look not in found.values()), looks[0])
    return {name: found[name] for name in wanted}


def _place(name: str) -> int:
    """The number of a name's colour; it is the same in every process."""
    if name in _KNOWN:
        return _KNOWN.index(name)
    stem = name.rstrip("0123456789")
    number = name[len(stem) :]
    return zlib.crc32(stem.encode()) + int(number[-6:] or 0)


def hardware_patches(looks: Mapping[str, Look]) -> list[Patch]:
    """The legend's patches of hardware types, by name."""
    return [
        Patch(facecolor=look.colour, hatch=look.hatch, edgecolor="white", label=legend_label(name))
        for name, look in looks.items()
    ]


def legend_beside(axes: Axes, **drawn: Any) -> None:
    """A legend to the right of the axes, so that it covers nothing; `drawn` is as of `Axes.legend`."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **drawn)


def legend_label(text: str) -> str:
    """A label that a legend shows unchanged: matplotlib omits labels that begin with an underscore."""
    return f"\u200a{text}" if text.startswith("_") else text


def svg_text(figure: Figure, key: str, label: str) -> str:
    """A figure as an inline `<svg>` element.

    Args:
        figure: drawn inside `figure_style` and made without pyplot, so that no global state keeps it.
        key: prefix of the ids, so that one page can hold several figures.
        label: description for screen readers.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{key}-', text)
    text = re.sub(r"url\(#", f"url(#{key}-", text)
    text = re.sub(r'href="#', f'href="#{key}-', text)
    text = _rounded(text, _PATH)
    for colour, variable in _THEME.items():
        text = text.replace(colour, variable)
    text = text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)


def rounded_svg(text: str) -> str:
    """An SVG file with coordinates in hundredths of a point, since later digits differ from run to run.

    Numerical libraries sum in another order if arrays lie at other addresses in memory.
    """
    return _rounded(text, _PLACES)


def _rounded(text: str, places: re.Pattern[str]) -> str:
    return places.sub(lambda found: _LONG_NUMBER.sub(_hundredths, found[0]), text)


def _hundredths(number: re.Match[str]) -> str:
    """A coordinate to a hundredth of a point, an invisible change that halves the size."""
    return f"{float(number[0]):.2f}"
