"""For mkdocs: blocks may carry a word for the tests, such as ```json game; a page should not show it."""

import re
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Keep only the language of a fence (Python-Markdown does not know words after it)."""
    return re.sub(r"^```(\w+) [a-z ]+$", r"```\1", markdown, flags=re.MULTILINE)
