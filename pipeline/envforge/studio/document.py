"""A page that needs nothing but itself: no script, no request, everything that came from elsewhere escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { --ink: #1d2433; --soft: #5b6478; --line: #d9dee8; --ground: #ffffff; --panel: #f6f8fb;
  --one: #2a6fb0; --two: #c2571a; --three: #3a8a5f; --four: #8a4fa3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9f0; --soft: #9aa4b8; --line: #333c4d; --ground: #151a23;
  --panel: #1d2430; --one: #6cb0f0; --two: #f0a06c; --three: #74cc9c; --four: #c79be0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1.25rem 4rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); } .warn { color: var(--two); }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem;
  min-width: 9rem; }
.card b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
  gap: 1.25rem; align-items: start; }
figure { margin: 0; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .75rem; }
figcaption { font-weight: 600; margin-bottom: .4rem; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 12px; }
svg .soft { fill: var(--soft); } svg .axis { stroke: var(--line); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } td.n, th.n { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; } summary { cursor: pointer; font-weight: 600; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .85em; overflow-wrap: anywhere; }
""".strip()


def page(title: str, body: str) -> str:
    """A whole document. `body` is trusted: what is not ours in it was escaped where it was put in."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Sequence[int] = ()) -> str:
    """A table; every cell is escaped. `numbers`: places of columns that are set to the right."""
    head = "".join(f"<th{_class(place, numbers)}>{escape(name)}</th>" for place, name in enumerate(columns))
    lines = "".join(
        f"<tr>{''.join(_cell(place, cell, numbers) for place, cell in enumerate(row))}</tr>\n" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{lines}</tbody></table></div>'


def _cell(place: int, cell: Any, numbers: Sequence[int]) -> str:
    return f"<td{_class(place, numbers)}>{escape(str(cell))}</td>"


def _class(place: int, numbers: Sequence[int]) -> str:
    return ' class="n"' if place in numbers else ""
