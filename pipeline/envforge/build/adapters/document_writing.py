"""Tools that write documents: whole ones, a passage, a section, a value at its place, a row of a table.

Every one of them ends in `_kept_document`: what would not be valid in the format of its path is refused.
"""

from __future__ import annotations

from envforge.build.adapters.document_formats import PLACED, format_functions
from envforge.build.adapters.documents import FOLDED, heading_functions
from envforge.build.adapters.spec import AdapterSpec
from envforge.core.records.blueprint import Blueprint
from envforge.store.document_formats import MOST_CHARACTERS
from envforge.world.engine.guard import DOCUMENTS_TABLE

LARGEST_NUMBER = 10**12

_HELD = '''
def _held_document(world: World, path: str) -> str:
    """The text of a document that is there."""
    if path not in world.documents(path):
        raise ToolError(
            "not_found",
            f"There is no document {path!r:.120}.",
            "Copy a path from the list or a search of the documents.",
        )
    return world.document(path)
'''

_WRITTEN = '''
def _written_document(world: World, path: str, text: str) -> dict:
    """Keeps a text under a path, if it is valid there."""
    kept = _kept_document(path, text)
    world.put_document(path, kept)
    return {"path": path, "characters": len(kept)}
'''

_CREATE = '''
def _create_document(world: World, path: str, text: str) -> dict:
    """A new document."""
    if path in world.documents(path):
        raise ToolError("conflict", f"There is a document {path} already.", "Replace it, or take another path.")
    return _written_document(world, path, text)
'''

_REPLACE = '''
def _replace_document(world: World, path: str, text: str) -> dict:
    """Another text for a document."""
    _held_document(world, path)
    return _written_document(world, path, text)
'''

_EDIT = '''
def _edit_document(world: World, path: str, old_text: str, new_text: str) -> dict:
    """A document with one passage replaced."""
    held = _held_document(world, path)
    count = held.count(old_text)
    if count == 0:
        raise ToolError("not_found", f"{path} does not hold that passage.", "Copy it from the text, blanks included.")
    if count > 1:
        hint = "Copy more of the text around it."
        raise ToolError("invalid_argument", f"{path} holds that passage {count} times.", hint)
    return _written_document(world, path, held.replace(old_text, new_text))
'''

_SECTION_END = """
_SECTION_END = re.compile(r"^(?:</(?:section|main|body)>|\\\\end[{]document[}])", re.MULTILINE)
"""

_SECTION = '''
def _replace_document_section(world: World, path: str, section: str, text: str) -> dict:
    """A document with another text below one of its headings."""
    held = _held_document(world, path)
    headings = _document_headings(held)
    named = [n for n, one in enumerate(headings) if _folded(one["section"]) == _folded(section.strip())]
    if not named:
        raise ToolError(
            "not_found",
            f"{path} has no section {section!r:.80}.",
            "Read the document: the result names its sections.",
        )
    begin, level = headings[named[0]]["place"], headings[named[0]]["level"]
    last = next((one["place"] for one in headings[named[0] + 1 :] if one["level"] <= level), len(held))
    closing = _SECTION_END.search(held, begin)
    if closing is not None:
        last = min(last, closing.start())
    heading = held[begin:last].split("\\n")[0]
    return _written_document(world, path, f"{held[:begin]}{heading}\\n\\n{text.strip()}\\n\\n{held[last:]}")
'''

_CHILD = '''
def _document_child(holder: object, key: str, place: str) -> object:
    """What stands under a key of a mapping, or at a number of a list."""
    if isinstance(holder, dict) and key in holder:
        return holder[key]
    if isinstance(holder, list) and re.fullmatch("[0-9]{1,5}", key) and int(key) < len(holder):
        return holder[int(key)]
    raise ToolError(
        "not_found",
        f"There is nothing at {place!r:.120}: {key!r:.60} leads nowhere.",
        "Give the keys from the top, with slashes between them; items of lists count from 0.",
    )
'''

