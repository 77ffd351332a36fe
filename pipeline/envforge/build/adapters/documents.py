"""Documents of the World: a list of them, a search by words, and their text piece by piece."""

from __future__ import annotations

from envforge.build.adapters.spec import AdapterSpec
from envforge.core.records.blueprint import Blueprint

MOST_SECTIONS = 60
"""Headings that are named beside a piece of text."""
AROUND = (100, 200)
"""Characters of a passage before and after the place that was found."""

_HEADINGS = '''
def _document_headings(text: str) -> list[dict]:
    """Section, level and place of every heading; lines of code are none."""
    found, place, code = [], 0, False
    for line in text.split("\\n"):
        level = len(line) - len(line.lstrip("#"))
        if line.startswith("```"):
            code = not code
        elif not code and 1 <= level <= 6 and line[level : level + 1] == " ":
            found.append({"section": line[level:].strip(), "level": level, "place": place})
        place += len(line) + 1
    return [heading for heading in found if heading["section"]]
'''

_MARKED_HEADING = """
_MARKED_HEADING = re.compile(r"(#{1,6}) (.+)|<h([1-6])>(.+)</h[1-6]>|\\\\((?:sub){0,2})section[{](.+)[}]")
"""

_MARKED_HEADINGS = '''
def _document_headings(text: str) -> list[dict]:
    """Section, level and place of every heading (`#`, `<h2>`, TeX's sections); lines of code are none."""
    found, place, code = [], 0, False
    for line in text.split("\\n"):
        heading = _MARKED_HEADING.fullmatch(line)
        if line.startswith("```"):
            code = not code
        elif heading is not None and not code:
            level = len(heading[1] or "") or int(heading[3] or 0) or heading[5].count("sub") + 1
            words = heading[2] or heading[4] or heading[6]
            found.append({"section": words.strip(), "level": level, "place": place})
        place += len(line) + 1
    return [heading for heading in found if heading["section"]]
'''

_TITLE = '''
def _document_title(path: str, text: str) -> str:
    """The first heading of a document, or the name of its file."""
    headings = _document_headings(text)
    return headings[0]["section"] if headings else path.split("/")[-1]
'''

_LIST = '''
def _list_documents(world: World, prefix: str | None, start_cursor: str | None, page_size: int) -> dict:
    """A page of the documents, in the order of their paths."""
    offset = _offset_of(start_cursor)
    found = []
    for path in world.documents(prefix or "")[offset : offset + page_size + 1]:
        text = world.document(path)
        found.append({"path": path, "title": _document_title(path, text), "characters": len(text)})
    return _page(found, page_size, offset)
'''

FOLDED = '''
def _folded(text: str) -> str:
    """Text in small letters, every character in its place."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
'''

_PASSAGE = f'''
def _passage(text: str, place: int) -> dict:
    """The words around a place on one line, and where they begin."""
    first = max(place - {AROUND[0]}, 0)
    last = min(place + {AROUND[1]}, len(text))
    if first > 0 and " " in text[first:place]:
        first = text.index(" ", first) + 1
    return {{"passage": " ".join(text[first:last].split()), "offset": first}}
'''

_SEARCH = '''
def _search_documents(
    world: World, query: str, prefix: str | None, start_cursor: str | None, page_size: int
) -> dict:
    """A page of the documents that hold all words: those with the words in the title first, then by how often."""
    offset = _offset_of(start_cursor)
    words = list(dict.fromkeys(_folded(query).split()))
    found = []
    for path in world.documents(prefix or ""):
        text = world.document(path)
        small = _folded(text)
        counts = [small.count(word) for word in words]
        if min(counts) > 0:
            title = _document_title(path, text)
            titled = all(word in _folded(title) for word in words)
            place = small.find(" ".join(words))
            if place < 0:
                place = small.find(words[counts.index(min(counts))])
            found.append(
                {"path": path, "title": title, "matches": sum(counts), "titled": titled, **_passage(text, place)}
            )
    found.sort(key=lambda one: (not one["titled"], -one["matches"], one["path"]))
    return _page(found[offset : offset + page_size + 1], page_size, offset)
'''

_READ = f'''
def _read_document(world: World, path: str, section: str | None, offset: int, max_characters: int) -> dict:
    """A piece of a document or of one of its sections."""
    if path not in world.documents(path):
        raise ToolError(
            "not_found",
            f"There is no document {{path!r:.120}}.",
            "Copy a path from the list or a search of the documents.",
        )
    text = world.document(path)
    headings = _document_headings(text)
    first, last = 0, len(text)
    if section is not None:
        named = [n for n, one in enumerate(headings) if _folded(one["section"]) == _folded(section.strip())]
        if not named:
            raise ToolError(
                "not_found",
                f"{{path}} has no section {{section!r:.80}}.",
                "Without a section, the result names those that there are.",
            )
        first, level = headings[named[0]]["place"], headings[named[0]]["level"]
        last = next((one["place"] for one in headings[named[0] + 1 :] if one["level"] <= level), last)
    if offset > last - first:
        raise ToolError(
            "invalid_argument",
            f"offset {{offset}} is behind the end at {{last - first}}.",
            "Begin at 0 and go on at next_offset.",
        )
    start = first + offset
    stop = min(start + max_characters, last)
    return {{
        "title": _document_title(path, text),
        "text": text[start:stop],
        "next_offset": stop - first if stop < last else None,
        "characters": last - first,
        "sections": [one["section"] for one in headings[:{MOST_SECTIONS}]],
    }}
'''


def _texts(**sources: str) -> dict[str, str]:
    return {name: text.lstrip("\n") for name, text in sources.items()}


def heading_functions(blueprint: Blueprint) -> dict[str, str]:
    """What finds headings: those of Markdown, and where documents are written in them, of HTML and TeX."""
    if set(blueprint.document_formats) & {"html", "tex"}:
        return _texts(_MARKED_HEADING=_MARKED_HEADING, _document_headings=_MARKED_HEADINGS)
    return _texts(_document_headings=_HEADINGS)


def list_functions(blueprint: Blueprint) -> dict[str, str]:
    """The list, and what gives a document its title."""
    return {**heading_functions(blueprint), **_texts(_document_title=_TITLE, _list_documents=_LIST)}


def search_functions(blueprint: Blueprint) -> dict[str, str]:
    """The search, and the passage around what it finds."""
    return heading_functions(blueprint) | _texts(
        _document_title=_TITLE,
        _folded=FOLDED,
        _passage=_PASSAGE,
        _search_documents=_SEARCH,
    )


def read_functions(blueprint: Blueprint) -> dict[str, str]:
    """A piece of text, by place or by heading."""
    return heading_functions(blueprint) | _texts(_document_title=_TITLE, _folded=FOLDED, _read_document=_READ)


_CURSOR = ("invalid_argument", "the cursor is not one of this tool")
LIST_DOCUMENTS = AdapterSpec("list_documents", "_list_documents", list_functions, errors=(_CURSOR,))
SEARCH_DOCUMENTS = AdapterSpec("search_documents", "_search_documents", search_functions, errors=(_CURSOR,))
READ_DOCUMENT = AdapterSpec(
    "read_document",
    "_read_document",
    read_functions,
    errors=(
        ("not_found", "no document has the path, or it has no such section"),
        ("invalid_argument", "the offset is behind the end of the text"),
    ),
)
