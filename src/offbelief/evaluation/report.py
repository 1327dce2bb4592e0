"""Pieces of a report, and the report as one HTML file that needs nothing else: pictures inside, no scripts.

Pieces are text of HTML, and every text that is handed in is escaped. What a report says is in `run_report.py` and in
the verbs.
"""

import base64
import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from offbelief.evaluation.plots import figure_as_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 2.5rem auto; padding: 0 1.25rem; color: #222; }
h1 { font-size: 1.9rem; line-height: 1.2; margin-bottom: .5rem; }
h2 { font-size: 1.3rem; margin-top: 2.75rem; padding-top: 1rem; border-top: 1px solid #e3e3e3; }
img { max-width: 100%; } figure { margin: 1.5rem 0; } figcaption { color: #555; font-size: .9rem; max-width: 46rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th { color: #555; font-weight: 600; font-size: .9rem; } tr:hover td { background: #f7f9fb; }
th, td { border-bottom: 1px solid #ddd; padding: .3rem .75rem; text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; } table.text th, table.text td { text-align: left; }
table.text { font-size: .9rem; } table.text td { padding: .2rem .6rem; }
code, pre { background: #f3f4f6; border-radius: 3px; font-size: .88rem; } code { padding: .1rem .35rem; }
pre { padding: .75rem 1rem; overflow-x: auto; } details { margin: .5rem 0; } summary { cursor: pointer; }
.cards { white-space: nowrap; }
.lead { font-size: 1.1rem; } .small { color: #555; font-size: .9rem; } .scroll { overflow-x: auto; }
.card { display: inline-block; min-width: 1.25rem; padding: 0 .15rem; margin-right: .15rem; border-radius: 3px;
  text-align: center; font-weight: 600; font-size: .85rem; color: #fff; }
.R { background: #c8322b; } .Y { background: #f2c230; color: #222; } .G { background: #2f8f4e; }
.B { background: #2b6fc2; }
.W { background: #fff; color: #222; box-shadow: inset 0 0 0 1px #999; } .none { opacity: .35; }
"""


class Markup(str):
    """HTML that is meant as such where text is expected."""

    __slots__ = ()


def escaped(text: str) -> str:
    """A text as HTML; markup stays as it is."""
    return text if isinstance(text, Markup) else html.escape(text)


def heading(text: str) -> str:
    """The title of a section."""
    return f"<h2>{escaped(text)}</h2>"


def paragraph(text: str, style: str = "") -> str:
    """A paragraph; its style is "", "lead" or "small"."""
    return f'<p class="{style}">{escaped(text)}</p>' if style else f"<p>{escaped(text)}</p>"


def command(text: str) -> str:
    """A command line to copy."""
    return f"<p><code>{escaped(text)}</code></p>"


def folded(title: str, text: str) -> str:
    """A text as it is written, which opens when its title is clicked."""
    return f"<details><summary>{escaped(title)}</summary><pre>{escaped(text)}</pre></details>"


def picture(path: Path, caption: str) -> str:
    """A PNG, embedded, with its caption."""
    return _embedded("image/png", path.read_bytes(), caption)


def drawing(figure: "Figure", caption: str) -> str:
    """A figure, embedded, with its caption."""
    return _embedded("image/svg+xml", figure_as_svg(figure), caption)


def cards(shown: Iterable[tuple[str, int]]) -> Markup:
    """A row of little cards: the letter of a colour (R, Y, G, W, B) and a number each; pale where it is 0."""
    pictures = (
        f'<span class="card {html.escape(letter)}{"" if number else " none"}">{number}</span>'
        for letter, number in shown
    )
    return Markup(f'<span class="cards">{"".join(pictures)}</span>')


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, style: str = "") -> str:
    """A table; numbers stand to the right, unless its style is "text"."""
    lines = [f'<div class="scroll"><table class="{style}">' if style else '<div class="scroll"><table>']
    lines += ["<tr>" + "".join(f"<th>{escaped(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table></div>"])


def page(title: str, sections: Sequence[str]) -> str:
    """Put sections into one HTML document."""
    body = "\n".join(sections)
    name = html.escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body>\n<h1>{name}</h1>\n{body}\n</body>\n</html>\n"
    )


def _embedded(kind: str, data: bytes, caption: str) -> str:
    text = base64.b64encode(data).decode("ascii")
    return (
        f'<figure><img alt="{html.escape(caption, quote=True)}" src="data:{kind};base64,{text}">'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )
