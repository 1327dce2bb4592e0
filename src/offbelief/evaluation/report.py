"""A report as one HTML file that needs nothing else: pictures inside, no scripts, no requests."""

import base64
import html
from collections.abc import Sequence
from pathlib import Path

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
img { max-width: 100%; } table { border-collapse: collapse; margin: 1rem 0; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .75rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } code { background: #f3f3f3; padding: .1rem .3rem; }
figure { margin: 2rem 0; } figcaption { color: #555; font-size: .9rem; }
"""


def paragraph(text: str) -> str:
    """A paragraph; the text is escaped."""
    return f"<p>{html.escape(text)}</p>"


def command(text: str) -> str:
    """A command line to copy."""
    return f"<p><code>{html.escape(text)}</code></p>"


def picture(path: Path, caption: str) -> str:
    """A PNG, embedded, with its caption."""
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    alternative = html.escape(caption, quote=True)
    return (
        f'<figure><img alt="{alternative}" src="data:image/png;base64,{data}">'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text."""
    lines = ["<table>", "<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def page(title: str, sections: Sequence[str]) -> str:
    """Put sections into one HTML document."""
    body = "\n".join(sections)
    name = html.escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body>\n<h1>{name}</h1>\n{body}\n</body>\n</html>\n"
    )
