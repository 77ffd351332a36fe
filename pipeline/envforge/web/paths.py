"""Which files of a package are wanted: globs, MIME types and what counts as data by default."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_MIME = {
    ".json": "application/json",
    ".geojson": "application/json",
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".sqlite": "application/vnd.sqlite3",
    ".sqlite3": "application/vnd.sqlite3",
    ".db": "application/vnd.sqlite3",
    ".d.ts": "application/typescript",
    ".d.mts": "application/typescript",
    ".d.cts": "application/typescript",
    ".ts": "application/typescript",
    ".html": "text/html; charset=utf-8",
    ".htm": "text/html; charset=utf-8",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown; charset=utf-8",
    ".markdown": "text/markdown; charset=utf-8",
    ".rst": "text/x-rst; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    ".sql": "application/sql",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    ".graphql": "application/graphql",
    ".graphqls": "application/graphql",
    ".gql": "application/graphql",
    ".tex": "application/x-tex",
    ".pdf": "application/pdf",
    ".zip": "application/zip",
    ".gz": "application/gzip",
}
_DATA = {
    *(".json", ".geojson", ".jsonl", ".ndjson", ".yaml", ".yml", ".csv", ".tsv", ".parquet"),
    *(".sqlite", ".sqlite3", ".db", ".d.ts", ".d.mts", ".d.cts"),
    *(".xlsx", ".xlsm", ".sql", ".graphql", ".graphqls", ".gql"),
}
_NOT_DATA = re.compile(
    r"(?:^|/)(?:package(?:-lock)?|npm-shrinkwrap|tsconfig[^/]*|jsconfig|composer|bower|\.[^/]*)\.(?:json|yaml|yml)$"
    r"|(?:^|/)(?:\.[^/]+|node_modules|__pycache__|[^/]*\.(?:dist|egg)-info|tests?|__tests__)/"
)
_PAGES = {".html", ".htm", ".xhtml", ".md", ".markdown", ".pdf"}
_README = re.compile(r"(?:^|/)README(?:\.(?:md|rst|txt|html))?$", re.IGNORECASE)


def extension(path: str) -> str:
    """The lower-case extension, `.d.ts` and its like in one piece."""
    name = path.rsplit("/", 1)[-1].lower()
    for ending in (".d.ts", ".d.mts", ".d.cts"):
        if name.endswith(ending):
            return ending
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def guess_mime(path: str) -> str:
    """The MIME type that a path's extension stands for; `application/octet-stream` when it says nothing."""
    return _MIME.get(extension(path), "application/octet-stream")


def is_data(path: str) -> bool:
    """True for files that are taken when an anchor has no `include`: data, declarations and the README."""
    if _NOT_DATA.search(path):
        return False
    inner = path[: -len(extension(path))] if extension(path) in (".zip", ".gz") else path
    return extension(inner) in _DATA or bool(_README.search(path))


def is_page(path: str) -> bool:
    """True for pages of documentation: taken from a folder that the user names, not from every package."""
    return extension(path) in _PAGES and not _NOT_DATA.search(path)


@lru_cache(maxsize=512)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """A glob as a pattern for `fullmatch`.

    `*` and `?` stop at a slash, `**` does not, `{a,b}` lists alternatives, `[...]` is a character class.
    """
    out: list[str] = []
    depth = place = 0
    while place < len(glob):
        sign = glob[place]
        if glob.startswith("**/", place):
            out.append("(?:[^/]+/)*")
            place += 3
            continue
        if glob.startswith("**", place):
            out.append(".*")
            place += 2
            continue
        close = glob.find("]", place + 2) if sign == "[" else -1
        if close > 0:
            inner = glob[place + 1 : close].replace("\\", "\\\\").replace("[", "\\[")
            out.append("[" + ("^" + inner[1:] if inner.startswith("!") else inner) + "]")
            place = close + 1
            continue
        if sign == "{" and "}" in glob[place:]:
            depth += 1
            out.append("(?:")
        elif sign == "}" and depth:
            depth -= 1
            out.append(")")
        elif sign == "," and depth:
            out.append("|")
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign)))
        place += 1
    return re.compile("".join(out), re.DOTALL)


def matches(path: str, include: Sequence[str]) -> bool:
    """True if one of the globs covers `path`; without globs, if the file is data-like."""
    if not include:
        return is_data(path)
    return any(glob_pattern(glob).fullmatch(path) for glob in include)


def unmatched(paths: Iterable[str], include: Sequence[str]) -> list[str]:
    """The globs that cover none of the paths."""
    held = list(paths)
    return [glob for glob in include if not any(glob_pattern(glob).fullmatch(path) for path in held)]


def near_paths(wanted: str, paths: Iterable[str], count: int = 3) -> list[str]:
    """Paths that look like `wanted`, for a message; the first data-like ones when nothing is near."""
    held = sorted(paths)
    by_name = [path for path in held if path.rsplit("/", 1)[-1] == wanted.rsplit("/", 1)[-1]]
    near = by_name or difflib.get_close_matches(wanted, held, n=count, cutoff=0.6)
    return (near or [path for path in held if is_data(path)] or held)[:count]
