"""A page that is one file: nothing is fetched, nothing of strangers is markup or code."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from typing import Any

from envforge.store.files import read_text

_ASSETS = Path(__file__).parent / "assets"
_LONGEST = 20_000
"""Characters of one value that is shown: a page has to open."""


def page(title: str, body: str, *assets: str) -> str:
    """An HTML page with the style of `assets/page.css` and of `assets/NAME.css`, and the code of `assets/NAME.js`.

    `body` is markup; who makes it escapes what comes from records. The policy lets nothing in but this page's own style
    and code, by their hashes, and lets nothing out.
    """
    style = "".join(_asset(f"{name}.css") for name in ("page", *assets))
    script = "".join(_asset(f"{name}.js") for name in assets)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n{f'<script>{script}</script>' if script else ''}\n</body>\n</html>\n"
    )


def text(value: Any) -> str:
    """A value of a record as text of a page: escaped, and cut where it is endless."""
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # Half a character cannot be written, and what turns the direction of text would show another text.
    written = written.encode("utf-8", "replace").decode("utf-8").translate(_TURNING)
    if len(written) > _LONGEST:
        written = f"{written[:_LONGEST]} … ({len(written) - _LONGEST:,} more characters)"
    return escape(written)


def several(count: int, thing: str) -> str:
    """So many of something whose plural has an s: "1 task", "8 tasks"."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def laid_out(value: Any) -> str:
    """JSON over several lines, escaped."""
    return text(json.dumps(value, ensure_ascii=False, indent=2))


_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd")


def _asset(name: str) -> str:
    path = _ASSETS / name
    return read_text(path) if path.is_file() else ""


def _hash(code: str) -> str:
    digest = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'" if code else "'none'"
