"""Which names the declaration files of one package declare, import and export."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter
import tree_sitter_typescript

from envforge.core.records.extraction import Issue

MAX_SYNTAX_ISSUES = 20
_LANGUAGE = tree_sitter.Language(tree_sitter_typescript.language_typescript())
_DECLARATIONS = {
    "type_alias_declaration": "alias",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
}
_SUFFIX = re.compile(r"\.(d\.)?[cm]?tsx?$|\.[cm]?jsx?$")
_TAG = re.compile(r"^@(\w+)\s*(.*)$")


@dataclass(frozen=True)
class Doc:
    """What a JSDoc comment says."""

    text: str = ""
    deprecated: bool = False
    format: str | None = None


@dataclass(frozen=True)
class Declaration:
    """A named type (or constant) of one file; `name` is dotted inside namespaces."""

    path: str
    name: str
    kind: str
    nodes: tuple[tree_sitter.Node, ...]
    exported: bool
    doc: Doc
    parameters: tuple[str, ...] = ()

    @property
    def scope(self) -> str:
        """The namespace it stands in."""
        return self.name.rpartition(".")[0]

    @property
    def locator(self) -> str:
        """`path:line`."""
        return f"{self.path}:{self.nodes[0].start_point.row + 1}"


@dataclass
class Module:
    """One declaration file."""

    path: str
    declared: dict[str, Declaration] = field(default_factory=lambda: dict[str, Declaration]())
    constants: dict[str, Declaration] = field(default_factory=lambda: dict[str, Declaration]())
    imports: dict[str, tuple[str, str]] = field(default_factory=lambda: dict[str, tuple[str, str]]())
    """Local name -> (module, exported name; `*` for a namespace import)."""
    exports: dict[str, tuple[str, str]] = field(default_factory=lambda: dict[str, tuple[str, str]]())
    stars: list[str] = field(default_factory=lambda: list[str]())
    issues: list[Issue] = field(default_factory=lambda: list[Issue]())


def text(node: tree_sitter.Node | None) -> str:
    """The source text of a node."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def string_value(node: tree_sitter.Node) -> str:
    """The value of a string node, escapes resolved."""
    parts: list[str] = []
    for part in node.named_children:
        raw = text(part)
        if part.type == "escape_sequence":
            try:
                raw = str(json.loads(f'"{raw}"'))
            except ValueError:
                raw = raw[1:]
        parts.append(raw)
    return "".join(parts)


def parse_module(path: str, source: str) -> Module:
    """Parses one file. A syntax error leaves an issue; what could be read around it is kept."""
    module = Module(path)
    root = tree_sitter.Parser(_LANGUAGE).parse(source.encode("utf-8")).root_node
    if root.has_error:
        for node in list(_errors(root))[:MAX_SYNTAX_ISSUES]:
            line = node.start_point.row + 1
            what = f"missing {node.type!r}" if node.is_missing else f"unreadable: {text(node)[:60]!r}"
            module.issues.append(Issue(locator=f"{path}:{line}", reason=f"syntax error, {what}; left out"))
    _read_block(module, root, "")
    return module


def _errors(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            stack.extend(reversed(node.children))


def _read_block(module: Module, block: tree_sitter.Node, scope: str) -> None:
    comment: tree_sitter.Node | None = None
    for node in block.named_children:
        if node.type == "comment":
            comment = node
            continue
        _read_statement(module, node, scope, read_doc(comment), exported=False)
        comment = None


def _read_statement(module: Module, node: tree_sitter.Node, scope: str, doc: Doc, *, exported: bool) -> None:
    if node.type == "export_statement":
        inner = node.child_by_field_name("declaration")
        if inner is not None:
            _read_statement(module, inner, scope, doc, exported=True)
        else:
            _read_export(module, node)
    elif node.type in ("ambient_declaration", "expression_statement"):
        for inner in node.named_children:
            _read_statement(module, inner, scope, doc, exported=exported)
    elif node.type == "import_statement":
        _read_import(module, node)
    elif node.type in ("internal_module", "module"):
        _read_namespace(module, node, scope)
    elif node.type == "statement_block":
        _read_block(module, node, scope)
    elif node.type in _DECLARATIONS:
        _declare(module, node, scope, doc, exported)
    elif node.type in ("lexical_declaration", "variable_declaration"):
        for inner in node.named_children:
            name = text(inner.child_by_field_name("name"))
            if inner.type == "variable_declarator" and name:
                module.constants[name] = Declaration(module.path, name, "const", (inner,), exported, doc)


def _declare(module: Module, node: tree_sitter.Node, scope: str, doc: Doc, exported: bool) -> None:
    name = text(node.child_by_field_name("name"))
    if not name:
        return
    dotted = f"{scope}.{name}" if scope else name
    parameters = node.child_by_field_name("type_parameters")
    names = tuple(text(p.child_by_field_name("name")) for p in parameters.named_children) if parameters else ()
    kind = _DECLARATIONS[node.type]
    known = module.declared.get(dotted)
    nodes = (*known.nodes, node) if known and known.kind == kind == "interface" else (node,)
    if known is not None and kind == "class" and known.kind != "class":
        return
    module.declared[dotted] = Declaration(module.path, dotted, kind, nodes, exported, doc, names)


def _read_namespace(module: Module, node: tree_sitter.Node, scope: str) -> None:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if body is None or name is None:
        return
    inner = text(name) if name.type in ("identifier", "nested_identifier") else ""
    _read_block(module, body, ".".join(part for part in (scope, inner) if part))


def _read_import(module: Module, node: tree_sitter.Node) -> None:
    source = node.child_by_field_name("source")
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    if source is None or clause is None:
        return
    target = string_value(source)
    for part in clause.named_children:
        if part.type == "identifier":
            module.imports[text(part)] = (target, "default")
        elif part.type == "namespace_import":
            module.imports[text(part.named_children[0])] = (target, "*")
        elif part.type == "named_imports":
            for item in part.named_children:
                name = text(item.child_by_field_name("name"))
                module.imports[text(item.child_by_field_name("alias")) or name] = (target, name)


def _read_export(module: Module, node: tree_sitter.Node) -> None:
    source = node.child_by_field_name("source")
    target = string_value(source) if source is not None else ""
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    if clause is None:
        if target:
            module.stars.append(target)
        return
    for item in clause.named_children:
        name = text(item.child_by_field_name("name"))
        if name:
            module.exports[text(item.child_by_field_name("alias")) or name] = (target, name)


def read_doc(comment: tree_sitter.Node | None) -> Doc:
    """The description, format and deprecation of a JSDoc comment; nothing for other comments."""
    raw = text(comment)
    if not raw.startswith("/**"):
        return Doc()
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in raw[3:-2].splitlines()]
    words: list[str] = []
    deprecated, form, keep = False, None, True
    for line in lines:
        tag = _TAG.match(line.strip())
        if tag is None:
            if line.strip().startswith("Format: "):
                form = line.strip().removeprefix("Format: ").strip()
            elif keep:
                words.append(line)
            continue
        keep = tag[1] in ("description", "deprecated", "summary")
        deprecated = deprecated or tag[1] == "deprecated"
        if keep:
            words.append(f"Deprecated: {tag[2]}" if tag[1] == "deprecated" and tag[2] else tag[2])
    return Doc("\n".join(words).strip(), deprecated, form)


