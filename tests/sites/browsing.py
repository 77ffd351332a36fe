"""Pages that only a browser makes something of (browsed/): scripts, forms, frames, dialogs, and what tries to get out.

`hostile.html` and its worker `out.js` try the ways out of a browser; `links.html` has what a click can lead to.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "browsed"
_KINDS = {".html": "text/html; charset=utf-8", ".js": "text/javascript"}

LONG = "<title>Long</title><body>" + "".join(
    f'<p>Paragraph {n}, {"words " * 20}<a href="/p/{n}">more of {n}</a></p>' for n in range(1, 101)
)

BROWSED: dict[str, tuple[str, bytes]] = {
    **{f"/{path.name}": (_KINDS[path.suffix], path.read_bytes()) for path in sorted(_FOLDER.iterdir())},
    "/tides.pdf": ("application/pdf", b"%PDF-1.4\n%%EOF\n"),
    "/long.html": (_KINDS[".html"], LONG.encode()),
}
