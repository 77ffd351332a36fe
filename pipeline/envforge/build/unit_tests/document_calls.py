"""Calls of the tools that write documents: for every format texts that are valid, and one per rule that it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from envforge.build.unit_tests.document_writing import WRITING
from envforge.build.unit_tests.documents import headings_of, held_documents
from envforge.build.unit_tests.uses import adapter_uses
from envforge.core.records.blueprint import Operation
from envforge.store.document_formats import MOST_CHARACTERS, read_data

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

VALID: Mapping[str, tuple[str, ...]] = {
    "csv": (
        'code,note,pieces\nA-1,"two, or three",4\nB-2,"said ""soon""",\nC-3,"two\nlines",0\n',
        "code,pieces\nA-1,\nB-2,",
        'code,pieces\n"A-1","4"\n',
        '"code",pieces\nA-1,4\nB-2,5',
    ),
    "html": (
        "<!doctype html>\n<html>\n<body>\n<h1>Notice</h1>\n<p>One &amp; two<br>&#8364; three</p>\n"
        '<p class="late">Later</p>\n</body>\n</html>\n',
        "<p>Only a line</p><hr>",
        "<ul><li>one</li><li>two</li></ul>\n\n",
        '<p id="a" class=" id=">b</p>',
    ),
    "json": (
        '{"pieces": [1, 2.5, null, "a ] b \\" c"], "open": true}',
        "[]",
        "[" * 20 + "]" * 20,
        '["\\u0000 \\\\ud800 \N{PARROT}"]',
    ),
    "md": ("# Notes\n\nShort.\n\n```\n# code\n```\n", "Only a line"),
    "sql": (
        "-- a note; with a semicolon\nINSERT INTO notes (code, said) VALUES ('A-1', 'it''s 5; (here'), (\"B\", 2.5);\n",
        "begin; update notes set said = 'x'; commit;",
        "DELETE FROM notes WHERE (code = 'A-1') AND ((pieces) < 3);",
        'UPDATE notes SET said = "x -- y"; -- it\'s "one',
    ),
    "tex": (
        "\\section{Notes}\n% 5% {of\n\\begin{tabular}{ll}\nA & B\\_1 \\\\\n\\end{tabular}\n\n"
        "{\\small one \\{ two} costs 5\\% of $x_1^{2}$.\n",
        "Only a line with \\& and \\# in it",
        "\\begin{tabular}{l}\n{a & b}\n\\end{tabular} $a_b$ $c$\n\\newcommand{\\inputs}{x}",
        "\\(a_b\\) and \\[c^2 {d}\\] {\\$} \\beginning $\\{e\\}$",
    ),
    "yaml": (
        "shelf: A-1\nlimits:\n    least: 2\n    most: -4.50\nnames:\n  - plain text\n  - 'it''s'\n"
        '  - "five: tea"\npages:\n- code: x\n  open: true\n-   code: "no"\n    open: null\nnone: []\n"two words": {}\n',
        "- one\n- 2\n\n- false",
        "a: " + "1" * 15,
        "deep:\n" + " " * 40 + "end: 1",
        "- code: A-1\n  parts:\n  - b: c",
        'a: "\\u001b \\\\ud800 \N{PARROT}"\n"' + "k" * 100 + '": 1',
    ),
}
"""Texts that hold all that a format knows; the others are short, or lie just inside a limit."""
INVALID: Mapping[str, tuple[str, ...]] = {
    "csv": (
        "code,\nA-1,4\n",
        "code,code\n1,2\n",
        "code,pieces\nA-1\n",
        "code,pieces\n,\n",
        'code,pieces\nA"1,2\n',
        'code,pieces\n"A-1"x,2\n',
        'code,pieces\n"A-1,2\n',
    ),
    "html": (
        "<p>a < b</p>",
        "<p>a & b</p>",
        "<p>one<b>two</p></b>",
        "<p>one",
        "</p>",
        "<script>x</script>",
        '<p onclick="x">y</p>',
        '<p>x</p class="a">',
        '<p id="a" class="b" id="c">x</p>',
    ),
    "json": (
        '{"a": 1, "a": 2}',
        "5",
        "[1, 2",
        "[NaN]",
        "[1e999]",
        "[" * 21 + "]" * 21,
        '{"a":' * 11 + "[" * 10 + "]" * 10 + "}" * 11,
        '["\\ud800"]',
        '["\\u007f"]',
    ),
    "md": ("# A\n```\ncode\n", "   \n", "a\x07b", "\ufeff# A", "a\x85b"),
    "sql": (
        "SELECT 1;",
        "DROP TABLE notes",
        "DROP TABLE notes; x;",
        "INSERT INTO notes VALUES (1;",
        "INSERT INTO notes VALUES 1);",
        "UPDATE notes SET said = 'x;",
        "UPDATE notes SET said = ?;",
        "-- nothing\n",
        "'DROP' notes;",
        "DROP TABLE\N{NO-BREAK SPACE}notes;",
    ),
    "tex": (
        "{open",
        "closed}",
        "\\begin{tabular}{l}\na\n",
        "a\n\\end{tabular}",
        "\\begin{center}{\\end{center}}",
        "a $x",
        "a_b",
        "a^b",
        "a & b",
        "a # b",
        "\\input{other}",
        "{$}$",
        "\\(a",
        "a\\]",
        "\\(a\\]",
        "\\begin{Verbatim}\na",
    ),
    "yaml": (
        "a: yes",
        "a: 2024-05-06",
        "a: {b: 1}",
        "a: [1]",
        "a: &x 1",
        "a: 1 # why",
        "# why\na: 1",
        "a: 1\n  b: 2",
        "a: 1\na: 2",
        "a:\nb: 1",
        "- 1\nb: 2",
        "a: 1\n- b",
        "a: 1\nword",
        "a: 'x",
        "a: 1.23456",
        "a: " + "1" * 16,
        "deep:\n" + " " * 41 + "end: 1",
        "- - 1",
        "a: 012",
        'a: "x"\t',
        'a: "\\ud83e\\udd9c"',
        'a: "\\u2028"',
        "true: 1",
        '"": 1',
        '"a\\nb": 1',
        "k" * 101 + ": 1",
    ),
}
NEW = "new/first"
_LONG = "x" * (MOST_CHARACTERS - 1)


