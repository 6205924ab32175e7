"""A figure of matplotlib as SVG that can be embedded in a page: no style sheet, script or URL, and no ids that could clash.

Text stays text, so that it can be searched, copied and read aloud. Colours are attributes, so that a file works on its own in
a paper; a page may set others through the classes, since a style sheet takes precedence over attributes.

    with drawing() as figure:
        figure.subplots().plot([1, 2])
        svg = svg_of(figure, "what it shows")
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from hopweave.core.errors import MissingExtra
from hopweave.show.markup import Markup, joined, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, SOFT, RULE, ACCENT, PAPER = "#1d1d1b", "#5f5d57", "#d9d6ce", "#1f5f8b", "#ffffff"
SIZE = 11.5
"""The size of text, in pixels."""

_ROLES = {INK: "ink", SOFT: "soft", RULE: "rule", ACCENT: "accent", PAPER: "paper"}
_KEPT = {"fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-dashoffset", "text-anchor", "font-weight", "font-size"}
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hopweave",
    "text.parse_math": False,  # a label is plain text, whatever characters it contains
    "text.usetex": False,
    "text.color": INK,
    "font.size": SIZE,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that text has the same width everywhere
    "axes.edgecolor": SOFT,
    "axes.facecolor": "none",
    "axes.labelcolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "ytick.major.size": 0,
    "grid.color": RULE,
    "grid.linewidth": 1.0,
    "lines.solid_capstyle": "butt",
    "lines.solid_joinstyle": "miter",
    "legend.frameon": False,
}


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def drawn_by() -> str:
    """The name and version of the library that draws, since another version may write other bytes; empty if there is none."""
    if not can_draw():
        return ""
    import matplotlib as mpl

    return f"matplotlib {mpl.__version__}"


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """A figure of that size in pixels, with settings that the user's configuration files do not change.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    if not can_draw():
        raise MissingExtra("matplotlib", "eval")
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        # The reader's own fonts may have a letter that this font lacks: only its width is a guess.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        settings: dict[Any, Any] = {key: value for key, value in mpl.rcParamsDefault.items() if not key.startswith("backend")}
        mpl.rcParams.update(settings | _SETTINGS)
        figure = Figure(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
        FigureCanvasSVG(figure)
        figure.patch.set_visible(False)
        yield figure


def svg_of(figure: Figure, title: str) -> str:
    """The figure as SVG, with a title for screen readers; the same bytes each time."""
    for artist in figure.findobj():
        artist.set_clip_on(False)
    file = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(file, format="svg", metadata=nothing)
    root = ElementTree.fromstring(file.getvalue())  # noqa: S314 - written just above
    shapes = {one.attrib["id"]: one for one in root.iter() if _name(one) == "path" and "id" in one.attrib}
    width, height = (root.attrib[side].removesuffix("pt") for side in ("width", "height"))
    return (
        tag(
            "svg",
            tag("title", title),
            *_inside(root, shapes),
            xmlns="http://www.w3.org/2000/svg",
            class_="plot",
            role="img",
            width=width,
            height=height,
            viewBox=root.attrib["viewBox"],
            font_family="Helvetica, Arial, 'Liberation Sans', sans-serif",
            stroke_linejoin="round",
        )
        + "\n"
    )


def _inside(parent: ElementTree.Element, shapes: Mapping[str, ElementTree.Element]) -> Iterator[Markup]:
    for element in parent:
        match _name(element):
            case "g":
                yield from _inside(element, shapes)
            case "path":
                yield tag("path", d=" ".join(element.attrib["d"].split()), **_look(element))
            case "use":
                shape = shapes[next(value for key, value in element.attrib.items() if key.endswith("href")).removeprefix("#")]
                place = f"translate({element.attrib['x']} {element.attrib['y']})"
                yield tag("path", d=" ".join(shape.attrib["d"].split()), transform=place, **_look(shape, element))
            case "text":
                places = {key: element.attrib[key] for key in ("x", "y", "transform") if key in element.attrib}
                yield tag("text", joined(element.itertext()), **(places | _look(element)))
            case _:
                pass


def _look(*elements: ElementTree.Element) -> dict[str, str]:
    """The style of elements as attributes, where later elements take precedence, and the roles of their colours as classes."""
    style: dict[str, str] = {}
    for element in elements:
        pairs = (pair.partition(":") for pair in element.attrib.get("style", "").split(";"))
        style |= {key.strip(): value.strip() for key, _, value in pairs if key.strip() in _KEPT}
    roles = [f"{part}-{_ROLES[style[part]]}" for part in ("fill", "stroke") if style.get(part) in _ROLES]
    if not roles and _name(elements[-1]) == "text":
        roles = ["fill-ink"]
    attributes = {key.replace("-", "_"): value for key, value in style.items()}
    return {"class_": " ".join(roles)} | attributes


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
