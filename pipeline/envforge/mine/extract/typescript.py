"""TypeScript declaration files: client packages ship the record shapes that API descriptions leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.outcome import Failed, Outcome, Produced
from envforge.core.records.extraction import ApiOperation, Extraction, Shape, TypeExpr
from envforge.core.records.source import Source
from envforge.mine.extract.discriminators import with_discriminators
from envforge.mine.extract.parse import decode
from envforge.mine.extract.typescript_operations import read_operations
from envforge.mine.extract.typescript_symbols import Module, Package, parse_module
from envforge.mine.extract.typescript_syntax import is_data
from envforge.mine.extract.typescript_types import TypeReader

_PATH = re.compile(r"\.(d\.)?[cm]?ts$")
_CONTENT = re.compile(
    rb"^\s*(export\b|import\s|declare\b|interface\s+\w|type\s+\w+\s*[=<]|///\s*<reference)", re.MULTILINE
)


class TypeScriptExtractor:
    """Reads types and declared operations; the files of one package are read together."""

    name = "typescript"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for a .ts or .d.ts file (or TypeScript MIME) that declares, imports or exports something."""
        claimed = bool(_PATH.search(source.path)) or "typescript" in source.mime
        return claimed and bool(_CONTENT.search(head))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read one file by itself. Raises ExtractError when it is not text in UTF-8."""
        return _read_together([(fetched, decode(fetched))])[0]

    def extract_package(self, files: Sequence[Fetched]) -> list[Outcome[Extraction]]:
        """One outcome per file, in the given order; a name in one file may be declared in another.

        Shape names are unique over all of them, so their shapes can be put into one dictionary.
        A file that is not text in UTF-8 is Failed; the others are read without it.
        """
        outcomes: dict[int, Outcome[Extraction]] = {}
        readable: dict[int, tuple[Fetched, str]] = {}
        for index, file in enumerate(files):
            try:
                readable[index] = (file, decode(file))
            except ExtractError as error:
                outcomes[index] = Failed.from_error(error)
        try:
            for index, extraction in zip(readable, _read_together(list(readable.values())), strict=True):
                outcomes[index] = Produced(extraction)
        except ExtractError as error:
            outcomes.update(dict.fromkeys(readable, Failed.from_error(error)))
        return [outcomes[index] for index in range(len(files))]


def _read_together(files: Sequence[tuple[Fetched, str]]) -> list[Extraction]:
    modules = [parse_module(file.source.path, source) for file, source in files]
    reader = TypeReader(Package(modules))
    try:
        shapes = [_shapes(module, reader) for module in modules]
        operations = [
            read_operations(module, reader, file.source.id) for module, (file, _) in zip(modules, files, strict=True)
        ]
        _add_members(modules, shapes, reader)
    except RecursionError as error:
        raise ExtractError(
            "types refer to each other too deeply to be read",
            where=files[0][0].source.path,
            remedy="leave the package's largest files out with the anchor's `include`",
        ) from error
    named = {name: shape.type for found in shapes for name, shape in found.items()}
    return [
        Extraction(
            source_id=file.source.id,
            extractor=TypeScriptExtractor.name,
            operations=tuple(_discriminated(operation, named) for operation in operations[index]),
            shapes={
                name: shape.model_copy(update={"type": with_discriminators(shape.type, named)})
                for name, shape in shapes[index].items()
            },
            issues=(*modules[index].issues, *reader.issues[modules[index].path]),
        )
        for index, (file, _) in enumerate(files)
    ]


def _shapes(module: Module, reader: TypeReader) -> dict[str, Shape]:
    """Data types of one file. A type that equals one of another file is listed where it is first declared."""
    shapes: dict[str, Shape] = {}
    for declaration in module.declared.values():
        name = reader.package.shape_names[(module.path, declaration.name)]
        if not reader.is_home(name, declaration):
            continue
        expr = reader.acyclic(declaration)
        if is_data(declaration):
            shapes[name] = Shape(name=name, type=expr, locator=declaration.locator, description=declaration.doc.text)
    return shapes


def _add_members(modules: list[Module], shapes: list[dict[str, Shape]], reader: TypeReader) -> None:
    """Adds the parts that are named by their keys; a declaration that is only their folder is left out."""
    by_path = {module.path: found for module, found in zip(modules, shapes, strict=True)}
    while True:
        todo = [member for name, member in reader.members.items() if name not in by_path[member.owner.path]]
        if not todo:
            break
        for member in todo:
            expr = reader.member(member.name)
            by_path[member.owner.path][member.name] = Shape(
                name=member.name, type=expr, locator=member.locator, description=member.doc.text
            )
    for member in reader.members.values():
        if len(member.keys) > 1:
            folder = reader.package.shape_names[(member.owner.path, member.owner.name)]
            by_path[member.owner.path].pop(folder, None)


def _discriminated(operation: ApiOperation, named: dict[str, TypeExpr]) -> ApiOperation:
    parameters = tuple(
        parameter.model_copy(update={"type": with_discriminators(parameter.type, named)})
        for parameter in operation.parameters
    )
    body = with_discriminators(operation.body, named) if operation.body is not None else None
    return operation.model_copy(update={"parameters": parameters, "body": body})