def document_calls(reference: Reference, operation: Operation) -> Iterator[dict[str, Any]]:
    """Arguments for a tool that writes documents, those that succeed first; nothing for other tools."""
    named = {argument: parameter for parameter, (_, argument) in adapter_uses(operation).items()}
    adapters = {adapter for adapter, _ in adapter_uses(operation).values()}
    for adapter in sorted(adapters & WRITING.keys()):
        held = held_documents(reference, None)
        for call in _calls(adapter, held, reference.blueprint.document_formats):
            yield {named[argument]: value for argument, value in call.items()}


def _calls(adapter: str, held: Mapping[str, str], formats: Sequence[str]) -> Iterator[dict[str, Any]]:
    shortest = {kind: min(_of(held, kind), key=lambda path: len(held[path]), default="") for kind in formats}
    there = {kind: path for kind, path in shortest.items() if path}
    if adapter == "create_document":
        yield from _whole({kind: f"{NEW}.{kind}" for kind in formats}, 0)
        yield from ({"path": path, "text": "x"} for path in [*there.values()][:1])
    elif adapter == "replace_document":
        yield from _whole(there, 1)
        yield from ({"path": path, "text": held[path]} for path in [*there.values()][:2])
        yield {"path": f"{NEW}.md", "text": "x"}
    elif adapter == "edit_document":
        yield from _passages(there, held)
    elif adapter == "replace_document_section":
        yield from _sections(held)
    elif adapter == "set_document_value":
        yield from _values(there, held)
    elif adapter == "delete_document":
        yield from ({"path": path} for path in [*[*there.values()][:1], f"{NEW}.md"])
    else:
        yield from _rows(adapter, there, held)


def _of(held: Mapping[str, str], kind: str) -> list[str]:
    return [path for path in sorted(held) if path.endswith(f".{kind}")]


def _whole(paths: Mapping[str, str], turn: int) -> Iterator[dict[str, Any]]:
    """Whole texts; of those that break a rule every other one, the rest is for the other tool that takes such."""
    for kind, path in paths.items():
        yield from ({"path": path, "text": text} for text in VALID[kind])
    for kind, path in paths.items():
        yield from ({"path": path, "text": text} for text in INVALID[kind][turn::2])
    for path in [*paths.values()][:1]:
        yield from ({"path": path, "text": text} for text in (" \n ", "a\x0bb"))
    for kind in [kind for kind in ("json", "md", "csv") if kind in paths][:1]:
        yield {"path": paths[kind], "text": "[" + "1," * 1_300 + "1]" if kind == "json" else f"{_LONG}x"}