_SET = '''
def _set_document_value(world: World, path: str, place: str, value: object) -> dict:
    """A document with one value changed, or added to a mapping."""
    held = _held_document(world, path)
    if not isinstance(value, str | int | float):
        raise _invalid("value", "text, a number, true or false", value)
    if isinstance(value, str):
        _check_text("value", value)
    elif not abs(value) <= @LARGEST@:
        raise _invalid("value", "a number up to @LARGEST@", value)
    data = _document_data(path, held)
    *above, last = place.split("/")
    holder = data
    for key in above:
        holder = _document_child(holder, key, place)
    before = holder.get(last) if isinstance(holder, dict) else _document_child(holder, last, place)
    if isinstance(before, dict | list):
        raise ToolError("invalid_argument", f"{place} holds more than one value.", "Go on to the place of one of them.")
    holder[last if isinstance(holder, dict) else int(last)] = value
    return _written_document(world, path, _document_text(path, data))
'''.replace("@LARGEST@", str(LARGEST_NUMBER))

_ROWS = '''
def _document_rows(world: World, path: str) -> list[list[str]]:
    """The rows of a table that is kept as CSV, its header first."""
    held = _held_document(world, path)
    if not path.endswith(".csv"):
        raise ToolError("invalid_argument", f"{path} has no rows.", "Give the path of a .csv document.")
    return _csv_data(held)
'''

_FIELDS = '''
def _document_fields(header: list[str], values: dict) -> dict[str, str]:
    """Values by column as they are written; refuses other columns, and what is no plain value."""
    for name, value in values.items():
        if name not in header:
            raise ToolError("invalid_argument", f"There is no column {name!r:.60}.", f"There are {', '.join(header)}.")
        if not isinstance(value, str | int | float):
            raise _invalid(f"the value of {name}", "text, a number, true or false", value)
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
'''

_APPEND = '''
def _append_document_row(world: World, path: str, row: dict) -> dict:
    """A table with one more row at its end."""
    rows = _document_rows(world, path)
    fields = _document_fields(rows[0], row)
    if len(fields) < len(rows[0]):
        lacking = ", ".join(name for name in rows[0] if name not in fields)
        raise ToolError("invalid_argument", f"The row lacks {lacking}.", "Give a value for every column.")
    rows.append([fields[name] for name in rows[0]])
    return _written_document(world, path, _csv_text(rows))
'''

_CHANGE = '''
def _change_document_rows(world: World, path: str, key: str, changes: dict) -> dict:
    """A table with some fields changed in the rows whose first field is the key."""
    rows = _document_rows(world, path)
    fields = _document_fields(rows[0], changes)
    fitting = [row for row in rows[1:] if row[0] == key]
    if not fitting:
        raise ToolError("not_found", f"{path} has no row {key!r:.80}.", f"It looks for it in {rows[0][0]}.")
    for row in fitting:
        row[:] = [fields.get(name, value) for name, value in zip(rows[0], row, strict=True)]
    return {**_written_document(world, path, _csv_text(rows)), "rows": len(fitting)}
'''

_DELETE = '''
def _delete_document(world: World, path: str) -> dict:
    """A document goes."""
    held = _held_document(world, path)
    world.delete_document(path)
    return {"path": path, "characters": len(held)}
'''


_AS_TEXT = {"json": "_json_text(data)", "yaml": '"\\n".join(_yaml_rows(data, 0))'}
"""How data becomes a text that is still to be checked."""


