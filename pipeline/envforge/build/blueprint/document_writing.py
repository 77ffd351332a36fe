"""Tools that write documents, where a database keeps documents of its own in formats that are checked."""

from __future__ import annotations

from typing import Any

from envforge.build.adapters.document_formats import PLACED, SECTIONED
from envforge.build.blueprint import parts
from envforge.build.blueprint.documents import noun_of
from envforge.build.blueprint.drawing import Drawing
from envforge.core.records.blueprint import Adapter, Operation, Parameter, Return, Verb
from envforge.store.document_formats import MOST_CHARACTERS

_PATH = r"^[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*){0,3}[.](%s)$"
_LONGEST_PATH = 120
_STRING: dict[str, Any] = {"type": "string"}
_TEXT: dict[str, Any] = {"type": "string", "maxLength": MOST_CHARACTERS}


def formats_of(drawing: Drawing) -> tuple[str, ...]:
    """The formats in which the database keeps documents of its own."""
    return tuple(sorted({plan.format for plan in drawing.database.document_plans}))


def writing_tools(drawing: Drawing) -> list[Operation]:
    """The tools that write documents; which there are follows from the formats of the documents."""
    formats = formats_of(drawing)
    if not formats:
        return []
    draw = _Draw(noun_of(drawing), formats)
    found = [draw.creating(), draw.replacing(), draw.editing(), draw.deleting()]
    if set(formats) & {*SECTIONED}:
        found.append(draw.section())
    if set(formats) & {*PLACED}:
        found.append(draw.value())
    if "csv" in formats:
        found += [draw.appending(), draw.changing()]
    return found


class _Draw:
    """Draws the tools for documents that are called by one noun, in some formats."""

    def __init__(self, noun: str, formats: tuple[str, ...]) -> None:
        self._noun = noun
        self._formats = formats
        self._words = noun.replace("_", " ")
        endings = [f".{kind}" for kind in formats]
        self._endings = " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))
        self._valid = (
            f"The text must be valid in the format that the path ends in ({self._endings}), or nothing is changed. "
            "Data is kept in one plain form: JSON with two blanks per level, YAML in block style with texts quoted "
            "where they could be taken for something else, CSV with quotes only where they are needed."
        )

    def _tool(
        self,
        name: str,
        verb: Verb,
        adapter: str,
        told: tuple[str, str],
        parameters: tuple[Parameter, ...],
        **more: dict[str, Any],
    ) -> Operation:
        path = {"type": "string", "x-semantic": f"{self._noun}.path"}
        fields: dict[str, Any] = {"path": path, "characters": {"type": "integer"}, **more}
        step = Adapter(name="done", adapter=adapter, arguments={one.name: one.name for one in parameters})
        return Operation(
            name=name,
            verb=verb,
            entity=self._noun,
            summary=told[0],
            description=told[1],
            parameters=parameters,
            steps=(step, Return(value={field: f"done.{field}" for field in fields})),
            returns=parts.returns(**fields),
            origin="derived",
        )

    def _path(self) -> Parameter:
        about = f"The path of the {self._words}."
        return Parameter(name="path", json_schema=_STRING, description=about, semantic=f"{self._noun}.path")

    def _text(self, name: str, about: str, *, may_be_empty: bool = False) -> Parameter:
        schema = {**_TEXT, "minLength": 0} if may_be_empty else _TEXT  # texts are not empty where nothing is said of it
        return Parameter(name=name, json_schema=schema, description=about)

    def creating(self) -> Operation:
        """A whole new document."""
        schema = {"type": "string", "pattern": _PATH % "|".join(self._formats), "maxLength": _LONGEST_PATH}
        about = f"Where it is to stand, for example notes/plan.{self._formats[0]}; the ending says the format."
        return self._tool(
            f"create_{self._noun}",
            "create",
            "create_document",
            (f"Write a new {self._words}.", self._valid),
            (Parameter(name="path", json_schema=schema, description=about), self._text("text", "The whole text.")),
        )

    def replacing(self) -> Operation:
        """Another whole text."""
        return self._tool(
            f"replace_{self._noun}",
            "update",
            "replace_document",
            (f"Replace the whole text of a {self._words}.", self._valid),
            (self._path(), self._text("text", "The whole new text.")),
        )

    def editing(self) -> Operation:
        """One passage."""
        return self._tool(
            f"edit_{self._noun}",
            "update",
            "edit_document",
            (f"Replace one passage in the text of a {self._words}.", self._valid),
            (
                self._path(),
                self._text("old_text", "The passage exactly as it stands there; it may stand there once only."),
                self._text("new_text", "What is to stand in its place; an empty text takes it out.", may_be_empty=True),
            ),
        )

    def section(self) -> Operation:
        """What stands below a heading."""
        kinds = " or ".join(f".{kind}" for kind in SECTIONED if kind in self._formats)
        about = f"For {kinds}. What is below the heading goes, smaller headings too; the heading itself stays."
        return self._tool(
            f"replace_{self._noun}_section",
            "update",
            "replace_document_section",
            (f"Replace what stands below one heading of a {self._words}.", about),
            (
                self._path(),
                Parameter(name="section", json_schema=_STRING, description="The words of the heading."),
                self._text("text", "What is to stand below it, in the format of the document."),
            ),
        )

    def value(self) -> Operation:
        """One value in JSON or YAML."""
        kinds = " or ".join(f".{kind}" for kind in PLACED if kind in self._formats)
        about = f"For {kinds}. A key that its mapping does not have yet is added at its end."
        place = "The keys from the top with slashes between them, as in delivery/days; items of lists count from 0."
        value = {"type": ["string", "number", "boolean"]}
        return self._tool(
            f"set_{self._noun}_value",
            "update",
            "set_document_value",
            (f"Set one value in a {self._words}.", about),
            (
                self._path(),
                Parameter(name="place", json_schema=_STRING, description=place),
                Parameter(
                    name="value", json_schema=value, description="The new value: a text, a number, true or false."
                ),
            ),
        )

    def appending(self) -> Operation:
        """A row at the end of a table."""
        about = "For .csv. Every column must be given."
        row = {"type": "object", "additionalProperties": True}
        return self._tool(
            f"append_{self._noun}_row",
            "update",
            "append_document_row",
            (f"Add a row at the end of a {self._words} that is a table.", about),
            (self._path(), Parameter(name="row", json_schema=row, description="A value for each column, by its name.")),
        )

    def changing(self) -> Operation:
        """Fields of the rows that begin with a key."""
        changes = {"type": "object", "additionalProperties": True}
        return self._tool(
            f"change_{self._noun}_rows",
            "update",
            "change_document_rows",
            (f"Change fields in the rows of a {self._words} whose first field is a given one.", "For .csv."),
            (
                self._path(),
                Parameter(name="key", json_schema=_STRING, description="What stands in the first column of the row."),
                Parameter(name="changes", json_schema=changes, description="The new values by column; others stay."),
            ),
            rows={"type": "integer"},
        )

    def deleting(self) -> Operation:
        """A document less."""
        about = "It is gone for good; `characters` is how long it was."
        return self._tool(
            f"delete_{self._noun}", "delete", "delete_document", (f"Delete a {self._words}.", about), (self._path(),)
        )