def _passages(there: Mapping[str, str], held: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for path in there.values():
        first = held[path].rstrip().split("\n")[-1]
        if held[path].count(first) == 1:
            yield {"path": path, "old_text": first, "new_text": first}
    for kind, path in there.items():
        rest = held[path].split("\n", 1)[1]
        if kind in ("csv", "md", "html", "tex", "sql") and held[path].count(rest) == 1:
            yield {"path": path, "old_text": rest, "new_text": ""}
            yield {"path": path, "old_text": rest, "new_text": f'{{"<$ {_LONG[:9]}'}
            yield {"path": path, "old_text": rest, "new_text": _LONG}
    for path in [*there.values()][:2]:
        yield {"path": path, "old_text": "e", "new_text": "a"}
        yield {"path": path, "old_text": "no such passage", "new_text": "a"}
    yield {"path": f"{NEW}.md", "old_text": "e", "new_text": "a"}


def _sections(held: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for kind, text in (("html", "<p>Done.</p>"), ("tex", "Done."), ("md", "Done.")):
        for path in _of(held, kind)[:2]:
            headings = headings_of(held[path], marked=True)
            for one in [*headings[:2], *headings[-1:]]:
                yield {"path": path, "section": one.words.swapcase(), "text": f"\n{text}\n"}
            if headings:
                bad = {"html": "<p>", "tex": "a_b", "md": "```"}[kind]
                yield {"path": path, "section": headings[0].words, "text": bad}
                yield {"path": path, "section": headings[-1].words, "text": _LONG}
            yield {"path": path, "section": "No such section", "text": text}
    yield {"path": f"{NEW}.md", "section": "Notes", "text": "x"}


def _values(there: Mapping[str, str], held: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for kind in ("json", "yaml"):
        if kind not in there:
            continue
        path = there[kind]
        places = [*_places(read_data(path, held[path]), "")]
        leaves = [place for place, leaf in places if leaf]
        for place in [*leaves[:2], *leaves[-2:], *[place for place in leaves if place.count("/") > 1][:1]]:
            yield from ({"path": path, "place": place, "value": value} for value in ("checked: 5", 12.5, True))
        yield {"path": path, "place": "checked", "value": 3}
        yield {"path": path, "place": "checked/by", "value": "x"}
        yield from ({"path": path, "place": f"{leaf}/below", "value": "x"} for leaf in leaves[:1])
        yield from ({"path": path, "place": place, "value": "x"} for place, leaf in places[:4] if not leaf)
        lists = [place.rpartition("/")[0] for place in leaves if place.endswith("/0")]
        for place in [place for place in lists if place][:1]:
            yield from ({"path": path, "place": f"{place}/{key}", "value": "x"} for key in (99999, "first", "-1"))
        for leaf in leaves[:1]:
            values = ([1], {"a": 1}, 1e-9, 10**13, -1e13, _LONG)
            yield from ({"path": path, "place": leaf, "value": value} for value in values)
    for kind in [kind for kind in there if kind not in ("json", "yaml")][:1]:
        yield {"path": there[kind], "place": "checked", "value": "x"}
    yield {"path": f"{NEW}.json", "place": "checked", "value": "x"}


def _places(data: Any, above: str) -> Iterator[tuple[str, bool]]:
    """Every place, and whether one value stands there."""
    if not isinstance(data, dict | list):
        return
    pairs = cast("dict[str, Any]", data).items() if isinstance(data, dict) else enumerate(cast("list[Any]", data))
    for key, inner in pairs:
        if "/" not in str(key):
            yield f"{above}{key}", not isinstance(inner, dict | list)
            yield from _places(inner, f"{above}{key}/")


def _rows(adapter: str, there: Mapping[str, str], held: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    if "csv" not in there:
        return
    path = there["csv"]
    header, *rows = read_data(path, held[path])
    values: list[Any] = ['a "b", c', 5, 2.5, True]
    whole = {name: values[place % 4] for place, name in enumerate(header)}
    shorter = {name: whole[name] for name in header[1:]}
    word, key = ("row", {}) if adapter == "append_document_row" else ("changes", {"key": rows[-1][0]})
    keys = [key, {"key": rows[0][0]}] if key else [key]
    for one in keys:
        for told in (whole, dict(reversed(whole.items())), shorter, dict.fromkeys(header, "x")):
            yield {"path": path, **one, word: told}
    for told in ({**whole, "no such column": 1}, {**whole, header[0]: [1]}, {**whole, header[0]: None}):
        yield {"path": path, **key, word: told}
    yield {"path": path, **key, word: {**whole, header[0]: _LONG}}
    if key:
        yield {"path": path, "key": "no such row", word: whole}
        yield {"path": path, "key": header[0], word: whole}
    for kind in [kind for kind in there if kind != "csv"][:1]:
        yield {"path": there[kind], **key, word: whole}
    yield {"path": f"{NEW}.csv", **key, word: whole}