def _data_functions(blueprint: Blueprint) -> dict[str, str]:
    """Text to data and back, for the formats whose values have a place."""
    *others, last = kinds = [kind for kind in PLACED if kind in blueprint.document_formats]
    reads = "".join(f'    if path.endswith(".{kind}"):\n        return _{kind}_data(text)\n' for kind in kinds)
    writes = "".join(f'{_AS_TEXT[kind]} if path.endswith(".{kind}") else ' for kind in others) + _AS_TEXT[last]
    endings = " or ".join(f".{kind}" for kind in kinds)
    return {
        "_document_data": f'''def _document_data(path: str, text: str) -> dict | list:
    """What a document says whose values have a place."""
{reads}    raise ToolError("invalid_argument", f"{{path}} has no values at places.", "Give a document in {endings}.")
''',
        "_document_text": f'''def _document_text(path: str, data: dict | list) -> str:
    """Data as text, before it is checked."""
    return {writes}
''',
    }


def _functions(*names: str):
    sources = {
        "_create_document": _CREATE,
        "_replace_document": _REPLACE,
        "_edit_document": _EDIT,
        "_SECTION_END": _SECTION_END,
        "_replace_document_section": _SECTION,
        "_document_child": _CHILD,
        "_set_document_value": _SET,
        "_document_rows": _ROWS,
        "_document_fields": _FIELDS,
        "_append_document_row": _APPEND,
        "_change_document_rows": _CHANGE,
        "_delete_document": _DELETE,
        "_held_document": _HELD,
        "_written_document": _WRITTEN,
    }

    def functions(blueprint: Blueprint) -> dict[str, str]:
        found: dict[str, str] = {}
        if "_written_document" in names:
            found |= format_functions(blueprint.document_formats)
        if "_replace_document_section" in names:
            found |= {**heading_functions(blueprint), "_folded": FOLDED.lstrip("\n")}
        if "_set_document_value" in names:
            found |= _data_functions(blueprint)
        return {**found, **{name: sources[name].lstrip("\n") for name in names}}

    return functions


def _documents(_: Blueprint) -> tuple[str, ...]:
    return (DOCUMENTS_TABLE,)


_MISSING = ("not_found", "no document has the path")
_INVALID = ("invalid_argument", "the text would not be valid in the format of the document")
_LARGE = ("limit_exceeded", f"the document would have more than {MOST_CHARACTERS} characters")


def _spec(name: str, *helpers: str, errors: tuple[tuple[str, str], ...]) -> AdapterSpec:
    call = f"_{name}"
    return AdapterSpec(name, call, _functions(*helpers, call), writes=_documents, errors=errors)


_KEEPS = ("_held_document", "_written_document")
WRITERS: tuple[AdapterSpec, ...] = (
    _spec(
        "create_document",
        "_written_document",
        errors=(("conflict", "there is a document with that path"), _INVALID, _LARGE),
    ),
    _spec("replace_document", *_KEEPS, errors=(_MISSING, _INVALID, _LARGE)),
    _spec(
        "edit_document",
        *_KEEPS,
        errors=(
            ("not_found", "no document has the path, or it does not hold the passage"),
            ("invalid_argument", "the document holds the passage more than once"),
            _INVALID,
            _LARGE,
        ),
    ),
    _spec(
        "replace_document_section",
        *_KEEPS,
        "_SECTION_END",
        errors=(("not_found", "no document has the path, or it has no such section"), _INVALID, _LARGE),
    ),
    _spec(
        "set_document_value",
        *_KEEPS,
        "_document_child",
        errors=(
            ("not_found", "no document has the path, or nothing stands at the place"),
            ("invalid_argument", "a list or mapping stands at the place"),
            ("invalid_argument", "the format has no places, or the value cannot stand in it"),
            _LARGE,
        ),
    ),
    _spec(
        "append_document_row",
        *_KEEPS,
        "_document_rows",
        "_document_fields",
        errors=(_MISSING, ("invalid_argument", "the document has no rows, or the row has not its columns"), _LARGE),
    ),
    _spec(
        "change_document_rows",
        *_KEEPS,
        "_document_rows",
        "_document_fields",
        errors=(
            ("not_found", "no document has the path, or it has no such row"),
            ("invalid_argument", "the document has no rows, or no such column"),
            _LARGE,
        ),
    ),
    _spec("delete_document", "_held_document", errors=(_MISSING,)),
)
