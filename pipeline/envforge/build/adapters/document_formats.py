"""Formats of documents that tools write: strict readers and plain writers, embedded in tools.py.

A text is read whole before it is kept, and kept in one plain form, so that equal contents are equal texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from envforge.build.adapters.data_formats import CSV, JSON, YAML
from envforge.build.adapters.markup_formats import HTML, MD, SQL, TEX
from envforge.store.document_formats import MOST_CHARACTERS, UNWRITABLE

FORMATS = {"csv": CSV, "html": HTML, "json": JSON, "md": MD, "sql": SQL, "tex": TEX, "yaml": YAML}
DATA = ("csv", "json", "yaml")
"""Formats whose texts are read as data and written anew; the others keep their text as it is."""
PLACED = ("json", "yaml")
"""Formats whose values have a place."""
SECTIONED = ("html", "md", "tex")
"""Formats that have headings."""

_KEPT = f'''
def _kept_document(path: str, text: str) -> str:
    """The text as it is kept: valid in the format that its path names, in its plain form. Refuses anything else."""
    kind = path.rpartition(".")[2]
    try:
        if not text.strip():
            raise ValueError("it is empty")
        _check_signs(text)
@BRANCHES@
        _check_signs(text)
    except ValueError as fault:
        raise ToolError(
            "invalid_argument",
            f"{{path}} would be no valid {{kind}}: {{fault}}.",
            "Nothing is changed. Correct the text and send it again.",
        ) from None
    if len(text) > {MOST_CHARACTERS}:
        raise ToolError(
            "limit_exceeded",
            f"{{path}} would have {{len(text)}} characters, more than {MOST_CHARACTERS}.",
            "Shorten it, or put a part of it into another document.",
        )
    return text
'''
_SIGNS = f'''
def _check_signs(text: str) -> None:
    """Refuse control characters, a mark of byte order, and signs that end a line for some readers only."""
    found = re.search(r"{UNWRITABLE}", text)
    if found:
        raise ValueError(f"the sign {{found[0]!a}} may not stand in a document")
'''
_OTHERWISE = """
        else:
            raise ValueError("documents end in @KINDS@")
"""


def format_functions(formats: Sequence[str]) -> dict[str, str]:
    """The readers and writers of the formats, and `_kept_document` over them. Raises ValueError for no format."""
    if not formats:
        raise ValueError("there is no format to keep documents in")
    pieces = [piece.lstrip("\n") for kind in formats for piece in FORMATS[kind]]
    named = {piece.removeprefix("def ").split("(")[0].split(" ")[0]: piece for piece in pieces}
    lines: list[str] = []
    for number, kind in enumerate(formats):
        lines.append(f'        {"elif" if number else "if"} kind == "{kind}":')
        if kind in DATA:
            lines.append(f"            text = _{kind}_text(_{kind}_data(text))")
        else:
            lines += [f"            _{kind}_check(text)", '            text = text.rstrip() + "\\n"']
    otherwise = _OTHERWISE.replace("@KINDS@", ", ".join(f".{kind}" for kind in formats)).strip("\n")
    named["_check_signs"] = _SIGNS.lstrip("\n")
    return {**named, "_kept_document": _KEPT.lstrip("\n").replace("@BRANCHES@", "\n".join([*lines, otherwise]))}