class Package:
    """All declaration files of one package: resolves a name seen in one file to its declaration."""

    def __init__(self, modules: list[Module]) -> None:
        self.modules = {module.path: module for module in modules}
        self._by_stem = {_SUFFIX.sub("", path): path for path in self.modules}
        self._everywhere: dict[str, list[Declaration]] = {}
        for module in modules:
            for name, declaration in module.declared.items():
                self._everywhere.setdefault(name, []).append(declaration)
        for found in self._everywhere.values():
            found.sort(key=lambda declaration: not declaration.exported)
        self.shape_names = self._shape_names()

    def _shape_names(self) -> dict[tuple[str, str], str]:
        """(file, name) -> the name of its shape, unique over the package.

        The exported declaration keeps the plain name; an equal text elsewhere is the same shape; a different
        one is called after its file.
        """
        names: dict[tuple[str, str], str] = {}
        for name, found in self._everywhere.items():
            first = [text(node) for node in found[0].nodes]
            for declaration in found:
                same = declaration is found[0] or [text(node) for node in declaration.nodes] == first
                stem = _SUFFIX.sub("", posixpath.basename(declaration.path))
                pascal = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", stem))
                names[(declaration.path, name)] = name if same else self._free(f"{pascal}{name}", names)
        return names

    def _free(self, wanted: str, taken: dict[tuple[str, str], str]) -> str:
        name, number = wanted, 2
        while name in self._everywhere or name in taken.values():
            name, number = f"{wanted}_{number}", number + 1
        return name

    def resolve(self, path: str, scope: str, name: str, *, anywhere: bool = True) -> Declaration | None:
        """The declaration `name` means in a file and namespace: local, imported, or (`anywhere`) of any file."""
        module = self.modules[path]
        scopes = [scope.rsplit(".", count)[0] for count in range(scope.count(".") + 1)] if scope else []
        dotted = [f"{outer}.{name}" for outer in scopes] + [name]
        for candidate in dotted:
            if candidate in module.declared:
                return module.declared[candidate]
        head, _, rest = name.partition(".")
        if head in module.imports:
            target, exported = module.imports[head]
            wanted = rest if exported == "*" else ".".join(part for part in (exported, rest) if part)
            found = self._exported(self.locate(path, target), wanted, frozenset())
            if found is not None:
                return found
        for candidate in dotted if anywhere else ():
            if candidate in self._everywhere:
                return self._everywhere[candidate][0]
        return None

    def constant(self, path: str, name: str) -> Declaration | None:
        """The constant `name` means in a file."""
        module = self.modules[path]
        if name in module.constants:
            return module.constants[name]
        return next((m.constants[name] for m in self.modules.values() if name in m.constants), None)

    def locate(self, path: str, target: str) -> str | None:
        """The file an import names; None outside the package."""
        if not target.startswith("."):
            return None
        stem = _SUFFIX.sub("", posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        return self._by_stem.get(stem) or self._by_stem.get(f"{stem}/index")

    def _exported(self, path: str | None, name: str, seen: frozenset[str]) -> Declaration | None:
        if path is None or path in seen:
            return None
        module = self.modules[path]
        if name in module.declared:
            return module.declared[name]
        if name in module.exports:
            target, inner = module.exports[name]
            if not target:
                return self.resolve(path, "", inner) if inner != name else None
            return self._exported(self.locate(path, target), inner, seen | {path})
        for target in module.stars:
            found = self._exported(self.locate(path, target), name, seen | {path})
            if found is not None:
                return found
        return None
