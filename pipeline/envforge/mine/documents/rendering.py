"""The text of a document: a plan filled with the rows of one path, in the plain form of its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from envforge.core.errors import BuildError
from envforge.core.records.document import DocumentPart, DocumentPlan
from envforge.store.document_formats import MOST_CHARACTERS, FormatError, kept_text, plain_text

Row = Mapping[str, Any]
_SLOT = re.compile(r"\{(\w+)\}")
_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPED = "&%$#_{}"


def document_text(plan: DocumentPlan, path: str, rows: Sequence[Row]) -> str:
    """The text of one document. Raises BuildError where it would not be valid, or too long."""
    try:
        text = kept_text(path, _text(plan, rows))
    except FormatError as error:
        raise BuildError(
            f"the document would not be valid: {error}", where=path, remedy=f"look at the plan {plan.name}"
        ) from error
    if len(text) > MOST_CHARACTERS:
        remedy = f"let the rows of {plan.name} be fewer, or spread them over more paths"
        raise BuildError(f"has {len(text)} characters, more than {MOST_CHARACTERS}", where=path, remedy=remedy)
    return text


def _text(plan: DocumentPlan, rows: Sequence[Row]) -> str:
    if plan.format == "csv":
        table = [[*plan.columns], *[[_shown(row[name]) for name in plan.columns.values()] for row in rows]]
        return plain_text("csv", table)
    if plan.format in ("json", "yaml"):
        return plain_text(plan.format, _tree(plan.content, rows))
    return _FRAMES[plan.format]("\n\n".join(_PARTS[plan.format](part, rows) for part in plan.parts), rows)


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


def _tree(content: Any, rows: Sequence[Row]) -> Any:
    if isinstance(content, str):
        whole = _SLOT.fullmatch(content)
        return rows[0][whole[1]] if whole else _filled(content, rows[0], _shown)
    if isinstance(content, list):
        return [_tree(item, rows) for item in cast("list[Any]", content)]
    if not isinstance(content, dict):
        return content
    tree = cast("dict[str, Any]", content)
    if "each" not in tree:
        return {key: _tree(inner, rows) for key, inner in tree.items()}
    if "by" not in tree:
        return [_tree(tree["each"], [row]) for row in rows]
    keys = [_filled(tree["by"], row, _shown) for row in rows]
    if len({*keys}) < len(keys):
        raise FormatError("two rows have one key")
    return {key: _tree(tree["each"], [row]) for key, row in zip(keys, rows, strict=True)}


def _filled(text: str, row: Row, written: Callable[[Any], str]) -> str:
    return _SLOT.sub(lambda found: written(row[found[1]]), text)


def _html(part: DocumentPart, rows: Sequence[Row]) -> str:
    def written(value: Any) -> str:
        text = _shown(value)
        for sign, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
            text = text.replace(sign, f"&{name};")
        return text

    if part.heading:
        return f"<h{part.level}>{_filled(part.heading, rows[0], written)}</h{part.level}>"
    if part.text:
        return f"<p>{_filled(part.text, rows[0], written)}</p>"
    if part.list:
        return "\n".join(["<ul>", *(f"<li>{_filled(part.list, row, written)}</li>" for row in rows), "</ul>"])
    lines = ["".join(f"<th>{written(title)}</th>" for title in part.table)]
    lines += ["".join(f"<td>{written(row[name])}</td>" for name in part.table.values()) for row in rows]
    return "\n".join(["<table>", *(f"<tr>{line}</tr>" for line in lines), "</table>"])


def _md(part: DocumentPart, rows: Sequence[Row]) -> str:
    def written(value: Any) -> str:
        return " ".join(_shown(value).replace("|", "/").replace("`", "'").split())

    if part.heading:
        return f"{'#' * part.level} {_filled(part.heading, rows[0], written)}"
    if part.text:
        return _filled(part.text, rows[0], written)
    if part.list:
        return "\n".join(f"- {_filled(part.list, row, written)}" for row in rows)
    lines = [[*part.table], ["---"] * len(part.table)]
    lines += [[written(row[name]) for name in part.table.values()] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _tex(part: DocumentPart, rows: Sequence[Row]) -> str:
    def written(value: Any) -> str:
        return "".join(f"\\{sign}" if sign in _ESCAPED else _TEX.get(sign, sign) for sign in _shown(value))

    if part.heading:
        return f"\\{'sub' * (part.level - 1)}section{{{_filled(part.heading, rows[0], written)}}}"
    if part.text:
        return _filled(part.text, rows[0], written)
    if part.list:
        items = (f"\\item {_filled(part.list, row, written)}" for row in rows)
        return "\n".join(["\\begin{itemize}", *items, "\\end{itemize}"])
    lines = [
        [written(title) for title in part.table],
        *[[written(row[n]) for n in part.table.values()] for row in rows],
    ]
    body = [f"{' & '.join(line)} \\\\" for line in lines]
    return "\n".join([f"\\begin{{tabular}}{{{'l' * len(part.table)}}}", *body, "\\end{tabular}"])


def _sql(part: DocumentPart, rows: Sequence[Row]) -> str:
    def written(value: Any) -> str:
        if value is None:
            return "NULL"
        return str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"

    if part.text:
        return f"-- {' '.join(_filled(part.text, rows[0], _shown).split())}"
    head = f"INSERT INTO {part.insert} ({', '.join(part.table)}) VALUES"
    return "\n".join(f"{head} ({', '.join(written(row[name]) for name in part.table.values())});" for row in rows)


def _html_frame(body: str, rows: Sequence[Row]) -> str:
    del rows
    return f"<!doctype html>\n<html>\n<body>\n{body}\n</body>\n</html>\n"


def _tex_frame(body: str, rows: Sequence[Row]) -> str:
    del rows
    return f"\\documentclass{{article}}\n\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"


def _plain_frame(body: str, rows: Sequence[Row]) -> str:
    del rows
    return body


_PARTS = {"html": _html, "md": _md, "tex": _tex, "sql": _sql}
_FRAMES = {"html": _html_frame, "md": _plain_frame, "tex": _tex_frame, "sql": _plain_frame}
