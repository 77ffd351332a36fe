"""OpenAPI 2.0, 3.0 and 3.1 descriptions, and plain JSON Schema documents."""

from __future__ import annotations

import re

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Example, Extraction, Shape
from envforge.core.records.source import Source
from envforge.mine.extract.discriminators import with_discriminators
from envforge.mine.extract.openapi_operations import OperationReader
from envforge.mine.extract.openapi_types import SchemaReader
from envforge.mine.extract.parse import mapping, read_plain, text_of

_JSON_MARK = re.compile(rb'"(openapi|swagger)"\s*:\s*"[23]\.')
_YAML_MARK = re.compile(rb"^[\"']?(openapi|swagger)[\"']?\s*:\s*[\"']?[23]\.", re.MULTILINE)
_SCHEMA_MARK = re.compile(rb'"(\$defs|definitions|components)"\s*:\s*\{')
_LOCAL_REF = re.compile(rb'"\$ref"\s*:\s*"#/(components|definitions|\$defs)/')


class OpenApiExtractor:
    """Reads operations, named schemas and examples of an API description."""

    name = "openapi"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for JSON or YAML that says it is OpenAPI or Swagger, or that uses named local schemas."""
        del source
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
            if _JSON_MARK.search(head):
                return True
            # Keys may be sorted: `components` fills the head and `openapi` stands behind it.
            return bool(_SCHEMA_MARK.search(head[:4096]) and _LOCAL_REF.search(head))
        return bool(_YAML_MARK.search(head))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the description. Raises ExtractError naming file and line when it is broken."""
        where = fetched.source.path
        document = read_plain(fetched)
        if not isinstance(document, dict):
            raise ExtractError("an API description is an object", where=where, remedy="check the anchor's file")
        try:
            return _extract(SchemaReader(mapping(document)), fetched.source.id)
        except RecursionError as error:
            raise ExtractError(
                "schemas refer to each other too deeply to be read", where=where, remedy="simplify the references"
            ) from error


def _extract(reader: SchemaReader, source_id: str) -> Extraction:
    about = mapping(reader.document.get("info"))
    operations = OperationReader(reader, source_id)
    found = operations.operations()
    shapes = {
        name: Shape(name=name, type=expr, locator=pointer, description=expr.description)
        for name, pointer, expr in reader.named()
    }
    named = {name: shape.type for name, shape in shapes.items()}
    return Extraction(
        source_id=source_id,
        extractor=OpenApiExtractor.name,
        operations=tuple(
            operation.model_copy(
                update={
                    "parameters": tuple(
                        p.model_copy(update={"type": with_discriminators(p.type, named)}) for p in operation.parameters
                    ),
                    "body": with_discriminators(operation.body, named) if operation.body else None,
                    "success": with_discriminators(operation.success, named) if operation.success else None,
                }
            )
            for operation in found
        ),
        shapes={
            name: shape.model_copy(update={"type": with_discriminators(shape.type, named)})
            for name, shape in shapes.items()
        },
        examples=(*_schema_examples(shapes), *operations.examples),
        issues=tuple(reader.issues),
        title=text_of(about.get("title")),
        about=text_of(about.get("description")),
    )


def _schema_examples(shapes: dict[str, Shape]) -> list[Example]:
    return [
        Example(shape=name, value=shape.type.example, locator=f"{shape.locator}/example")
        for name, shape in shapes.items()
        if isinstance(shape.type.example, dict)
    ]
