"""References of the archetype language: what `@role`, `@role.field`, `@field` and `@const.name` stand for.

Resolution is textual and happens in every string of an archetype part, keys included, so the same rule holds
for SQL, expressions, step fields, names and messages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envforge.core.articles import with_article
from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype
from envforge.core.records.domain import Table

REFERENCE = re.compile(r"(?<![A-Za-z0-9}])@([a-z][a-z0-9_]*)(?:\.([a-z][a-z0-9_]*))?")
BOUND_CALL = re.compile(r"""\b(bound|added|complete)\(\s*['"]@?([a-z][a-z0-9_]*)(?:\.([a-z][a-z0-9_]*))?['"]\s*\)""")
ARTICLE = re.compile(r"\b([Aa])n? @([a-z][a-z0-9_]*)\.label(?![a-z0-9_])")
"""`an @role.label`: the article of a label fits whatever it is called here."""
SENTENCE = re.compile(r"@[a-z][a-z0-9_]*\.labels? .*[.!?]", re.DOTALL)
"""A sentence that begins with a label: it begins with a capital, whatever the label is here."""
FRAGMENT = re.compile(r"<<(.*?)>>", re.DOTALL)
CHOICE = re.compile(r"([a-z][a-z0-9_]*)(?:\.([a-z][a-z0-9_]*))?\?([^|]*)(?:\|(.*))?", re.DOTALL)
"""The inside of `<<role.field? words | other words>>`."""
UNBOUND = "unbound"
IMPLICIT = frozenset({"id", "entity", "entities", "label", "labels", "fk", "fks", "json_type"})


class UnboundError(Exception):
    """A role or field that the matched schema does not have; what needs it is left out with a note."""

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference


@dataclass(frozen=True)
class BoundRole:
    """A table that plays a role, and the column that stands for each of the role's bound fields."""

    table: str
    entity: str
    label: str
    key: str
    json_type: str
    fields: Mapping[str, str]
    added: frozenset[str] = frozenset()
    """fields whose columns the archetype adds"""
    complete: bool = True
    """every column that must have a value is the key or stands for a field"""

    @staticmethod
    def of(table: Table, fields: Mapping[str, str], added: Mapping[str, str]) -> BoundRole:
        """The role as played by `table`: `fields` bound to its own columns, `added` to new ones."""
        filled = {*fields.values(), table.primary_key[0]}
        complete = all(c.nullable or c.default is not None or c.name in filled for c in table.columns)
        return BoundRole(
            table=table.name,
            entity=table.entity,
            label=table.label,
            key=table.primary_key[0],
            json_type="integer" if table.column(table.primary_key[0]).type == "integer" else "string",
            fields={**added, **fields},
            added=frozenset(added.keys() - fields.keys()),
            complete=complete,
        )

    @property
    def foreign_key(self) -> str:
        """How other tables call a column that refers to this one: `flight_id`, `airport_code`."""
        if self.key == self.entity or self.key.startswith(f"{self.entity}_"):
            return self.key
        return f"{self.entity}_{self.key}"

    def lookup(self, name: str) -> str | None:
        """The text that `@role.<name>` stands for, or None when the field is not bound."""
        if name in self.fields:
            return self.fields[name]
        implicit = {
            "id": self.key,
            "entity": self.entity,
            "entities": self.table,
            "label": self.label,
            "labels": self.table.replace("_", " "),
            "fk": self.foreign_key,
            "fks": f"{self.foreign_key}s",
            "json_type": self.json_type,
        }
        return implicit.get(name)


def _no_owners() -> dict[str, tuple[str, ...]]:
    return {}


@dataclass(frozen=True)
class Binding:
    """All that references of one archetype resolve to in one schema."""

    archetype: str
    roles: Mapping[str, BoundRole | None]
    constants: Mapping[str, Any]
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=_no_owners)
    """field name -> the roles that declare it, for the short form `@field`."""

    @staticmethod
    def for_archetype(archetype: Archetype, roles: Mapping[str, BoundRole | None]) -> Binding:
        """A binding of `archetype` with the roles bound as given."""
        owners: dict[str, tuple[str, ...]] = {}
        for role, spec in sorted(archetype.roles.items()):
            for name in spec.fields:
                owners[name] = (*owners.get(name, ()), role)
        return Binding(archetype.id, roles, archetype.constants, owners)

    def is_bound(self, role: str, name: str | None = None) -> bool:
        """True if the role (and its field) is there. Raises ConfigError for a name nobody declares."""
        if role not in self.roles:
            raise ConfigError(f"@{role} is no role of the archetype", where=self.archetype)
        bound = self.roles[role]
        if name is None or bound is None:
            return bound is not None
        if name not in IMPLICIT and role not in self.owners.get(name, ()):
            raise ConfigError(f"@{role}.{name} is no field of the role", where=self.archetype)
        return bound.lookup(name) is not None

    def resolve(self, text: str) -> str:
        """`text` with every reference replaced.

        `bound(…)`, `added(…)` and `complete(…)` become True or False; `<<…>>` is kept only if all it names is
        bound, and `<<role.field? words | other words>>` is the words that apply. In an expression that asks, what is
        not bound becomes the name `unbound`: such an expression evaluates that part only when it is there.
        Raises UnboundError elsewhere, ConfigError for unknown names.
        """
        if "<<" in text:
            text = FRAGMENT.sub(lambda found: self._fragment(found[1]), text)
        if "@" not in text and BOUND_CALL.search(text) is None:
            return text
        text = ARTICLE.sub(self._with_article, text)
        guarded = BOUND_CALL.sub(lambda found: str(self._asked(found[1], found[2], found[3])), text)

        def replaced(found: re.Match[str]) -> str:
            try:
                return self._reference(found[1], found[2])
            except UnboundError:
                if guarded == text:
                    raise
                return UNBOUND

        resolved = REFERENCE.sub(replaced, guarded)
        if SENTENCE.fullmatch(text):
            resolved = resolved[0].upper() + resolved[1:]
        return resolved if guarded == text else folded(resolved)

    def _with_article(self, found: re.Match[str]) -> str:
        bound = self.roles.get(found[2])
        return found[0] if bound is None else f"{found[1]}{with_article(bound.label)[1:]}"

    def _fragment(self, text: str) -> str:
        choice = CHOICE.fullmatch(text)
        if choice is not None:
            words = choice[3] if self.is_bound(choice[1], choice[2]) else choice[4] or ""
            return self.resolve(words.strip())
        try:
            return self.resolve(text)
        except UnboundError:
            return ""

    def _asked(self, question: str, role: str, name: str | None) -> bool:
        there = self.is_bound(role, name)
        bound = self.roles[role]
        if question == "bound" or not there or bound is None:
            return there
        return bound.complete if question == "complete" else name in bound.added

    def _split(self, role: str, name: str) -> tuple[str, str]:
        """`entity_summary` is the field `entity` and the text `_summary`: the longest name that is known."""
        known = IMPLICIT | {field for field, owners in self.owners.items() if role in owners}
        parts = name.split("_")
        for end in range(len(parts), 0, -1):
            field = "_".join(parts[:end])
            if field in known:
                return field, name[len(field) :]
        return name, ""

    def _reference(self, first: str, second: str | None) -> str:
        if first == "const":
            return self._constant(second)
        if first in self.roles and second is not None:
            second, rest = self._split(first, second)
            if rest:
                return self._reference(first, second) + rest
        if first in self.roles:
            bound = self.roles[first]
            if not self.is_bound(first, second) or bound is None:
                raise UnboundError(f"@{first}.{second}" if second else f"@{first}")
            return bound.table if second is None else str(bound.lookup(second))
        owners = self.owners.get(first, ())
        if len(owners) != 1:
            problem = "is neither a role nor a field" if not owners else f"is a field of {', '.join(owners)}"
            raise ConfigError(f"@{first} {problem}", where=self.archetype, remedy="write @role.field")
        column = self._reference(owners[0], first)
        return column if second is None else f"{column}.{second}"

    def _constant(self, name: str | None) -> str:
        if name is None or name not in self.constants:
            raise ConfigError(f"@const.{name} is not among the archetype's constants", where=self.archetype)
        return repr(self.constants[name])


class _Fold(ast.NodeTransformer):
    """Takes the branch that a settled condition leaves."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        settled = isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant)
        return ast.Constant(not node.operand.value) if settled else node  # type: ignore[union-attr]

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        values: list[ast.expr] = []
        for value in node.values:
            settled = isinstance(value, ast.Constant) and isinstance(value.value, bool)
            if not settled:
                values.append(value)
            elif value.value is decides:  # type: ignore[union-attr]
                values.append(value)
                break
        if not values:
            return ast.Constant(not decides)
        return values[0] if len(values) == 1 else ast.BoolOp(node.op, values)


def folded(text: str) -> str:
    """An expression without the branches that `bound(…)` rules out; other text as it is."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return text
    return ast.unparse(ast.fix_missing_locations(_Fold().visit(tree)))


def identity(archetype: Archetype) -> Binding:
    """Roles bound to themselves: what a reference means before any schema is known (for checks at load)."""
    roles: dict[str, BoundRole | None] = {
        role: BoundRole(role, role, role, "id", "string", {"id": "id", **{name: name for name in spec.fields}})
        for role, spec in archetype.roles.items()
    }
    return Binding.for_archetype(archetype, roles)
