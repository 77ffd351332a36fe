"""Tools for the documents that came with a database: list them, search them by words, read them piece by piece."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import Drawing
from envforge.core.records.blueprint import Adapter, Operation, Parameter, Return

MOST_SEARCHED = 24_000_000
"""Characters of all documents together that one search goes through; more are listed and read only."""
PIECE, LARGEST_PIECE, SMALLEST_PIECE = 4000, 8000, 200
_REFERRED = 0.5
_STRING: dict[str, Any] = {"type": "string"}


def document_tools(drawing: Drawing) -> list[Operation]:
    """The tools of a database's documents; none without documents, or where they only came along.

    Documents are part of a world that consists of what its sources say, and of one whose rows refer to them by path.
    Beside an interface they are its own manual: whoever works with the interface does not read it through tools.
    """
    held = drawing.database.documents
    if not held or not _belongs(drawing):
        return []
    noun = noun_of(drawing)
    about = _about(drawing, noun)
    found = [_listing(noun, about), _reading(noun, about)]
    if sum(map(len, held.values())) <= MOST_SEARCHED:
        found.insert(1, _searching(noun, about))
    return found


def _belongs(drawing: Drawing) -> bool:
    database = drawing.database
    if database.document_plans:
        return True
    if database.domain.operations:
        return False
    return not database.operations or _referred(drawing)


def _referred(drawing: Drawing) -> bool:
    """True if a column holds paths of documents: at least half of its values."""
    held = drawing.database.documents
    for table in drawing.database.domain.tables:
        rows = drawing.database.rows.get(table.name, [])
        for column in table.columns if rows else ():
            values = [row.get(column.name) for row in rows]
            if sum(isinstance(value, str) and value in held for value in values) >= _REFERRED * len(values):
                return True
    return False


def noun_of(drawing: Drawing) -> str:
    """`document`, unless a table calls its rows so."""
    taken = {name for table in drawing.database.domain.tables for name in (table.name, table.entity)}
    return "document" if not taken & {"document", "documents"} else "source_document"


def _about(drawing: Drawing, noun: str) -> str:
    """What the documents are: how many, of which kinds, whose."""
    held = drawing.database.documents
    kinds = Counter(path.rpartition(".")[2].lower() if "." in path else "text" for path in held)
    named = ", ".join(kind for kind, _ in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))[:3])
    owner = drawing.database.domain.title or drawing.database.domain.theme
    count = f"{len(held)} {noun.replace('_', ' ')}s" if len(held) > 1 else f"one {noun.replace('_', ' ')}"
    whose = f"that belong to {owner}" if drawing.database.document_plans else f"that the sources of {owner} publish"
    return f"There {'are' if len(held) > 1 else 'is'} {count} ({named}) {whose}."


def _prefix(noun: str) -> Parameter:
    return Parameter(
        name="prefix",
        json_schema=_STRING,
        required=False,
        description=f"Only {noun.replace('_', ' ')}s whose path begins with this.",
    )


def _operation(
    noun: str,
    name: str,
    verb: Literal["list", "search", "get"],
    told: tuple[str, str],
    parameters: tuple[Parameter, ...],
    value: dict[str, str],
    returns: dict[str, Any],
) -> Operation:
    """One tool: the adapter of its kind, and what it returns."""
    adapter = {"list": "list_documents", "search": "search_documents", "get": "read_document"}[verb]
    step = Adapter(name="found", adapter=adapter, arguments={one.name: one.name for one in parameters})
    return Operation(
        name=name,
        verb=verb,
        entity=noun,
        summary=told[0],
        description=told[1],
        parameters=parameters,
        steps=(step, Return(value=value)),
        returns=returns,
        origin="derived",
    )


_PAGE = {"next_cursor": "found.next_cursor", "has_more": "found.has_more"}


def _path(noun: str) -> dict[str, Any]:
    return {"type": "string", "x-semantic": f"{noun}.path"}


def _listing(noun: str, about: str) -> Operation:
    fields = {"path": _path(noun), "title": _STRING, "characters": {"type": "integer"}}
    shown = ", ".join(f'"{name}": one.{name}' for name in fields)
    return _operation(
        noun,
        f"list_{noun}s",
        "list",
        (f"List the {noun.replace('_', ' ')}s with their titles and lengths, by path.", about),
        (_prefix(noun), *parts.page_parameters(parts.page_of(None))),
        {"items": f"[{{{shown}}} for one in found.items]", **_PAGE},
        parts.page_returns(parts.returns(**fields)),
    )


def _searching(noun: str, about: str) -> Operation:
    integer: dict[str, Any] = {"type": "integer"}
    fields = {"path": _path(noun), "title": _STRING, "matches": integer, "passage": _STRING, "offset": integer}
    shown = ", ".join(f'"{name}": one.{name}' for name in fields)
    words = noun.replace("_", " ")
    query = Parameter(
        name="query",
        json_schema={"type": "string", "minLength": 1, "maxLength": 200},
        description=f"Words that the {words} must hold, all of them, in any order; capitals do not matter.",
    )
    order = (
        "Those with all words in the title come first, then those in which the words occur most often. `passage` is "
        f"the text around the first place, `offset` where to go on with read_{noun}. "
    )
    return _operation(
        noun,
        f"search_{noun}s",
        "search",
        (f"Search the text of the {words}s by words.", order + about),
        (query, _prefix(noun), *parts.page_parameters(parts.page_of(None))),
        {"items": f"[{{{shown}}} for one in found.items]", **_PAGE},
        parts.page_returns(parts.returns(**fields)),
    )


def _reading(noun: str, about: str) -> Operation:
    words = noun.replace("_", " ")
    size = {"type": "integer", "minimum": SMALLEST_PIECE, "maximum": LARGEST_PIECE}
    parameters = (
        Parameter(name="path", json_schema=_STRING, description=f"The path of the {words}.", semantic=f"{noun}.path"),
        Parameter(
            name="section",
            json_schema=_STRING,
            required=False,
            description="The heading of a section, to read only that one with what is below it.",
        ),
        Parameter(
            name="offset",
            json_schema={"type": "integer", "minimum": 0},
            required=False,
            default=0,
            description="Where to begin, counted in characters from the start of the text or of the section.",
        ),
        Parameter(
            name="max_characters",
            json_schema=size,
            required=False,
            default=PIECE,
            description=f"How much to read at once, at most {LARGEST_PIECE} characters.",
        ),
    )
    fields: dict[str, Any] = {
        "title": _STRING,
        "text": _STRING,
        "next_offset": {"type": ["integer", "null"]},
        "characters": {"type": "integer"},
        "sections": {"type": "array", "items": _STRING},
    }
    paging = "`next_offset` is where the next piece begins, null at the end; `sections` names the headings. "
    return _operation(
        noun,
        f"read_{noun}",
        "get",
        (f"Read the text of a {words} or of one of its sections, piece by piece.", paging + about),
        parameters,
        {name: f"found.{name}" for name in fields},
        parts.returns(**fields),
    )
